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

import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import traceback

PROTOCOL = 1


class Model:
    """A simulator. Its attributes describe the model, and its methods draw.

    axes, actions, latents, prior and the rest are what bcpace/process/README.md says of the
    description of a model. latent and action are numbers that count from 0; where an action has a box,
    every action is a pair of its number and a list, its control. rng is a random.Random: draw all
    random numbers from it, and keep nothing from one call to the next.
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

    def start(self, latent, rng):
        """Returns the state in which an episode starts, a list of numbers."""
        raise NotImplementedError

    def step(self, state, latent, action, rng):
        """Returns the next state, the reward, and whether the episode ends there."""
        raise NotImplementedError

    # A model that knows its likelihoods has a method log_likelihood(state, action, after, latent), and
    # one whose start depends on the latent a method start_log_likelihood(state, latent).


def serve(model, requests=None, answers=None):
    """Answers requests on standard input until it ends. print() writes to standard error meanwhile."""
    requests, answers = requests or sys.stdin, answers or sys.stdout
    printed, sys.stdout = sys.stdout, sys.stderr
    try:
        for line in requests:
            request = json.loads(line)
            try:
                answer = json.dumps(dict(_answer(model, request), id=request["id"]), allow_nan=False)
            except Exception as fault:
                traceback.print_exc()
                answer = json.dumps({"id": request["id"], "error": _words(fault)})
            answers.write(answer + "\n")
            answers.flush()
    finally:
        sys.stdout = printed


def _words(fault):
    """Says what an exception is, and where in the user's code it was raised."""
    at = traceback.extract_tb(fault.__traceback__)[-1]
    if isinstance(fault, ValueError) and "JSON compliant" in str(fault):
        return "a state, reward or likelihood is infinite or not a number"
    return f"{type(fault).__name__}: {fault} ({os.path.basename(at.filename)}, line {at.lineno})"


def _answer(model, request):
    """Returns the answer to a request, without its id."""
    ask = request["ask"]
    if ask == "hello":
        return {"protocol": PROTOCOL, "model": describe(model)}
    latents = range(len(model.latents))
    if ask == "start":
        seeds = map(random.Random, request["seeds"])
        return {"states": [_state(model.start(l, rng)) for l, rng in zip(request["latents"], seeds)]}
    if ask == "start_likelihood":
        return {"log": [[_log(model.start_log_likelihood(s, l)) for l in latents] for s in request["states"]]}
    actions = request["actions"]
    if "controls" in request:
        actions = list(zip(actions, request["controls"]))
    if ask == "step":
        seeds = map(random.Random, request["seeds"])
        steps = [model.step(*x) for x in zip(request["states"], request["latents"], actions, seeds)]
        return {
            "next": [_state(after) for after, _, _ in steps],
            "reward": [float(reward) for _, reward, _ in steps],
            "done": [bool(done) for _, _, done in steps],
        }
    if ask == "likelihood":
        triples = zip(request["states"], actions, request["next"])
        return {"log": [[_log(model.log_likelihood(s, a, after, l)) for l in latents] for s, a, after in triples]}
    raise ValueError(f"it does not know how to answer {ask!r}")


def _state(values):
    return [float(x) for x in values]


def _log(value):
    return None if value == -math.inf else float(value)


def describe(model):
    """Returns the description of a model, as the answer to hello has it."""
    about = {
        "name": model.name, "axes": list(model.axes), "actions": list(model.actions), "latents": list(model.latents),
        "discount": model.discount, "horizon": model.horizon, "goal": model.goal,
        "reward_min": model.reward_min, "reward_max": model.reward_max,
        "likelihood": hasattr(model, "log_likelihood"), "start_likelihood": hasattr(model, "start_log_likelihood"),
    }
    if model.prior is not None:
        about["prior"] = list(model.prior)
    return about


class GymnasiumModel(Model):
    """A simulator of environments of Gymnasium that differ in something unknown, such as a length.

    make(value) makes the environment for a value, and latents has the values by their names. The model
    can set an environment to any state: by default it reads and writes env.unwrapped.state, as the
    environments of classic control have it; otherwise give get_state(env) and set_state(env, state). Axes and
    actions come from the spaces of the environment where these say enough; give axes where an
    observation is not the state, or has no bounds. An episode ends where the environment terminates it.
    A limit of time is the horizon here, as the state does not hold the time. certain says that a step
    draws nothing, as those of classic control: likelihoods are then known, 1 for what follows and 0 for all else.
    """

    def __init__(self, make, latents, name, reward_min, reward_max, discount=0.99, horizon=0, prior=None,
                 axes=None, actions=None, get_state=None, set_state=None, certain=False):
        self.name, self.latents, self.prior = name, list(latents), prior
        self.reward_min, self.reward_max, self.discount, self.horizon = reward_min, reward_max, discount, horizon
        self._envs = [make(value) for value in latents.values()]
        env = self._envs[0]
        self._get, self._set = get_state or _get_state, set_state or _set_state
        self.axes = axes or _axes(env.observation_space, "observation_space", "axes")
        self.discrete = hasattr(env.action_space, "n")
        if self.discrete:
            self._first = int(getattr(env.action_space, "start", 0))
            self.actions = actions or [f"action {self._first + i}" for i in range(int(env.action_space.n))]
        else:
            self.actions = actions or [{"name": "act", "box": _axes(env.action_space, "action_space", "actions")}]
        if certain:
            self.log_likelihood = self._follows

    def _follows(self, state, action, after, latent):
        return 0.0 if _state(self.step(state, latent, action, random.Random(0))[0]) == after else -math.inf

    def start(self, latent, rng):
        env = self._envs[latent]
        env.reset(seed=rng.getrandbits(31))
        return self._get(env)

    def step(self, state, latent, action, rng):
        env = self._envs[latent]
        env.reset(seed=rng.getrandbits(31))
        self._set(env, state)
        _, reward, terminated, _, _ = env.step(self._first + action if self.discrete else _like(env.action_space.low, action[1]))
        return self._get(env), reward, terminated


def _like(array, values):
    """Returns values as an array of the kind of another one; a list where that is a list."""
    if isinstance(array, (list, tuple)):
        return list(values)
    made = array.copy()
    made[...] = values
    return made


def _get_state(env):
    return list(env.unwrapped.state)


def _set_state(env, state):
    inner = env.unwrapped
    if not hasattr(inner, "state"):
        raise AttributeError("the environment has no attribute state: give get_state and set_state")
    inner.state = _like(inner.state, state) if hasattr(inner.state, "copy") else tuple(state)


def _axes(space, which, argument):
    """Returns the axes of a space of numbers, as far as it has bounds."""
    if hasattr(space, "n"):
        first = int(getattr(space, "start", 0))
        return [{"name": "state", "min": first, "max": first + int(space.n) - 1, "discrete": True}]
    if not hasattr(space, "low"):
        raise ValueError(f"the {which} is neither a Box nor Discrete: give {argument}")
    axes = [{"name": f"x{i}", "min": float(lo), "max": float(hi)} for i, (lo, hi) in enumerate(zip(space.low, space.high))]
    for axis in axes:
        if not (math.isfinite(axis["min"]) and math.isfinite(axis["max"])) or axis["max"] > 1e30:
            raise ValueError(f"the {which} has no bounds for {axis['name']}: give {argument}")
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
    may be a list of words.
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
            if any(len(word.split()) != 1 for word in value):
                raise ValueError(f"a word of the process {value!r} is empty or has a space: give a script without")
            words += [name, " ".join(value)]
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


class Agent:
    """A policy that was saved, in a world that is not simulated: it runs bcpace act, and asks it what to do.

        with bayescpace.Agent(run="tiger.bcp") as agent:
            choice = agent.begin([0])
            choice = agent.observe(reward=-1, next=[1])

    Flags are those of bcpace act, such as run or policy. A choice is a dict: action (its number), name, control (of a box of
    actions), belief (by latent) and more, see go doc ./bcpace/cmd/bcpace. A state is a list with a number, or a label, for each
    axis of the model; of a policy for the tables of a model file, a value of each visible variable and then, in next, the observation.
    What cannot be answered raises CommandError, and changes nothing unless the process has ended. An Agent is
    for one thread.
    """

    def __init__(self, path=None, **flags):
        self._errors = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [command(path), "act", *_flags(flags)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True, encoding="utf-8"
        )

    def begin(self, state):
        """Begins an episode in a state, and returns what to do there."""
        return self._ask({"state": list(state)})

    def observe(self, reward, next, action=None):
        """Says what followed, and returns what to do now. action is a name or a number, where another one was taken than the last choice."""
        request = {"reward": reward, "next": list(next)}
        if action is not None:
            request["action"] = action
        return self._ask(request)

    def _ask(self, request):
        if self._process is None:
            raise CommandError("the agent is closed")
        line = ""
        try:
            self._process.stdin.write(json.dumps(request, allow_nan=False) + "\n")
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
