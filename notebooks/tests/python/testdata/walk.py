import bayescpace


class Walk(bayescpace.Model):
    name = "walk"
    axes = [{"name": "x", "unit": "m", "min": -10, "max": 10}]
    actions = ["back", "stay", "forward"]
    latents = ["left", "right"]
    prior = [0.25, 0.75]
    discount = 0.3
    reward_min, reward_max = -1, 1

    def start(self, latent, rng):
        return [0.0]

    def step(self, state, latent, action, rng):
        print("a step")  # which is not for standard output
        x = state[0] + action - 1 + (-0.3, 0.3)[latent] + rng.gauss(0, 0.2)
        return [x], -abs(x) / 10, abs(x) > 5

    def log_likelihood(self, state, action, after, latent):
        return -((after[0] - state[0] - action + 1 - (-0.3, 0.3)[latent]) / 0.2) ** 2 / 2


if __name__ == "__main__":
    bayescpace.serve(Walk())
