"""Plays a policy from Python."""
import json
import sys

import bayescpace


class Scalar:
    """A number or an array as numpy has it."""

    dtype, size = "float32", 1

    def __init__(self, value):
        self.value = value

    def tolist(self):
        return self.value

    item = tolist


policy = sys.argv[1]
bayescpace.solve(env="tiger", algorithm="sarsop", out=policy)
out = {"names": [], "beliefs": [], "errors": []}
with bayescpace.Agent(policy=policy) as agent:
    for choice in (agent.begin(Scalar(0)), agent.observe(Scalar(-1.0), Scalar([1])), agent.observe(-1, (Scalar(1),), action=Scalar(0))):
        out["names"].append(choice["name"])
        out["beliefs"].append(choice["belief"][0])
    for wrong in (lambda: agent.begin([9]), lambda: agent.observe(0, [0], action="sing"), lambda: agent.observe(float("nan"), [0]),
                  lambda: agent.observe("1", [0]), lambda: agent.observe(0, [0], action=True), lambda: agent.observe(0, {"x": 1})):
        try:
            wrong()
        except bayescpace.CommandError as error:
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
try:
    with bayescpace.Agent(policy=policy) as agent:
        agent.begin({"growl": 1})
except bayescpace.CommandError as error:
    out["errors"].append(str(error))
bridge = {"policy": policy + ".bridge", "process": [sys.executable, sys.argv[2], "short"]}
bayescpace.solve(process=bridge["process"], algorithm="policy-search", max_steps=200, out=bridge["policy"])
with bayescpace.Agent(**bridge) as agent:
    out["bridge"] = [agent.begin(0), agent.observe(1, 1, action="walk"), agent.observe(0, 2, action="swim")]
print(json.dumps(out))
