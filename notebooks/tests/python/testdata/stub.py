"""What GymnasiumModel needs of an environment, in the form that Gymnasium gives it, without Gymnasium."""
import random
import sys

from bayescpace import GymnasiumModel, serve


class Discrete:
    n, start = 2, 0


class Box:
    def __init__(self, low, high):
        self.low, self.high = low, high


class Cart:
    """A cart on a line: its mass is unknown, and its force is noisy. It ends beyond 2."""

    def __init__(self, mass, control, gust):
        self.mass, self.gust, self.state = mass, gust, None
        self.observation_space = Box([-5, -20], [5, 20])
        self.action_space = Box([-1], [1]) if control else Discrete()

    @property
    def unwrapped(self):
        return self

    def reset(self, *, seed=None, options=None):
        self.rng = random.Random(seed)
        self.state = (self.rng.uniform(-0.1, 0.1), 0.0)
        return self.state, {}

    def step(self, action):
        force = action[0] if isinstance(self.action_space, Box) else 2 * action - 1
        x, v = self.state
        v += (force + self.rng.gauss(0, self.gust)) / self.mass
        self.state = (x + 0.1 * v, v)
        return self.state, 1.0, abs(self.state[0]) > 2, True, {}


certain = "certain" in sys.argv
serve(GymnasiumModel(lambda mass: Cart(mass, "control" in sys.argv, 0 if certain else 0.1), {"light": 1, "heavy": 3},
                     name="cart", reward_min=0, reward_max=1, discount=0.5, certain=certain))
