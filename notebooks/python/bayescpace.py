"""Simulators in Python for Bayes-CPACE, and its command line from Python.

A simulator is a class with a step:

    import bayescpace

    class Walk(bayescpace.Model):
        name = "walk"
        axes = [{"name": "x", "unit": "m", "min": -10, "max": 10}]
        actions = ["back", "stay", "forward"]
        latents = ["left", "right"]
        discount = 0.9
        reward_min, reward_max = -1, 1

        def start(self, latent, rng):
            return [0.0]

        def step(self, state, latent, action, rng):
            x = state[0] + action - 1 + (-0.3, 0.3)[latent] + rng.gauss(0, 0.2)
            return [x], -abs(x) / 10, abs(x) > 5  # next state, reward, whether the episode ends

        def log_likelihood(self, state, action, after, latent):
            return -((after[0] - state[0] - action + 1 - (-0.3, 0.3)[latent]) / 0.2) ** 2 / 2

    if __name__ == "__main__":
        bayescpace.serve(Walk())

and, from another program or a notebook,

    bayescpace.check(process="python3 walk.py")
    bayescpace.solve(process="python3 walk.py", algorithm="policy-search")

Agent plays what was found in a world of yours.

Only the standard library is needed. GymnasiumModel makes a simulator of an environment of Gymnasium.
"""

import collections
import copy
import inspect
import itertools
import json
import math
import os
import random
import shlex
import shutil
import subprocess
import sys
import tempfile
import traceback

PROTOCOL = 1
ENDED = {"name": "ended", "min": 0, "max": 1, "discrete": True}


class ModelError(ValueError):
    """What a model says of itself or returns is not what it should be. The text says what would be right."""


class Model:
    """A simulator. Its attributes describe the model, and its methods draw.

    axes, actions, latents, prior and the rest are what bcpace/process/README.md says of the
    description of a model. latent and action are numbers that count from 0; where an action has a box,
    every action is a pair of its number and a list, its control. rng is a random.Random: draw all
    random numbers from it, and keep nothing from one call to the next.

    Whether an episode ends may depend on the latent where the next state does not show it: a hole is
    where the walker falls, and the place is the same if there is none. That an episode goes on then
    tells of the latent. Give the class a method end_probability(state, action, after, latent), the
    probability that the episode ends with this step. The state gets a last axis for it, called ended, which
    is 1 after the last step and 0 before. Methods of the class do not see the axis. Where all axes are
    discrete and step draws nothing, this needs no method: the package tries the model and finds the ends
    by itself. ended = True gives the state the axis in any case, and ended = False never.
    """

    name = "model"
    axes = ()
    actions = ()
    latents = ()
    prior = None
    discount = 0.95
    horizon = 0
    goal = False
    reward_min = 0.0
    reward_max = 1.0
    ended = None

    def start(self, latent, rng):
        """Returns the state in which an episode starts, a list of numbers."""
        raise NotImplementedError("the model has no method start(latent, rng)")

    def step(self, state, latent, action, rng):
        """Returns the next state, the reward, and whether the episode ends there."""
        raise NotImplementedError("the model has no method step(state, latent, action, rng)")

    # A model that knows its likelihoods has a method log_likelihood(state, action, after, latent), and
    # one whose start depends on the latent a method start_log_likelihood(state, latent).


def serve(model, requests=None, answers=None):
    """Answers requests on standard input until it ends. print() writes to standard error meanwhile."""
    requests, answers = requests or sys.stdin, answers or sys.stdout
    printed, sys.stdout = sys.stdout, sys.stderr
    served = None
    try:
        for line in requests:
            request = json.loads(line)
            try:
                served = served or _Served(model)
                answer = json.dumps(dict(served.answer(request), id=request["id"]), allow_nan=False)
            except Exception as fault:
                traceback.print_exc()
                answer = json.dumps({"id": request["id"], "error": _words(fault)})
            answers.write(answer + "\n")
            answers.flush()
    finally:
        sys.stdout = printed


def _words(fault):
    """Says what an exception is, and where in the user's code it was raised."""
    if isinstance(fault, ModelError):
        return str(fault)
    at = traceback.extract_tb(fault.__traceback__)[-1]
    if isinstance(fault, ValueError) and "JSON compliant" in str(fault):
        return "a state, reward or likelihood is infinite or not a number"
    return f"{type(fault).__name__}: {fault} ({os.path.basename(at.filename)}, line {at.lineno})"


def describe(model):
    """Returns the description of a model, as the answer to hello has it."""
    return _Served(model).about


class _Served:
    """A model whose answers are looked at before they are given, and whose state has the axis ended where that tells something."""

    def __init__(self, model):
        if isinstance(model, type):
            raise ModelError(f"serve was given the class {model.__name__}, want a model of it: serve({model.__name__}())")
        for name, takes in _METHODS.items():
            _takes(model, name, takes)
        self.model, self.about = model, _description(model)
        self.whole = [bool(axis.get("discrete") or axis.get("labels")) for axis in self.about["axes"]]
        self.ends = self._has_ends()
        if self.ends:
            self.about["axes"] = [*self.about["axes"], ENDED]

    def answer(self, request):
        """Returns the answer to a request, without its id."""
        ask = request["ask"]
        if ask == "hello":
            return {"protocol": PROTOCOL, "model": self.about}
        if ask == "check":
            return {"notes": self.model.check_notes()}
        latents = range(len(self.about["latents"]))
        if ask == "start":
            seeds = map(random.Random, request["seeds"])
            return {"states": [self._with_end(self._start(l, rng), False) for l, rng in zip(request["latents"], seeds)]}
        states = [self._read(s) for s in request["states"]]
        if ask == "start_likelihood":
            return {"log": [[_log(self.model.start_log_likelihood(s, l), "start_log_likelihood") for l in latents] for s in states]}
        actions = request["actions"]
        if "controls" in request:
            actions = list(zip(actions, request["controls"]))
        if ask == "step":
            seeds = map(random.Random, request["seeds"])
            steps = [self._step(*x) for x in zip(states, request["latents"], actions, seeds)]
            return {
                "next": [self._with_end(after, done) for after, _, done in steps],
                "reward": [reward for _, reward, _ in steps],
                "done": [done for _, _, done in steps],
            }
        if ask == "likelihood":
            triples = zip(states, actions, request["next"])
            return {"log": [[_null(self._log_likelihood(s, a, after, l)) for l in latents] for s, a, after in triples]}
        raise ValueError(f"it does not know how to answer {ask!r}")

    def _read(self, values):
        """Returns a state as the methods of the model take it: whole numbers where axes are discrete."""
        return [int(x) if whole else float(x) for x, whole in zip(values, self.whole)]

    def _with_end(self, state, done):
        return [*state, float(done)] if self.ends else state

    def _state(self, values, method):
        names = ", ".join(axis["name"] for axis in self.about["axes"][: len(self.whole)])
        entries = _entries(values)
        if entries is None or len(entries) != len(self.whole):
            raise ModelError(f"{method} returned the state {_shown(values)}, want {_count(len(self.whole), 'number')} in a list, one for each axis ({names})")
        return [_number(x, f"{method} returned a state with the entry {{}}") for x in entries]

    def _start(self, latent, rng):
        return self._state(self.model.start(latent, rng), "start")

    def _step(self, state, latent, action, rng):
        got = self.model.step(state, latent, action, rng)
        if not isinstance(got, (tuple, list)) or len(got) != 3:
            raise ModelError(f"step returned {_shown(got)}, want three things: the next state, the reward, and whether the episode ends there")
        after, reward, done = got
        return self._state(after, "step"), _number(reward, "step returned the reward {}"), _flag(done, "step returned {} for the end of the episode")

    def _log_likelihood(self, state, action, after, latent):
        log = _log(self.model.log_likelihood(state, action, self._read(after), latent), "log_likelihood")
        if not self.ends or log is None:
            return log
        p = self._end_probability(state, action, self._read(after), latent)
        p = p if after[-1] else 1 - p
        return log + math.log(p) if p > 0 else None

    def _end_probability(self, state, action, after, latent):
        """Returns the probability of an end: that of the model, or whether a step ends that draws nothing."""
        if hasattr(self.model, "end_probability"):
            p = _number(self.model.end_probability(state, action, after, latent), "end_probability returned {}")
            if not 0 <= p <= 1:
                raise ModelError(f"end_probability returned {p}, want a probability, from 0 to 1")
            return p
        rng = _Watched(0)
        done = self._step(state, latent, action, rng)[2]
        if rng.used:
            raise ModelError("the end of an episode tells of the latent, and step draws random numbers: "
                             "give the model a method end_probability(state, action, after, latent), the probability that the episode ends with this step")
        return float(done)

    def _has_ends(self):
        """Reports whether the state has the axis ended: as the model says, and otherwise as it is found out."""
        if self.model.ended is not None or hasattr(self.model, "end_probability"):
            return _flag(self.model.ended, "the attribute ended is {}") if self.model.ended is not None else True
        certain = getattr(self.model, "certain", False)
        if not self.about["likelihood"] or len(self.about["latents"]) < 2 or not (certain or all(self.whole)):
            return False
        if any(axis["name"] == ENDED["name"] for axis in self.about["axes"]):
            return False
        try:
            return self._ends_tell()
        except Exception:  # which is raised again where it is answered for
            return False

    def _ends_tell(self, starts=4, steps=1000):
        """Reports whether an episode ends under one latent and goes on under another, in the same next state.

        It goes through states in which several latents are possible: where the next states differ, they tell enough.
        """
        latents, todo = range(len(self.about["latents"])), collections.deque()
        for seed, latent in itertools.product(range(starts), latents):
            state = self._start(latent, random.Random(seed))
            likely = latents
            if self.about["start_likelihood"]:
                likely = [l for l in latents if _log(self.model.start_log_likelihood(self._read(state), l), "start_log_likelihood") is not None]
            todo.append((tuple(state), tuple(likely)))
        seen, oldest = set(todo), True
        while todo:
            state, likely = todo.popleft() if oldest else todo.pop()  # some of the way broad, some of it deep
            oldest = not oldest
            for action in _tried(self.about["actions"]):
                if steps < len(likely):
                    return False
                steps -= len(likely)
                together = collections.defaultdict(list)
                for latent in likely:
                    rng = _Watched(0)
                    after, _, done = self._step(self._read(state), latent, action, rng)
                    together[tuple(after)].append((latent, done, rng.used))
                for after, outcomes in together.items():
                    if len({done for _, done, used in outcomes if not used}) == 2:
                        return True
                    on = (after, tuple(latent for latent, done, _ in outcomes if not done))
                    if len(on[1]) > 1 and on not in seen and self._on_axes(after):
                        seen.add(on)
                        todo.append(on)
        return False

    def _on_axes(self, state):
        return all(axis["min"] <= x <= axis["max"] for x, axis in zip(state, self.about["axes"]))


class _Watched(random.Random):
    """A source of random numbers that knows whether it was used."""

    used = False

    def random(self):
        self.used = True
        return super().random()

    def getrandbits(self, k):
        self.used = True
        return super().getrandbits(k)


_METHODS = {
    "start": "latent, rng", "step": "state, latent, action, rng", "log_likelihood": "state, action, after, latent",
    "start_log_likelihood": "state, latent", "end_probability": "state, action, after, latent",
}


def _takes(model, name, takes):
    """Checks that a method of a model, if it has it, takes what it is called with."""
    method = getattr(model, name, None)
    if method is None:
        return
    try:
        inspect.signature(method).bind(*takes.split(", "))
    except TypeError:
        raise ModelError(f"the method {name} takes {inspect.signature(method)}, want {name}(self, {takes})") from None
    except ValueError:  # of what has no signature
        pass


def _description(model):
    """Returns the description of a model, without the axis ended."""
    about = {
        "name": _text(model.name, "the attribute name is"),
        "axes": [_axis(x, "axes") for x in _list(model.axes, "axes", AXES)],
        "actions": [_action(x) for x in _list(model.actions, "actions", "a list of names, such as [\"left\", \"right\"]")],
        "latents": [_text(x, "the attribute latents has", "names, which are strings") for x in _list(model.latents, "latents", "a list of names, such as [\"light\", \"heavy\"]")],
        "discount": _number(model.discount, "the attribute discount is {}"), "horizon": _whole(model.horizon, "the attribute horizon is {}"),
        "goal": _flag(model.goal, "the attribute goal is {}"),
        "reward_min": _number(model.reward_min, "the attribute reward_min is {}"), "reward_max": _number(model.reward_max, "the attribute reward_max is {}"),
        "likelihood": hasattr(model, "log_likelihood"), "start_likelihood": hasattr(model, "start_log_likelihood"),
    }
    if hasattr(model, "check_notes"):
        about["check"] = True
    if model.prior is not None:
        prior = _list(model.prior, "prior", f"a list of {len(about['latents'])} probabilities, one for each latent")
        about["prior"] = [_number(p, "the attribute prior has the entry {}") for p in prior]
    return about


AXES = "a list of dicts, one for each axis, such as [{\"name\": \"x\", \"min\": -1, \"max\": 1}]"


def _axis(axis, attribute):
    if not isinstance(axis, dict) or "name" not in axis:
        raise ModelError(f"the attribute {attribute} has {_shown(axis)}, want {AXES}")
    out = dict(axis, name=_text(axis["name"], "the name of an axis is"))
    what = f"the axis {out['name']!r} has a"
    for key in ("min", "max", "period"):
        if key in axis or key != "period":
            out[key] = _number(axis.get(key, 0), f"{what} {key} of {{}}", "a finite number")
            if not math.isfinite(out[key]):
                raise ModelError(f"{what} {key} of {out[key]}, want a finite number")
    if "scale" in axis:
        out["scale"] = "inf" if axis["scale"] in ("inf", math.inf) else _number(axis["scale"], f"{what} scale of {{}}", "a number or \"inf\"")
    if "discrete" in axis:
        out["discrete"] = _flag(axis["discrete"], f"{what} value of {{}} for discrete")
    if "labels" in axis:
        out["labels"] = [_text(x, "the labels of an axis have") for x in _list(axis["labels"], "labels", "a list of names")]
    return out


def _action(action):
    if isinstance(action, dict):
        box = _list(action.get("box", ()), "box of an action", AXES)
        return dict(action, name=_text(action.get("name"), "the name of an action is"), box=[_axis(x, "box of an action") for x in box])
    return _text(action, "the attribute actions has", "names, which are strings, or dicts with name and box")


def _tried(actions):
    """Returns the actions with which a model is tried: of a box its corners and its middle."""
    for i, action in enumerate(actions):
        if not any(isinstance(x, dict) for x in actions):
            yield i
            continue
        box = action.get("box", ()) if isinstance(action, dict) else ()
        for part in (0, 1, 0.5):
            yield i, [(1 - part) * axis.get("min", 0) + part * axis.get("max", 0) for axis in box]


def _shown(value):
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _said(say, value):
    return say.replace("{}", _shown(value))


def _count(n, thing):
    return f"{n} {thing}" + ("s" if n != 1 else "")


def _plain(value):
    """Returns a value of numpy as Python has it; None for one that is masked, and for a time."""
    try:
        if not hasattr(value, "dtype"):
            return value
        masked = getattr(value, "mask", False)
        return None if getattr(value.dtype, "kind", "f") in "mM" or getattr(masked, "any", lambda: masked)() else value.item()
    except (ValueError, RuntimeError):  # of an array of several
        return value


def _number(value, say, want="a number"):
    plain = _plain(value)
    try:
        if isinstance(plain, (str, bytes)):
            raise TypeError
        return float(plain)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{_said(say, value)}, want {want}") from None


def _whole(value, say):
    x = _number(value, say, "a whole number")
    if not x.is_integer():
        raise ModelError(f"{_said(say, value)}, want a whole number")
    return int(x)


def _flag(value, say):
    plain = _plain(value)
    if isinstance(plain, (bool, int, float)) and plain in (0, 1):
        return bool(plain)
    raise ModelError(f"{_said(say, value)}, want True or False")


def _text(value, what, want="a string"):
    if not isinstance(value, str):
        raise ModelError(f"{what} {_shown(value)}, want {want}")
    return value


def _entries(values):
    """Returns the entries of a list, a tuple or an array of one axis; None for what is none of these."""
    if isinstance(values, (str, bytes, dict, set, frozenset)) or getattr(values, "ndim", 1) != 1 or not hasattr(values, "__iter__"):
        return None
    return list(values)


def _list(values, attribute, want):
    entries = _entries(values)
    if entries is None:
        raise ModelError(f"the attribute {attribute} is {_shown(values)}, want {want}")
    return entries


def _log(value, method):
    """Returns a logarithm, None for that of 0."""
    return _null(_number(value, f"{method} returned {{}}", "the logarithm of a probability, a number, which is -math.inf for what cannot be"))


def _null(log):
    return None if log == -math.inf else log


class GymnasiumModel(Model):
    """A simulator of environments of Gymnasium that differ in something unknown, such as a length.

    make(value) makes the environment for a value, and latents has the values by their names. The model
    can set an environment to any state: by default it reads and writes env.unwrapped.state, as the
    environments of classic control have it, in the form that it has there (a number, a tuple, an array of any shape);
    otherwise give get_state(env) and set_state(env, state). A state that is read may be a number, a list or an array;
    set_state is given a list, with whole numbers where axes are discrete. All that the environment goes on from must be in it: a
    wrapper with a memory, such as StickyAction, loses it each time the state is set. bayescpace.check looks for that.

    Axes and actions come from the spaces of the environment where these say enough: Discrete, MultiDiscrete, MultiBinary
    and a Box with bounds. Give axes where an observation is not the state, or has no bounds. actions may be a list of names, in
    the order of the actions of the space, or a dict of names and the values for env.step, which goes with any space.

    An episode ends where the environment terminates it. A limit of time is the horizon here, as the state does
    not hold the time. certain says that a step draws nothing, as those of classic control: likelihoods are then known, 1
    for what follows and 0 for all else. They are compared at the precision of the numbers of the environment, 32 bits
    where its state, its action or its observation has these. ended is as in Model: where the end of an episode tells
    of the latent what the next state does not, a model that is certain finds it out.

    envs are the environments, by latent, for a log_likelihood of a subclass. What the toy text environments return as
    info["prob"] is the probability of the one entry of env.unwrapped.P that was drawn, not that of the next state,
    to which several entries may lead: a likelihood is the sum over all entries of P with that next state.
    """

    def __init__(self, make, latents, name, reward_min, reward_max, discount=0.99, horizon=0, prior=None,
                 axes=None, actions=None, get_state=None, set_state=None, certain=False, ended=None):
        if not hasattr(latents, "items") or not latents:
            raise ModelError(f"latents is {_shown(latents)}, want a dict of the name of each latent and its value for make")
        self.name, self.latents, self.prior, self.ended = name, list(latents), prior, ended
        self.reward_min, self.reward_max, self.discount, self.horizon = reward_min, reward_max, discount, horizon
        self.certain, self._make, self._value_of = certain, make, list(latents.values())
        self.envs = [self._made(value) for value in self._value_of]
        env = self.envs[0]
        self._get, self._get_name = get_state or _get_state, "get_state returned" if get_state else "env.unwrapped.state is"
        self._set = set_state or self._set_state
        self.axes = axes or _axes(env.observation_space)
        self.actions, self._values = _actions(env.action_space, actions)
        self._form, self._precision = None, 0.0
        self._learn_form(env)
        if certain:
            self.log_likelihood = self._follows

    def _made(self, value):
        env = self._make(value)
        if not hasattr(env, "reset"):
            raise ModelError(f"make returned {_shown(env)} for {_shown(value)}, want an environment of Gymnasium")
        return env

    def _learn_form(self, env):
        """Notes the form of the state in the environment, and the precision of its numbers."""
        spaces = [getattr(space, "dtype", None) for space in (env.observation_space, env.action_space)]
        states = []
        try:
            env.reset(seed=0)
            states.append(copy.deepcopy(self._get(env)))
            env.step(self._action(next(_tried(self.actions))))
            states.append(copy.deepcopy(self._get(env)))
        except Exception:  # which is raised again where a step is asked for
            pass
        kinds = [*spaces, *(x for state in states for x in _kinds(state))]
        self._precision = max(_epsilon(kind) for kind in [float, *kinds])
        if len(states) == 2 and self._set == self._set_state:
            self._form = _finer(*states)

    def _state(self, env):
        got = self._get(env)
        flat = _flat(got)
        if flat is None:
            raise ModelError(f"{self._get_name} {_shown(got)}, want numbers: give get_state and set_state")
        if len(flat) != len(self.axes):
            names = ", ".join(str(axis.get("name")) for axis in self.axes)
            raise ModelError(f"{self._get_name} {_shown(got)}, {_count(len(flat), 'number')}, and the axes of the model are {len(self.axes)} ({names}): give axes, one for each number of the state, or get_state and set_state")
        return flat

    def _set_state(self, env, state):
        inner = env.unwrapped
        if not hasattr(inner, "state"):
            raise ModelError(NO_STATE)
        inner.state = _like(inner.state if self._form is None else self._form, iter(state))

    def _put(self, env, state):
        self._set(env, [int(x) if axis.get("discrete") else float(x) for x, axis in zip(state, self.axes)])

    def _action(self, action):
        """Returns an action as env.step takes it."""
        if self._values is not None:
            return copy.copy(self._values[action])
        return _like(self.envs[0].action_space.low, iter(action[1]))

    def _follows(self, state, action, after, latent):
        return 0.0 if self._same(state, self.step(state, latent, action, None)[0], after) else -math.inf

    def _same(self, state, one, two):
        """Reports whether two states that follow a state are the same, at the precision of the environment."""
        largest = max([1.0, *map(abs, state), *map(abs, one)])
        for x, y, axis in zip(one, two, self.axes):
            most = 0 if axis.get("discrete") else 64 * self._precision * min(largest, max(abs(axis.get("min", 0)), abs(axis.get("max", 0))))
            if not abs(x - y) <= most:
                return False
        return True

    def start(self, latent, rng):
        env = self.envs[latent]
        env.reset(seed=rng.getrandbits(31))
        return self._state(env)

    def step(self, state, latent, action, rng):
        env = self.envs[latent]
        env.reset(seed=0 if self.certain else rng.getrandbits(31))
        self._put(env, state)
        _, reward, terminated, _, _ = env.step(self._action(action))
        return self._state(env), reward, terminated

    def check_notes(self, episodes=8, steps=30):
        """Plays episodes without setting states, and returns sentences on what comes out otherwise where they are set."""
        notes = []
        for latent, value in list(enumerate(self._value_of))[:8]:
            real, name = self._made(value), self.latents[latent]
            for episode in range(episodes):
                real.reset(seed=episode)
                rng = random.Random(episode)
                for t in range(steps):
                    found = self._compared(real, latent, rng.choice(list(_tried(self.actions))), f"under latent {name!r}, after {t} steps of an episode,")
                    if found is None:
                        break
                    if found:
                        notes.append(found)
                        break
                if notes:
                    return notes
        return notes

    def _compared(self, real, latent, action, where):
        """Takes a step of an episode, and from a state that is set; returns how they differ, "" if they do not, None at the end."""
        env, before = self.envs[latent], self._state(real)
        env.reset(seed=4711)
        self._put(env, before)
        back = self._state(env)
        if not self._same(before, before, back):
            raise ModelError(f"{where} set_state was given {before}, and then get_state returned {back}: want the same at the precision of the environment")
        shared = _share_random(real, env)
        if not (shared or self.certain):
            return None
        outcomes = []
        for world in (real, env):
            _, reward, terminated, truncated, _ = world.step(self._action(action))
            outcomes.append((self._state(world), float(_plain(reward)), bool(terminated)))
            if world is real:
                over = terminated or truncated
        (after, reward, ended), (again, pays, ends) = outcomes
        moved = max(abs(x - y) for x, y in zip(before, after))
        close = max(abs(x - y) for x, y in zip(after, again)) <= moved / 100
        if not self._same(before, after, again) and self.certain and close and ended == ends:
            raise ModelError(f"{where} the environment goes from {before} to {after}, and to {again} where it is set to that state first: that is the same but for rounding, and "
                             "the likelihood of what follows is 0; have get_state and set_state keep all digits of the state")
        if self._same(before, after, again) and ended == ends and abs(reward - pays) <= 1e-5 * max(1.0, abs(reward)):
            return None if over else ""
        shown = f"{self.actions[action]!r}" if self._values is not None else f"{action[1]}"
        wrappers = _wrappers(real)
        return (f"{where} the environment goes from {before} with action {shown} to {after} (reward {reward:g}{', the end' if ended else ''}), "
                f"and to {again} (reward {pays:g}{', the end' if ends else ''}) where it is set to that state first: it has a memory that the state does not hold, and loses it where the state is set. "
                + (f"Its wrappers are {', '.join(wrappers)}. " if wrappers else "")
                + "Put all that it goes on from into get_state, set_state and axes, or leave a wrapper with a memory out")


NO_STATE = "the environment has no attribute state: give get_state and set_state"
MOST_ACTIONS = 256  # that are listed of a space whose actions are made of several numbers
MOST_OF_ONE = 2**16  # the same of one number


def _get_state(env):
    if not hasattr(env.unwrapped, "state"):
        raise ModelError(NO_STATE)
    return env.unwrapped.state


def _flat(value):
    """Returns the numbers in a number, an array, or lists of these; None where there is something else."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        parts = [_flat(x) for x in value]
        return None if None in parts else [x for part in parts for x in part]
    return [value] if isinstance(value, (bool, int, float)) else None


def _kinds(value):
    """Returns the kinds of numbers of numpy in a value."""
    if isinstance(value, (list, tuple)):
        return [kind for x in value for kind in _kinds(x)]
    return [value.dtype] if hasattr(value, "dtype") else []


def _epsilon(kind):
    """Returns the rounding of a kind of number, at 1."""
    if getattr(kind, "kind", "") != "f":
        return sys.float_info.epsilon
    return 2.0 ** -{2: 10, 4: 23}.get(kind.itemsize, 52)


def _finer(first, later):
    """Returns a state in the form of the later one, with whole numbers or few digits only where both have these."""
    if isinstance(first, (list, tuple)) and isinstance(later, (list, tuple)) and len(first) == len(later):
        parts = [_finer(x, y) for x, y in zip(first, later)]
        return type(later)(*parts) if hasattr(later, "_fields") else type(later)(parts)
    kinds = _kinds(first) if hasattr(first, "dtype") else [type(x) for x in _flat(first) or ()]
    if hasattr(later, "astype"):
        for kind in kinds:
            later = later + _zero(kind)
        return later
    if isinstance(later, int) and float in kinds:
        return float(later)
    return later


def _zero(kind):
    return kind.type(0) if hasattr(kind, "type") else kind(0)


def _like(form, numbers):
    """Returns numbers in the form of a value: a number, an array, or lists of these. Whole ones stay whole where all are."""
    if isinstance(form, (list, tuple)):
        parts = [_like(x, numbers) for x in form]
        return type(form)(*parts) if hasattr(form, "_fields") else type(form)(parts)
    if getattr(form, "ndim", 0) > 0 or hasattr(form, "ndim") and hasattr(form, "__setitem__"):  # an array, also of no axis
        values = list(itertools.islice(numbers, form.size))
        whole = form.dtype.kind not in "iu" or all(x == int(x) for x in values)
        made = form.copy() if whole else form.astype(float)
        made.flat = values
        return made
    x = next(numbers)
    if isinstance(form, bool) or getattr(getattr(form, "dtype", None), "kind", "") == "b":
        return type(form)(x)
    if isinstance(form, int) or getattr(getattr(form, "dtype", None), "kind", "") in ("i", "u"):
        return type(form)(x) if x == int(x) else x
    return type(form)(x) if hasattr(form, "dtype") else float(x)


def _share_random(real, env):
    """Has an environment draw what another one draws next. Reports whether it can."""
    try:
        env.unwrapped.np_random.bit_generator.state = real.unwrapped.np_random.bit_generator.state
        return True
    except AttributeError:
        return False


def _wrappers(env):
    """Returns the names of the wrappers of an environment, but for those of gymnasium.make."""
    names = []
    while env is not env.unwrapped and hasattr(env, "env"):
        names.append(type(env).__name__)
        env = env.env
    return [name for name in names if name not in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")]


def _choices(space):
    """Returns the values of each number of a space of whole numbers; None for another space."""
    if hasattr(space, "nvec"):
        sizes = _flat(space.nvec)
        starts = _flat(getattr(space, "start", 0))
        starts = starts if len(starts) == len(sizes) else [0] * len(sizes)
        return [range(start, start + n) for start, n in zip(starts, sizes)]
    if hasattr(space, "n"):
        if getattr(space, "shape", None):  # MultiBinary
            return [range(2)] * math.prod(space.shape)
        first = int(getattr(space, "start", 0))
        return [range(first, first + int(space.n))]
    if hasattr(space, "low") and getattr(getattr(space, "dtype", None), "kind", "") in ("i", "u", "b"):
        return [range(int(lo), int(hi) + 1) for lo, hi in zip(_flat(space.low), _flat(space.high))]
    return None


def _actions(space, given):
    """Returns the actions of a space and their values for env.step, which is None for a box of controls."""
    if isinstance(given, dict):
        return list(given), list(given.values())
    named, wish = f"the action_space is {_shown(space)}", "give actions, a dict of the name of each action that is of use and its value for env.step"
    choices = _choices(space)
    if choices is None:
        if not hasattr(space, "low"):
            raise ModelError(f"{named}, whose actions are not listed: {wish}")
        box = _axes(space, "action_space", wish)
        if len(box) > 3:
            raise ModelError(f"{named}, of {len(box)} numbers, and an action has three at most: {wish}")
        if given is not None and not (len(given) == 1 and isinstance(given[0], dict) and len(given[0].get("box", ())) == len(box)):
            raise ModelError(f"{named}, and actions is {_shown(given)}, want a list of one dict with name and box, which has {len(box)} axes; or {wish}")
        return given or [{"name": "act", "box": box}], None
    count, most = math.prod(c.stop - c.start for c in choices), MOST_ACTIONS if len(choices) > 1 else MOST_OF_ONE
    if given is None and count > most:
        raise ModelError(f"{named}, which has {count} {'joint ' if len(choices) > 1 else ''}actions, and {most} are listed at most: {wish}")
    if given is not None and len(given) != count:
        raise ModelError(f"{named}, which has {count} actions, and actions has {len(given)} names: give a name for each, or {wish[5:]}")
    joint = list(itertools.product(*choices))
    names = given or ["action " + ",".join(map(str, values)) for values in joint]
    if len(choices) == 1 and not getattr(space, "shape", None):
        return names, [value for value, in joint]
    return names, [_array(space, values) for values in joint]


def _array(space, values):
    if not hasattr(space, "dtype"):
        return values
    import numpy  # which made the space
    return numpy.array(values, dtype=space.dtype).reshape(space.shape)


def _axes(space, which="observation_space", wish="give axes, and get_state and set_state where the state is not env.unwrapped.state"):
    """Returns the axes of a space of numbers, as far as it has bounds."""
    choices, named = _choices(space), f"the {which} is {_shown(space)}"
    if choices is not None:
        bounds = [(c.start, c.stop - 1) for c in choices]
    elif hasattr(space, "low"):
        bounds = [(float(lo), float(hi)) for lo, hi in zip(_flat(space.low), _flat(space.high))]
    else:
        raise ModelError(f"{named}, which has no axes: {wish}")
    alone = hasattr(space, "n") and not getattr(space, "shape", None)
    axes = [{"name": "state" if alone else f"x{i}", "min": lo, "max": hi} for i, (lo, hi) in enumerate(bounds)]
    for axis in axes:
        largest = max(abs(axis["min"]), abs(axis["max"]))
        if not math.isfinite(largest) or largest > (1e30 if choices is None else 2**53):
            raise ModelError(f"{named}, which has no bounds for {axis['name']}: {wish}")
        if choices is not None:
            axis["discrete"] = True
    return axes


class CommandError(RuntimeError):
    """The command bcpace has failed; the text is what it wrote on standard error."""


def command(path=None):
    """Returns the command bcpace: path, what the environment variable BCPACE says, or that on PATH."""
    given = path or os.environ.get("BCPACE")
    found = shutil.which(given or "bcpace")
    if found is None:
        where = f"{given!r} is no command" if given else "there is no command bcpace on PATH"
        raise FileNotFoundError(f"{where}: build it in a clone (go build ./bcpace/cmd/bcpace), and give its path, or set BCPACE to it")
    return found


def run(verb, path=None, **flags):
    """Runs a verb of bcpace and returns its JSON. Flags have the names of the command line, with _ for -.

    A value of True is a flag without a value, and None is no flag. set is a dict of parameters; process
    may be a list of words, or a string of words with quotes around those that have spaces.
    """
    words = [command(path), *verb.split(), "--json", *_flags(flags)]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CommandError(done.stderr.strip() or f"bcpace ended with exit code {done.returncode}")
    return json.loads(done.stdout)


def _flags(flags):
    """Returns flags as words of a command line."""
    words = []
    for name, value in flags.items():
        name = "--" + name.replace("_", "-")
        if name == "--set":
            for key, x in value.items():
                words += [name, f"{key}={x}"]
        elif name == "--process" and not isinstance(value, str):
            words += [name, shlex.join(map(str, value))]
        elif value is True:
            words.append(name)
        elif value is not None and value is not False:
            words += [name, str(value)]
    return words


def solve(path=None, **flags):
    """Finds a policy and its value: solve(env="tiger", set={"accuracy": 0.85}, seed=1, out="tiger.bcp")."""
    return run("solve", path, **flags)


def eval(path=None, **flags):
    """Plays episodes with a policy: eval(run="tiger.bcp", episodes=10000, horizon=100)."""
    return run("eval", path, **flags)


def check(path=None, **flags):
    """Tries a simulator against its contract: check(process="python3 walk.py")."""
    return run("check", path, **flags)


def _seen(state):
    """Returns a state as a list of numbers and labels."""
    if hasattr(state, "tolist"):
        state = state.tolist()
    if isinstance(state, (list, tuple)):
        return [x for part in state for x in _seen(part)]
    if isinstance(state, (str, int, float)):
        return [float(state) if isinstance(state, bool) else state]
    raise ModelError(f"the state is or has {_shown(state)}, want a number or a label for each axis of the model, in a list or an array")


class Agent:
    """A policy that was saved, in a world that is not simulated: it runs bcpace act, and asks it what to do.

        with bayescpace.Agent(run="tiger.bcp") as agent:
            choice = agent.begin([0])
            choice = agent.observe(reward=-1, next=[1])

    Flags are those of bcpace act, such as run or policy. A choice is a dict: action (its number), name, control (of a box of
    actions), belief (by latent) and more, see go doc ./bcpace/cmd/bcpace. A state is a list with a number, or a label, for each
    axis of the model, or what Gymnasium gives for one: a number or an array; of a policy for the tables of a model file, it is a value
    of each visible variable and then, in next, the observation. An episode may end at the horizon: what observe returns then has
    over = True, and no action. What cannot be answered raises CommandError, and changes nothing unless the process has ended. An Agent is
    for one thread.
    """

    def __init__(self, path=None, **flags):
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [command(path), "act", *_flags(flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )

    def begin(self, state):
        """Begins an episode in a state, and returns what to do there."""
        try:
            request = {"state": _seen(state)}
        except ModelError as fault:
            raise CommandError(str(fault)) from None
        return self._ask(request)

    def observe(self, reward, next, action=None):
        """Says what followed, and returns what to do now. action is a name or a number, where another one was taken than the last choice."""
        try:
            request = {"reward": _number(reward, "the reward is {}"), "next": _seen(next)}
            if isinstance(_plain(action), bool):
                raise ModelError(f"the action is {_shown(action)}, want its name or its number")
        except ModelError as fault:
            raise CommandError(str(fault)) from None
        if action is not None:
            request["action"] = _plain(action)
        return self._ask(request)

    def _ask(self, request):
        if self._process is None:
            raise CommandError("the agent is closed")
        try:
            text = json.dumps(request, allow_nan=False)
        except (TypeError, ValueError):
            raise CommandError(f"{_shown(request)} holds something else than texts and finite numbers") from None
        line = ""
        try:
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            pass
        if not line:
            self._process.wait()
            self._errors.seek(0)
            raise CommandError(self._errors.read().strip() or f"bcpace act ended with exit code {self._process.returncode}")
        answer = json.loads(line)
        if "error" in answer:
            raise CommandError(answer["error"])
        return answer

    def close(self):
        """Ends the process."""
        if self._process is None:
            return
        process, self._process = self._process, None
        try:
            process.stdin.close()
        except BrokenPipeError:  # it has ended by itself
            pass
        process.stdout.close()
        process.wait()
        self._errors.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
