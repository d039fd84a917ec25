# A mine lies left or right, and the episode ends on it. With the argument "shown", an axis of the state says so.
import json, sys

SHOWN = "shown" in sys.argv
MODEL = {"name": "mine", "axes": [{"name": "place", "min": 0, "max": 4, "discrete": True}], "actions": ["left", "right"],
         "latents": ["mine left", "mine right"], "discount": 0.9, "reward_min": -20, "reward_max": 4, "likelihood": "drawn" not in sys.argv}
if SHOWN:
    MODEL["axes"].append({"name": "ended", "min": 0, "max": 1, "discrete": True})

def step(state, latent, action):
    place = min(4, max(0, state[0] + (1 if action else -1)))
    done = place in (0, 4) or place == (1, 3)[latent]
    reward = -1 if not done else -3 if place in (1, 3) else 4 if place == (4, 0)[latent] else -20
    return [place, int(done)] if SHOWN else [place], reward, done

for line in sys.stdin:
    q = json.loads(line)
    a = {"id": q["id"]}
    if q["ask"] == "hello":
        a.update(protocol=1, model=MODEL)
    elif q["ask"] == "start":
        a["states"] = [[2, 0] if SHOWN else [2] for _ in q["latents"]]
    elif q["ask"] == "step":
        rows = [step(s, l, x) for s, l, x in zip(q["states"], q["latents"], q["actions"])]
        a["next"], a["reward"], a["done"] = [list(x) for x in zip(*rows)]
    else:
        a["log"] = [[0 if step(s, l, x)[0] == [int(v) for v in n] else None for l in range(2)] for s, x, n in zip(q["states"], q["actions"], q["next"])]
    print(json.dumps(a), flush=True)
