#!/usr/bin/env bash
# stormpy 2.0.0 builds a PRISM program for the property P=? [F x=3] with a label that is called "(x = 3)", and writes this name into a .drn
# file. Whoever has the file alone cannot ask for it: a name in a property may not have blanks or brackets, and a file has no variable x. So
# an exported model cannot be asked the question it was exported for, unless the property was parsed beside the program. The way out is a
# label of the program (label "goal" = x=3), which stands in the file under its own name.
#
# Source: stormpy 2.0.0 from the Python package index, run in November 2026.
# Seen: "in the file: (x = 3); F "(x = 3)": not parsed; F x=3: not parsed; parsed beside the program: 0.3333; F "goal": 0.3333"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0
venv/bin/python - > seen 2> errors <<'PY'
import stormpy

with open("walk.prism", "w") as f:
    f.write("""dtmc
module walk
	x : [0..3] init 1;
	[] x > 0 & x < 3 -> 0.5 : (x' = x - 1) + 0.5 : (x' = x + 1);
	[] x = 0 | x = 3 -> true;
endmodule
label "goal" = x = 3;
""")
program = stormpy.parse_prism_program("walk.prism")


def export(text):
    asked = stormpy.parse_properties(text, program)
    stormpy.io.export_to_drn(stormpy.build_model(program, asked), "walk.drn")
    return stormpy.build_model_from_drn("walk.drn"), asked[0]


def ask(model, text):
    try:
        asked = stormpy.parse_properties(text)[0]
    except RuntimeError:
        return "not parsed"
    return f"{stormpy.model_checking(model, asked).get_value(0):.4f}"


model, asked = export("P=? [F x=3]")
label, = model.labeling.get_labels() - {"init"}
value = stormpy.model_checking(model, asked).get_value(0)
alone = [f"F {goal}: {ask(model, f'P=? [F {goal}]')}" for goal in (f'"{label}"', "x=3")]
named = 'P=? [F "goal"]'
goal = ask(export(named)[0], named)
print(f'in the file: {label}; {"; ".join(alone)}; parsed beside the program: {value:.4f}; F "goal": {goal}')
PY
cat seen
grep -qxF 'in the file: (x = 3); F "(x = 3)": not parsed; F x=3: not parsed; parsed beside the program: 0.3333; F "goal": 0.3333' seen
