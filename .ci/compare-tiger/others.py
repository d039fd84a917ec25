#!/usr/bin/env python3
"""Plays Tiger with the planners of two Python packages, and prints a line of a table for each.

    .ci/compare-tiger/others.py [--seconds 0.1] [--episodes 200] [--seed 1] [--rows TEXT]

It installs the packages below into a virtual environment that it removes again. POMDPPlanners is compiled for that, and brings
torch, ray and mlflow: some gigabytes. A planner gets as many simulations for a decision as it does in that many seconds
of one core, which are measured first in seconds of the process, so that a busy machine changes little. --simulations N
takes N in their place: then a seed gives the same table again. --rows plays only the planners that have TEXT in their line.

The problem is that of the packages themselves, which is the same in both: accuracy 0.85, a new tiger behind a door
after each opening, discount 0.95, 40 steps. After each step the belief is updated as each package has
it: update_histogram_belief and set_belief in pomdp_py, Belief.update in POMDPPlanners.
"""
import argparse
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

PACKAGES = ["pomdp-py==1.3.5.1", "POMDPPlanners==0.6.0"]
DISCOUNT, STEPS = 0.95, 40


class POUCT:
    """pomdp_py, whose tree is kept from step to step. Its own example has max_depth 3 and exploration_const 50."""

    def __init__(self, depth, c):
        self.depth, self.c = depth, c
        self.line = f"POUCT of pomdp_py 1.3.5.1, depth {depth}, c = {c:g}"

    def begin(self, simulations):
        import pomdp_py
        from pomdp_py.problems.tiger.tiger_problem import TigerProblem

        problem = TigerProblem.create(random.choice(["tiger-left", "tiger-right"]), 0.5, 0.15)
        self.agent, self.env = problem.agent, problem.env
        self.planner = pomdp_py.POUCT(max_depth=self.depth, discount_factor=DISCOUNT, num_sims=simulations,
                                      exploration_const=self.c, rollout_policy=self.agent.policy_model)

    def decide(self):
        return self.planner.plan(self.agent)

    def step(self, action):
        import pomdp_py

        reward = self.env.state_transition(action, execute=True)
        seen = self.agent.observation_model.sample(self.env.state, action)
        self.agent.update_history(action, seen)
        self.planner.update(self.agent, action, seen)
        self.agent.set_belief(pomdp_py.update_histogram_belief(
            self.agent.cur_belief, action, seen, self.agent.observation_model, self.agent.transition_model))
        return reward


class POMCP:
    """POMDPPlanners, with the particles of its own example, which has depth 20 and exploration_constant 10."""

    def __init__(self, depth, c):
        self.depth, self.c = depth, c
        self.line = f"POMCP of POMDPPlanners 0.6.0, depth {depth}, c = {c:g}"

    def begin(self, simulations):
        from POMDPPlanners.environments.tiger_pomdp import TigerPOMDP
        from POMDPPlanners.planners.mcts_planners.pomcp import POMCP as Planner
        from POMDPPlanners.utils.belief_factory import create_environment_belief

        self.env = TigerPOMDP(discount_factor=DISCOUNT)
        self.planner = Planner(environment=self.env, discount_factor=DISCOUNT, depth=self.depth,
                               exploration_constant=self.c, n_simulations=simulations, name="POMCP")
        self.belief = create_environment_belief(self.env, n_particles=200)
        self.state = self.env.initial_state_dist().sample()[0]

    def decide(self):
        return self.planner.action(self.belief)[0][0]

    def step(self, action):
        to, seen, reward = self.env.sample_next_step(self.state, action)
        self.belief = self.belief.update(action=action, observation=seen, pomdp=self.env, state=to)
        self.state = to
        return reward


ROWS = [POUCT(3, 50), POUCT(20, 50), POMCP(20, 10), POMCP(3, 50)]


def within(planner, seconds):
    """Returns how many simulations a planner does for its first decisions in so many seconds of one core."""
    some = 500
    best = 0.0
    for _ in range(5):
        planner.begin(some)
        at = time.process_time()
        planner.decide()
        best = max(best, some / (time.process_time() - at))
    return max(1, round(best * seconds))


def play(planner, simulations):
    """Returns what an episode earns."""
    planner.begin(simulations)
    earned, weight = 0.0, 1.0
    for _ in range(STEPS):
        earned += weight * planner.step(planner.decide())
        weight *= DISCOUNT
    return earned


def table(args):
    import numpy

    logging.disable(logging.INFO)
    print("| planner | simulations | episodes | mean return | standard error |\n| --- | --- | --- | --- | --- |")
    for planner in ROWS:
        if args.rows not in planner.line:
            continue
        simulations = args.simulations or within(planner, args.seconds)
        random.seed(args.seed)
        numpy.random.seed(args.seed)
        returns = [play(planner, simulations) for _ in range(args.episodes)]
        error = statistics.stdev(returns) / len(returns) ** 0.5
        print(f"| {planner.line} | {simulations} | {len(returns)} | {statistics.mean(returns):.1f} | {error:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=0.1)
    parser.add_argument("--simulations", type=int, default=0)
    parser.add_argument("--episodes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", default="")
    parser.add_argument("--installed", action="store_true", help="the packages are there: install nothing")
    args = parser.parse_args()
    if args.installed:
        table(args)
        return
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        python = os.path.join(place, "bin", "python")
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(install + PACKAGES, check=True)
        # Sets of words in pomdp_py have the order of their hashes.
        subprocess.run([python, __file__, "--installed"] + sys.argv[1:], check=True, env={**os.environ, "PYTHONHASHSEED": "0"})


if __name__ == "__main__":
    main()
