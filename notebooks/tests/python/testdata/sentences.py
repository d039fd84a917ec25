"""Prints what a model is told that says or returns what it should not, by the name of the mistake."""
import io
import json
import sys

import bayescpace


class Walk(bayescpace.Model):
    name, axes, actions, latents = "walk", [{"name": "x", "min": -9, "max": 9}], ["go", "rest"], ["dry", "wet"]

    def start(self, latent, rng):
        return [0.0]

    def step(self, state, latent, action, rng):
        return [0.5], 0.25, False

    def log_likelihood(self, state, action, after, latent):
        return 0.0


class Kind:
    def __init__(self, kind):
        self.kind = kind


class Scalar:
    """A number as numpy has it, which may be masked, or a time."""

    def __init__(self, value, kind="f", mask=False):
        self.value, self.dtype, self.mask = value, Kind(kind), mask

    def item(self):
        return self.value

    def __repr__(self):
        return "masked" if self.mask else "time"


def answers(model):
    requests = [
        {"ask": "hello"}, {"ask": "start", "latents": [0], "seeds": [1]}, {"ask": "step", "states": [[1]], "latents": [0], "actions": [1], "seeds": [1]},
        {"ask": "likelihood", "states": [[1]], "actions": [1], "next": [[2]]},
    ]
    out = io.StringIO()
    bayescpace.serve(model, [json.dumps(dict(request, id=i)) for i, request in enumerate(requests)], out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def said(**what):
    """Returns the first error of a walk with these attributes, and for step, start and log_likelihood with these answers; the last answer where there is none."""
    made = {name: (lambda *_, x=x: x) if name in ("start", "step", "log_likelihood", "end_probability") and not callable(x) else x for name, x in what.items()}
    got = answers(type("Walk", (Walk,), made)())
    return next((answer["error"] for answer in got if "error" in answer), got[2:])


out = {
    "class": answers(Walk)[0]["error"],
    "axes": said(axes={"name": "x"}), "axis": said(axes=["x"]), "bound": said(axes=[{"name": "x", "max": "9"}]), "endless": said(axes=[{"name": "x", "max": float("inf")}]),
    "actions": said(actions="go"), "action": said(actions=["go", 2]), "latents": said(latents={"dry": 0, "wet": 1}), "latent": said(latents=[0.5, 1.5]),
    "prior": said(prior="even"), "discount": said(discount="0.9"), "horizon": said(horizon=2.5), "goal": said(goal="yes"), "ended": said(ended="no"),
    "takes": said(step=lambda self, state, action: 0),
    "no start": said(start=5), "a word": said(start="0"), "start of two": said(start=(0, 1)), "entry": said(start=[None]),
    "two": said(step=([1], 0)), "four": said(step=([1], 0, False, {})), "nothing": said(step=None), "dict": said(step=({0: 1}, 0, False)), "scalar": said(step=(1.0, 0, False)),
    "reward": said(step=([1], None, False)), "reward text": said(step=([1], "1", False)), "end": said(step=([1], 0, "False")), "no end": said(step=([1], 0, None)),
    "masked": said(step=([1], Scalar(0.0, mask=True), False)), "masked entry": said(start=[Scalar(0.0, mask=True)]), "masked end": said(step=([1], 0, Scalar(False, "b", True))),
    "time": said(step=([1], Scalar(1, "m"), False)),
    "log": said(log_likelihood=None), "log text": said(log_likelihood="-1"), "log complex": said(log_likelihood=1j), "chance": said(end_probability=1.5),
    "fine": said(start=(0,), step=((1,), 1, 0), horizon=10.0, log_likelihood=-float("inf")),
}


class Space:
    def __init__(self, **what):
        self.__dict__.update(what)

    def __repr__(self):
        return "Maze"


class World:
    def __init__(self, acts=None, seen=None, state=0.5):
        self.action_space, self.observation_space, self.state = acts or Space(n=2), seen or Space(low=[0], high=[1]), state
        if state is None:
            del self.state

    unwrapped = property(lambda self: self)

    def reset(self, seed=None):
        return 0, {}

    def step(self, action):
        return 0, 0, False, False, {}


def gym(actions=None, axes=None, latents=None, **what):
    try:
        model = bayescpace.GymnasiumModel(lambda _: World(**what), latents or {"one": 1}, "world", 0, 1, actions=actions, axes=axes)
    except bayescpace.ModelError as error:
        return str(error)
    return next((answer["error"] for answer in answers(model)[:3] if "error" in answer), model.actions)


out.update({
    "gym actions": gym(acts=Space()), "gym axes": gym(seen=Space()), "gym bounds": gym(seen=Space(low=[0], high=[float("inf")])),
    "gym endless": gym(acts=Space(low=[-float("inf")], high=[1])), "gym four controls": gym(acts=Space(low=[0] * 4, high=[1] * 4)),
    "gym many": gym(acts=Space(n=9, shape=(9,))), "gym wide": gym(acts=Space(n=2**40)), "gym names": gym(acts=Space(nvec=[2, 3]), actions=["a", "b"]), "gym controls": gym(acts=Space(low=[0], high=[1]), actions=["a", "b"]),
    "gym no state": gym(state=None), "gym strange state": gym(state={"x": 1}), "gym long state": gym(state=[1, [2, 3]]), "gym latents": gym(latents=[1, 2]),
    "gym given": gym(acts=Space(), actions={"up": {"move": 1}, "down": {"move": -1}}), "gym joint": gym(acts=Space(nvec=[2, 2], start=[0, 7])),
})
json.dump(out, sys.stdout)
