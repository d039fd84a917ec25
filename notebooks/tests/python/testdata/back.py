"""Runs the command from Python."""
import json
import sys

import bayescpace

walk = [sys.executable, sys.argv[1]]
quiet, quoted = [sys.executable, sys.argv[2]], [sys.executable, sys.argv[3]]


def solved(process):
    return bayescpace.solve(process=process, algorithm="policy-search", max_steps=200, seed=1)


# A whole check asks the process for thousands of steps, and all verbs read the words of a process in one place.
out = {"version": bayescpace.__file__}
out["check"] = bayescpace.check(process=quoted, timeout="2s")["model"]
out["solve"] = solved(walk)["lower_by"]
out["eval"] = [bayescpace.eval(env="tiger", set={"accuracy": 0.9}, algorithm="qmdp", episodes=20, horizon=10)["mean"] for _ in range(2)]
out["spaced"] = [solved(process)["model"] for process in (quiet, f"'{sys.executable}' '{sys.argv[2]}'", quoted)]
for what in ({"path": "no-such-command"}, {"env": "tigger"}, {"process": ["no such program", "x"]}):
    try:
        bayescpace.solve(**what)
    except (FileNotFoundError, bayescpace.CommandError, ValueError) as error:
        out[list(what)[0]] = str(error)
print(json.dumps(out))
