"""A walk on a line whose drift is hidden, as a simulator for Bayes-CPACE."""
import json
import math
import random
import sys

DRIFT = [-0.3, 0.3]
MODEL = {
    "name": "walk", "latents": ["left", "right"], "discount": 0.9, "reward_min": -1, "reward_max": 1,
    "axes": [{"name": "x", "unit": "m", "min": -10, "max": 10}], "actions": ["back", "stay", "forward"],
    "likelihood": True,
}


def step(s, latent, action, seed):
    x = s[0] + action - 1 + DRIFT[latent] + random.Random(seed).gauss(0, 0.2)
    return [x], math.cos(x), abs(x) > 5  # next state, reward, whether the episode ends


def log_likelihood(s, latent, action, after):
    return -((after[0] - s[0] - action + 1 - DRIFT[latent]) / 0.2) ** 2 / 2


for line in sys.stdin:
    q = json.loads(line)
    a = {"id": q["id"]}
    if q["ask"] == "hello":
        a.update(protocol=1, model=MODEL)
    elif q["ask"] == "start":
        a["states"] = [[0] for _ in q["latents"]]
    elif q["ask"] == "step":
        a["next"], a["reward"], a["done"] = zip(*map(step, q["states"], q["latents"], q["actions"], q["seeds"]))
    elif q["ask"] == "likelihood":
        a["log"] = [[log_likelihood(s, l, i, n) for l in range(2)] for s, i, n in zip(q["states"], q["actions"], q["next"])]
    print(json.dumps(a), flush=True)
