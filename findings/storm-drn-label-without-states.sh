#!/usr/bin/env bash
# stormpy 2.0.0 loses a label that no state has when it writes a .drn file, as the format names labels at states only. A program that cannot
# fail reaches "fail" with probability 0; for its .drn file the same property raises an error. So a label that a .drn file lacks may be a
# mistake in the property or an event that never happens, and the file does not tell which. A .umb file of the same model keeps the label.
#
# Source: stormpy 2.0.0 from the Python package index, run in November 2026.
# Seen: "built: 0.0; .drn: The property refers to unknown label 'fail'.; .umb: 0.0"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0
venv/bin/python - > seen 2> errors <<'PY'
import stormpy

with open("safe.prism", "w") as f:
    f.write("""dtmc
module safe
	wear : [0..3] init 0;
	[] wear < 2 -> 0.5 : (wear' = wear + 1) + 0.5 : (wear' = 0);
	[] wear = 2 -> (wear' = 0);
endmodule
label "fail" = wear = 3;
""")
built = stormpy.build_model(stormpy.parse_prism_program("safe.prism"))
stormpy.io.export_to_drn(built, "safe.drn")
stormpy.io.export_to_umb(built, "safe.umb")
fail = stormpy.parse_properties('P=? [F "fail"]')[0]


def value(model):
    try:
        return stormpy.model_checking(model, fail).get_value(0)
    except RuntimeError as e:
        return str(e).split(": ", 1)[1]


drn, umb = stormpy.build_model_from_drn("safe.drn"), stormpy.build_model_from_umb("safe.umb")
print(f"built: {value(built)}; .drn: {value(drn)}; .umb: {value(umb)}")
PY
cat seen
grep -qxF "built: 0.0; .drn: The property refers to unknown label 'fail'.; .umb: 0.0" seen
