#!/usr/bin/env bash
# PAYNT 0.5.0 refuses .pomdp files that PAYNT 0.5.0 has exported, if one state has a single action and another state has more. It writes the
# transitions of the single action as "T: * : from : to probability". When it reads such a line, it takes the star for the first action alone:
# the other actions then lead nowhere, and it calls the format of the file unknown. In pomdp-solve, where the format comes from, the star means
# every action. PAYNT does read a line for each action, and a star above a whole row.
#
# Source: paynt 0.5.0 from the Python package index, with stormpy 2.0.0, run in November 2026; src/mdp/parser.y of
# cassandra/pomdp-solve, at its commit 4f5d399 of February 2024.
# Seen: "T: * : 0 : 1 1.0 -> transition does not sum to 1; a line for each action -> 0.95; a row -> 0.95"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet paynt==0.5.0 stormpy==2.0.0
mkdir model star lines row
echo 'R{"gain"}max=? [F "goal"]' > model/sketch.props
cat > model/sketch.templ <<'DRN'
@type: POMDP
@parameters

@reward_models
gain
@nr_states
3
@nr_choices
5
@model
state 0 {0} init
	action go [0]
		1 : 1
state 1 {1}
	action a [1]
		2 : 1
	action b [1]
		2 : 1
state 2 {2} goal
	action a [0]
		2 : 1
	action b [0]
		2 : 1
DRN
venv/bin/paynt model --export pomdp > log 2>&1
star=$(grep '^T: \*' model/sketch.pomdp)
cp model/sketch.pomdp star/sketch.templ
sed 's/^T: \* : 0 : 1 1.0$/T: 0 : 0 : 1 1.0\nT: 1 : 0 : 1 1.0/' model/sketch.pomdp > lines/sketch.templ
sed 's/^T: \* : 0 : 1 1.0$/T: * : 0\n0.0 1.0 0.0/' model/sketch.pomdp > row/sketch.templ
optimum() {
	venv/bin/paynt "$1" > log 2>&1 || true
	grep -oE '^optimum: .*|transition does not sum to 1' log | sed 's/^optimum: //'
}
echo "$star -> $(optimum star); a line for each action -> $(optimum lines); a row -> $(optimum row)" > seen
cat seen
grep -qxF 'T: * : 0 : 1 1.0 -> transition does not sum to 1; a line for each action -> 0.95; a row -> 0.95' seen
