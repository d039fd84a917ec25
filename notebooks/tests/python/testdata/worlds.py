"""Environments in the form of Gymnasium, without it: by the first argument. Arrays are like those of numpy."""
import struct
import sys

from bayescpace import GymnasiumModel, Model, serve


class Kind:
    kind = "f"

    def __init__(self, itemsize):
        self.itemsize = itemsize

    def type(self, x):
        return Array([x], self)


class Array:
    """An array of numbers with 32 or 64 bits."""

    ndim = 1

    def __init__(self, values, dtype):
        self.dtype, self.values = dtype, None
        self.flat = values

    @property
    def flat(self):
        return self.values

    @flat.setter
    def flat(self, values):
        code = "f" if self.dtype.itemsize == 4 else "d"
        self.values = [struct.unpack(code, struct.pack(code, x))[0] for x in values]

    @property
    def size(self):
        return len(self.values)

    def __add__(self, zero):
        return Array(self.values, max(self.dtype, zero.dtype, key=lambda kind: kind.itemsize))

    def copy(self):
        return Array(self.values, self.dtype)

    def tolist(self):
        return list(self.values)


SINGLE, DOUBLE = Kind(4), Kind(8)


class Space:
    def __init__(self, **what):
        self.__dict__.update(what)


class World:
    def __init__(self, secret):
        self.secret, self.observation_space, self.action_space = secret, self.seen, self.acts

    @property
    def unwrapped(self):
        return self

    def reset(self, *, seed=None, options=None):
        self.state, self.pushes = self.first(), 0
        return self.state, {}


class Dials(World):
    """Two switches and a dial from 1 to 3: the state says how many are set as in the secret, which ends it at three."""

    seen, acts, first = Space(nvec=[4]), Space(nvec=[2, 2, 3], start=[0, 0, 1]), staticmethod(lambda: 0)

    def step(self, action):
        assert len(action) == 3 and action[2] in (1, 2, 3), action
        self.state = sum(x == y for x, y in zip(action, self.secret))
        return self.state, float(self.state == 3), self.state == 3, False, {}


class Lamps(World):
    """Three lamps, of which an action lights one; the secret one makes all of them go on."""

    seen, acts, first = Space(n=3, shape=(3,)), Space(n=3, start=1), staticmethod(lambda: [0, 0, 0])

    def step(self, action):
        assert action in (1, 2, 3) and all(isinstance(x, int) for x in self.state), (action, self.state)
        lit = list(self.state)
        lit[action - 1] = 1
        self.state = [1, 1, 1] if action == self.secret else lit
        return self.state, float(all(self.state)), all(self.state), False, {}


class Shore(World):
    """Places 1 to 4 from 2: water lies at the secret one, and what is reached by staying dry is the far end of the other side."""

    seen, acts, first = Space(n=4, start=1), Space(n=2, start=-1), staticmethod(lambda: 2)

    def step(self, action):
        assert type(self.state) is int and action in (-1, 0), (action, self.state)
        self.state = min(4, max(1, self.state + 2 * action + 1))
        return self.state, (4.0 if self.state == self.secret else -1.0), self.state == self.secret, False, {}


class Puck(World):
    """A puck whose start has 32 bits and whose steps have 64."""

    seen, acts = Space(low=[-9, -9], high=[9, 9], dtype=SINGLE), Space(n=2, start=0)

    def first(self):
        return Array([0.1, 0.7], SINGLE)

    def step(self, action):
        x, v = self.state.tolist()
        v += (0.3 if action else -0.3) / self.secret
        self.state = Array([0.9 * x + 0.1 * v, 0.9 * v], DOUBLE)
        return self.state, 0.0, False, False, {}


class Sticky(Puck):
    """Every third push goes on as the one before did."""

    def step(self, action):
        self.pushes += 1
        if self.pushes % 3 == 0:
            action = self.last
        self.last = action
        return super().step(action)


def rounds(env, state):
    env.state = Array([round(x, 4) for x in state], DOUBLE)


CASES = {
    "dials": lambda: GymnasiumModel(Dials, {f"{s}": s for s in ((0, 0, 1), (1, 1, 3), (0, 1, 2))}, "dials", 0, 1, discount=0.5, horizon=3, certain=True),
    "lamps": lambda: GymnasiumModel(Lamps, {"first": 1, "last": 3}, "lamps", 0, 1, discount=0.5, horizon=3, certain=True),
    "shore": lambda: GymnasiumModel(Shore, {"left": 1, "right": 4}, "shore", -1, 4, discount=0.9, horizon=8, certain=True),
    "puck": lambda: GymnasiumModel(Puck, {"light": 1, "heavy": 2}, "puck", 0, 1, certain=True),
    "sticky": lambda: GymnasiumModel(Sticky, {"light": 1, "heavy": 2}, "puck", 0, 1, certain=True),
    "rounds": lambda: GymnasiumModel(Puck, {"light": 1, "heavy": 2}, "puck", 0, 1, certain=True, set_state=rounds),
    "same": lambda: GymnasiumModel(Puck, {"light": 1, "heavy": 2, "same": 2}, "puck", 0, 1, certain=True),
}


class Bridge(Model):
    """A bridge holds a light walker and breaks under a heavy one with one half, which its place does not show."""

    name, axes, actions, latents = "bridge", [{"name": "place", "max": 3, "discrete": True}], ["walk", "swim"], ["light", "heavy"]
    discount, horizon, reward_min, reward_max = 0.9, 4, -1, 1

    def start(self, latent, rng):
        return [0]

    def step(self, state, latent, action, rng):
        return [min(3, state[0] + 1)], 1 if action == 0 else 0, action == 0 and latent == 1 and rng.random() < 0.5

    def log_likelihood(self, state, action, after, latent):
        return 0 if after[0] == min(3, state[0] + 1) else -float("inf")


class Told(Bridge):
    def end_probability(self, state, action, after, latent):
        return 0.5 if action == 0 and latent == 1 else 0


class Sure(Bridge):
    """The bridge breaks under a heavy walker for sure: the package finds it out."""

    def step(self, state, latent, action, rng):
        return [min(3, state[0] + 1)], 1 if action == 0 else 0, action == 0 and latent == 1


class Short(Sure):
    horizon = 2


class Silent(Bridge):
    ended = True


CASES.update(told=Told, sure=Sure, short=Short, silent=Silent)

if __name__ == "__main__":
    serve(CASES[sys.argv[1]]())
