"""Runs the command from Python."""
import json
import sys

import bayescpace

walk = [sys.executable, sys.argv[1]]
out = {"version": bayescpace.__file__}
out["check"] = bayescpace.check(process=walk)["model"]
out["solve"] = bayescpace.solve(process=walk, algorithm="policy-search", max_steps=500, seed=1)["lower_by"]
out["eval"] = [bayescpace.eval(env="tiger", set={"accuracy": 0.9}, algorithm="qmdp", episodes=20, horizon=10)["mean"] for _ in range(2)]
out["spaced"] = [bayescpace.check(process=process)["model"] for process in ([sys.executable, sys.argv[2]], f"'{sys.executable}' '{sys.argv[2]}'", [sys.executable, sys.argv[3]])]
for what in ({"path": "no-such-command"}, {"env": "tigger"}, {"process": ["no such program", "x"]}):
    try:
        bayescpace.solve(**what)
    except (FileNotFoundError, bayescpace.CommandError, ValueError) as error:
        out[list(what)[0]] = str(error)
print(json.dumps(out))
