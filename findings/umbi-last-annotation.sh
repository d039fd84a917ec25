#!/usr/bin/env bash
# umbi 0.2.5 keeps one label and one reward model of a .umb file: umbi.ats.read forgets all but the last of each kind in the order of the
# file, and says nothing. A chain that stormpy wrote with the labels goal and trap and the rewards cost and time has trap and time alone, and
# what umbi.ats.write makes of it lacks the others for good: stormpy no longer knows the label goal. umbi.umb.read, which stays closer to the
# file, keeps all. So whoever reads a model with umbi.ats.read has to compare its names with those of the index. The page of umbi 0.2.5
# recommends umbi.ats for most uses.
#
# Source: stormpy 2.0.0 and umbi 0.2.5 from the Python package index, run in November 2026; the page of umbi 0.2.5 there.
# Seen: "umbi.umb: goal trap, cost time; umbi.ats: trap, time; written again: init trap, time"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0 umbi==0.2.5
venv/bin/python - > seen 2> errors <<'PY'
import stormpy
import umbi

with open("two.drn", "w") as f:
    f.write("""@type: DTMC
@parameters

@reward_models
cost time
@nr_states
3
@nr_choices
3
@model
state 0 [1, 2] init
	action 0
		1 : 0.5
		2 : 0.5
state 1 [0, 3] goal
	action 0
		1 : 1
state 2 [4, 0] trap
	action 0
		2 : 1
""")
stormpy.io.export_to_umb(stormpy.build_model_from_drn("two.drn"), "two.umb")
index = umbi.umb.read("two.umb").index.annotations
ats = umbi.ats.read("two.umb")
umbi.ats.write(ats, "again.umb")
again = stormpy.build_model_from_umb("again.umb")


def names(labels, rewards):
    return " ".join(sorted(labels)) + ", " + " ".join(sorted(rewards))


print(f"umbi.umb: {names(index['aps'], index['rewards'])}", end="; ")
print(f"umbi.ats: {names(ats.ap_annotation_names, ats.reward_annotation_names)}", end="; ")
print(f"written again: {names(again.labeling.get_labels(), again.reward_models)}")
PY
cat seen
grep -qxF 'umbi.umb: goal trap, cost time; umbi.ats: trap, time; written again: init trap, time' seen
