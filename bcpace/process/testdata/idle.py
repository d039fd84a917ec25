"""A simulator that computes nothing: what it takes is what the protocol takes."""
import json
import sys

MODEL = {"name": "idle", "latents": ["one"], "discount": 0.9, "reward_min": 0, "reward_max": 1, "likelihood": True,
         "axes": [{"name": n, "min": -1e6, "max": 1e6} for n in "abcd"], "actions": ["go", "stay"]}
for line in sys.stdin:
    q = json.loads(line)
    a = {"id": q["id"]}
    if q["ask"] == "hello":
        a.update(protocol=1, model=MODEL)
    elif q["ask"] == "start":
        a["states"] = [[0] * 4 for _ in q["latents"]]
    elif q["ask"] == "step":
        a["next"] = [[x + 0.1 for x in s] for s in q["states"]]
        a["reward"], a["done"] = [0] * len(q["states"]), [False] * len(q["states"])
    print(json.dumps(a), flush=True)
