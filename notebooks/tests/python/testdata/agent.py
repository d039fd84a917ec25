"""Plays a policy from Python."""
import json
import sys

import bayescpace

policy = sys.argv[1]
bayescpace.solve(env="tiger", algorithm="sarsop", out=policy)
out = {"names": [], "beliefs": [], "errors": []}
with bayescpace.Agent(policy=policy) as agent:
    for choice in (agent.begin([0]), agent.observe(-1, [1]), agent.observe(-1, [1], action="listen")):
        out["names"].append(choice["name"])
        out["beliefs"].append(choice["belief"][0])
    for wrong in (lambda: agent.begin([9]), lambda: agent.observe(0, [0], action="sing"), lambda: agent.observe(float("nan"), [0])):
        try:
            wrong()
        except (bayescpace.CommandError, ValueError) as error:
            out["errors"].append(str(error))
    out["names"].append(agent.begin([0])["name"])
for flags in ({"policy": policy + "x"}, {}):
    gone = bayescpace.Agent(**flags)
    try:
        gone.begin([0])
    except bayescpace.CommandError as error:
        out["errors"].append(str(error))
    gone.close()
try:
    agent.begin([0])
except bayescpace.CommandError as error:
    out["errors"].append(str(error))
print(json.dumps(out))
