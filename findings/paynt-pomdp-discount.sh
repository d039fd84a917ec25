#!/usr/bin/env bash
# PAYNT 0.5.0 exports another problem than the one it solves. "--export pomdp" writes "discount: 0.95" whatever the model, and of a state's
# actions it writes the reward of the first for all, without a word of either. Here action a gains 1 and action b gains 3, no discount is asked
# for, and PAYNT finds 3; of the .pomdp file that it exported PAYNT itself finds 0.95: the reward of a, one step later. So values of such a
# file are not values of the model, and solvers that read it cannot be compared with PAYNT.
#
# Source: paynt 0.5.0 from the Python package index, with stormpy 2.0.0, run in November 2026.
# Seen: "asked: 3.0; discount: 0.95; R: * : 1 : * : * 1.0; exported: 0.95"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet paynt==0.5.0 stormpy==2.0.0
mkdir asked exported
echo 'R{"gain"}max=? [F "goal"]' > asked/sketch.props
cat > asked/sketch.templ <<'DRN'
@type: POMDP
@parameters

@reward_models
gain
@nr_states
3
@nr_choices
6
@model
state 0 {0} init
	action a [0]
		1 : 1
	action b [0]
		1 : 1
state 1 {1}
	action a [1]
		2 : 1
	action b [3]
		2 : 1
state 2 {2} goal
	action a [0]
		2 : 1
	action b [0]
		2 : 1
DRN
optimum() {
	venv/bin/paynt "$1" 2> errors | sed -n 's/^optimum: //p'
}
asked=$(optimum asked)
venv/bin/paynt asked --export pomdp > log 2>&1
cp asked/sketch.pomdp exported/sketch.templ
file=$(grep -E '^(discount|R):' asked/sketch.pomdp | sed 's/$/; /' | tr -d '\n')
echo "asked: $asked; ${file}exported: $(optimum exported)" > seen
cat seen
grep -qxF 'asked: 3.0; discount: 0.95; R: * : 1 : * : * 1.0; exported: 0.95' seen
