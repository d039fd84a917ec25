#!/usr/bin/env bash
# stormpy 2.0.0 writes a model to a .drn file with ten significant digits by default, so that what it reads back is another model: thirteen
# probabilities of 1/13 add up to 0.99999999996, and nothing is said of it. A probability of 12/13 to reach a goal becomes 0.92307692304.
# With DirectEncodingExporterOptions.output_precision = 17 the numbers come back whole.
#
# Source: stormpy 2.0.0 from the Python package index, run in November 2026.
# Seen: "12/13 is 0.923076923077; ten digits: 0.923076923040, a row adds up to 0.999999999960; seventeen digits: 0.923076923077"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0
venv/bin/python - > seen <<'PY'
import stormpy

lines = ["@type: DTMC", "@parameters", "", "@reward_models", "", "@nr_states", "14", "@nr_choices", "14", "@model", "state 0 init", "\taction 0"]
lines += [f"\t\t{to} : {1 / 13!r}" for to in range(1, 14)]
for s in range(1, 14):
    lines += [f"state {s}" + (" goal" if s < 13 else ""), "\taction 0", f"\t\t{s} : 1"]
with open("thirteen.drn", "w") as f:
    f.write("\n".join(lines) + "\n")
model = stormpy.build_model_from_drn("thirteen.drn")
reach = stormpy.parse_properties('P=? [F "goal"]')[0]


def back(digits):
    options = stormpy.io.DirectEncodingExporterOptions()
    if digits:
        options.output_precision = digits
    stormpy.io.export_to_drn(model, "again.drn", options=options)
    again = stormpy.build_model_from_drn("again.drn")
    return stormpy.model_checking(again, reach).get_value(0), sum(e.value for e in again.transition_matrix.get_row(0))


value, total = back(None)
print(f"12/13 is {12 / 13:.12f}; ten digits: {value:.12f}, a row adds up to {total:.12f}; seventeen digits: {back(17)[0]:.12f}")
PY
cat seen
grep -qxF '12/13 is 0.923076923077; ten digits: 0.923076923040, a row adds up to 0.999999999960; seventeen digits: 0.923076923077' seen
