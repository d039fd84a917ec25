#!/usr/bin/env bash
# stormpy 2.0.0 makes a .umb file that umbi 0.2.5 refuses out of a .drn file with a reward that is 0 everywhere: the list of what the reward
# applies to is empty. The specification says that this list must not be empty; stormpy itself reads the reward back as 0. A reward is 0
# everywhere where only states have it that are never reached. Built from its PRISM program, the same model has its zeros written and umbi
# reads it. So who reads .umb files has to take an empty list for 0.
#
# Source: stormpy 2.0.0 and umbi 0.2.5 from the Python package index, run in November 2026; spec.md of pmc-tools/umb, dated 26 January 2026.
# Seen: "from PRISM: fee applies to ['states'], umbi reads it; from .drn: fee applies to [], umbi: Shorter than minimum length 1.; stormpy: 0.0"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0 umbi==0.2.5 marshmallow==4.4.0
venv/bin/python - > seen 2> errors <<'PY'
import json
import tarfile

import stormpy
import umbi
from marshmallow import ValidationError

with open("late.prism", "w") as f:
    f.write("""dtmc
module late
	day : [0..3] init 0;
	[] day < 2 -> 0.5 : (day' = day + 1) + 0.5 : (day' = 2);
	[] day >= 2 -> true;
endmodule
rewards "fee"
	day = 3 : 5;
endrewards
""")


def write(model):
    stormpy.io.export_to_umb(model, "late.umb")
    with tarfile.open("late.umb") as archive:
        fee = json.load(archive.extractfile("index.json"))["annotations"]["rewards"]["fee"]["applies-to"]
    try:
        umbi.umb.read("late.umb")
        return f"fee applies to {fee}, umbi reads it"
    except ValidationError as e:
        return f"fee applies to {fee}, umbi: {e.messages['annotations']['rewards']['value']['fee']['value']['applies-to'][0]}"


built = stormpy.build_model(stormpy.parse_prism_program("late.prism"))
stormpy.io.export_to_drn(built, "late.drn")
prism = write(built)
drn = write(stormpy.build_model_from_drn("late.drn"))
total = stormpy.parse_properties('R{"fee"}=? [C<=9]')[0]
value = stormpy.model_checking(stormpy.build_model_from_umb("late.umb"), total).get_value(0)
print(f"from PRISM: {prism}; from .drn: {drn}; stormpy: {value}")
PY
cat seen
grep -qxF "from PRISM: fee applies to ['states'], umbi reads it; from .drn: fee applies to [], umbi: Shorter than minimum length 1.; stormpy: 0.0" seen
