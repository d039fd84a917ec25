#!/usr/bin/env bash
# In a POMDP that stormpy 2.0.0 reads from a .drn file, the actions of states with the same observation are matched by their names, not by
# their places in the file. Two states look alike; action a leads to the goal from both, and stands first in one and second in the other.
# An agent that could only say "the first one" would reach the goal with probability 1/2; the value is 1. So who writes a .drn file has to
# give actions their names, and who reads one must not number them by their places. stormpy itself reads the names only where it is told to
# (build_choice_labeling); without them belief exploration raises an error.
#
# Source: stormpy 2.0.0 from the Python package index, run in November 2026.
# Seen: "with names: 1.0000; without: Model must have been built with choice labels"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0
venv/bin/python - > seen 2> errors <<'PY'
import stormpy
import stormpy.pomdp

model = """@type: POMDP
@parameters

@reward_models

@nr_states
5
@nr_choices
7
@model
state 0 {0} init
	action go
		1 : 0.5
		2 : 0.5
state 1 {1}
	action a
		3 : 1
	action b
		4 : 1
state 2 {1}
	action b
		4 : 1
	action a
		3 : 1
state 3 {2} goal
	action go
		3 : 1
state 4 {3}
	action go
		4 : 1
"""
with open("alike.drn", "w") as f:
    f.write(model)
most = stormpy.parse_properties('Pmax=? [F "goal"]')[0]


def value(names):
    options = stormpy.io.DirectEncodingParserOptions()
    options.build_choice_labeling = names
    pomdp = stormpy.build_model_from_drn("alike.drn", options=options)
    return stormpy.pomdp.verify_with_belief_unfolding(pomdp, most).value


try:
    value(False)
    without = "no error"
except RuntimeError as e:
    without = str(e).split(": ", 1)[1].split(" (")[0]
print(f"with names: {value(True):.4f}; without: {without}")
PY
cat seen
grep -qxF 'with names: 1.0000; without: Model must have been built with choice labels' seen
