#!/usr/bin/env bash
# A .drn.gz of Storm is not what gzip makes of a .drn file: it is a tar with one file in it, in gzip, as are those that lie beside Storm's own
# tests. stormpy 2.0.0 reads such a tar, whatever its name. A file that gzip alone has compressed is taken for text, and its first bytes then
# do not even make a message: the error is about UTF-8. stormpy's export_to_drn does not compress at all: under a name that ends in .drn.gz
# it writes plain text, which only programs that go by the content can read. The changes of Storm 1.12.0 say that .drn.gz is read and written.
#
# Source: stormpy 2.0.0 from the Python package index, run in November 2026; CHANGELOG.md and resources/examples/testfiles/dtmc/brp-16-2.drn.gz
# of moves-rwth/storm, at its commit 829f82a3 of April 2026.
# Seen: "tar in gzip: 0.25; gzip: UnicodeDecodeError; export_to_drn to again.drn.gz: // Exported by storm"
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip install --quiet stormpy==2.0.0
cat > quarter.drn <<'DRN'
@type: DTMC
@parameters

@reward_models

@nr_states
3
@nr_choices
3
@model
state 0 init
	action 0
		1 : 0.25
		2 : 0.75
state 1 goal
	action 0
		1 : 1
state 2
	action 0
		2 : 1
DRN
tar -czf tar.drn.gz quarter.drn
gzip -c quarter.drn > gzip.drn.gz
venv/bin/python - > seen 2> errors <<'PY'
import stormpy

reach = stormpy.parse_properties('P=? [F "goal"]')[0]


def value(name):
    try:
        return stormpy.model_checking(stormpy.build_model_from_drn(name), reach).get_value(0)
    except (RuntimeError, UnicodeDecodeError) as e:
        return type(e).__name__


stormpy.io.export_to_drn(stormpy.build_model_from_drn("quarter.drn"), "again.drn.gz")
with open("again.drn.gz", "rb") as f:
    first = f.readline().decode("ascii").strip()
print(f"tar in gzip: {value('tar.drn.gz')}; gzip: {value('gzip.drn.gz')}; export_to_drn to again.drn.gz: {first}")
PY
cat seen
grep -qxF 'tar in gzip: 0.25; gzip: UnicodeDecodeError; export_to_drn to again.drn.gz: // Exported by storm' seen
