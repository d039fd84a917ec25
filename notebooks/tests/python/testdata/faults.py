"""Mistakes of a simulator, by the name of the mistake."""
import math
import sys

import bayescpace

mistake = sys.argv[1]


class Wrong(bayescpace.Model):
    name, axes, actions, latents = "wrong", [{"name": "x", "max": 1}], ["go"], ["one", "two"]

    def start(self, latent, rng):
        return [0]

    def step(self, state, latent, action, rng):
        if mistake == "raises":
            raise KeyError("no such place")
        if mistake == "nan":
            return [math.nan], 0, False
        if mistake == "off":
            return [2], 0, False
        return [rng.random()], 0, False

    def log_likelihood(self, state, action, after, latent):
        return -5.0 * (after[0] - latent) ** 2 if mistake == "likelihood" else 0


bayescpace.serve(Wrong())
