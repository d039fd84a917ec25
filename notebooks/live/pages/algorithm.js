"use strict";
(() => {
	const {number, count} = live, form = document.getElementById("controls"), at = id => document.getElementById(id);
	const kinds = ["one", "two", "three"];
	let left = 0.4;

	const move = x => {
		left = Math.min(Math.max(Math.round(x * 100) / 100, 0), 1);
		live.update();
	};
	live.pointer("estimates", px => move(at("estimates").valueAt(px)), dx => move(left + dx / 100));

	// Three presses add a sample: rollout, sample, value iteration.
	const stage = () => form.elements.step.valueAsNumber % 3;

	const told = a => {
		const n = a.Samples.length, next = a.Next, last = a.Samples[n - 1];
		const where = s => `at belief ${number(s.Left, 3)}, step ${s.Time + 1} of episode ${s.Episode + 1}`;
		const value = `The estimate at the even belief is ${number(a.Value, 2)} reward units.`;
		if (stage() == 1) return `Rollout: ${where(next)}, the greedy action is ${a.Actions[next.Action]}, and this query is not known. ${value}`;
		if (stage() == 2) return `Sample ${n + 1}: to ${a.Actions[next.Action]} ${where(next)}, earned ${number(next.Reward, 0)}. ` +
			(next.Heard == "nothing" ? "The tiger is placed anew" : `The agent heard the tiger ${next.Heard}`) + `, and the belief is ${number(next.Next, 3)}.`;
		const end = n < a.Total ? "" : a.Converged ? " The exploration has converged: 100 episodes brought no further sample." : " The page stops here.";
		return n ? `Value iteration has valued ${count(n, "sample")} anew; the last one is worth ${number(last.Value, 2)}. ${value}${end}` : `No sample yet: every estimate is its upper bound. ${value}`;
	};

	live.page("algorithm", {
		question: c => ({Accuracy: c.accuracy, Epsilon: c.epsilon, LipQ: c.lip, K: c.k, Bound: c.bound, Seed: c.seed, Samples: Math.floor(c.step / 3), Left: left, Action: Number(c.action)}),
		show(a, q) {
			live.limit("step", 0, 3 * a.Total, Math.min(form.elements.step.valueAsNumber, 3 * a.Total));
			const x = a.Explained, action = q.Action, next = stage() ? a.Next : null;
			const lines = [{x: a.Belief, y: a.Optimal, kind: "neutral thin", dash: "2 3", name: live.optimal(a.OptimalWithin)}];
			if (!stage() && a.Samples.length) lines.push({x: a.Belief, y: a.Before[action].Q, kind: kinds[action] + " thin", dash: "3 4", name: "before the last sample"});
			for (const [i, e] of a.Estimates.entries()) {
				lines.push({x: a.Belief, y: e.Q, kind: kinds[i] + (i == action ? "" : " faint"), dash: ["none", "9 4", "12 3 2 3"][i], name: a.Actions[i]});
				lines.push({x: a.Belief, y: e.Q.map((v, j) => e.Known[j] ? v : null), kind: kinds[i] + " strong" + (i == action ? "" : " faint")});
			}
			for (const n of x.Neighbours) {
				const s = a.Samples[n.Sample];
				lines.push({x: [s.Left, q.Left], y: [s.Value, n.Term], kind: "ink thin"});
			}
			const counts = i => x.Neighbours.some(n => n.Sample == i);
			const dots = a.Samples.map((s, i) => ({x: s.Left, y: s.Value, kind: kinds[s.Action] + (counts(i) ? "" : " hollow"), r: counts(i) ? 5 : 3.5, name: counts(i) ? "sample that counts here" : "another sample"}));
			if (next) {
				const y = a.Estimates[next.Action].Q[Math.round(next.Left * (a.Belief.length - 1))];
				dots.push({x: next.Left, y, kind: kinds[next.Action] + " hollow", r: 9, name: stage() == 1 ? "query that is not known" : "new sample"});
			}
			dots.push({x: q.Left, y: x.Q, kind: "ink", r: 6, name: "estimate that is explained"});
			live.chart("estimates", {x: {from: 0, to: 1, label: "belief: probability that the tiger is left"}, y: {label: "value, reward units"}, lines, dots, marks: [{x: q.Left}], height: 400});
			live.describe("estimates", "Thick where known. Arrow keys move the belief that is explained");

			at("query").textContent = `${a.Actions[action]} at belief ${number(q.Left, 2)}: Q̃ = ${number(x.Q, 2)}, ${x.Known ? "known" : "not known"}`;
			at("sum").textContent = `The mean of ${q.K}: ${count(x.Neighbours.length, "neighbour")}` + (x.Missing ? ` and ${x.Missing} missing, each of which counts as the bound, ${number(x.Upper, 2)}.` : `. The bound is ${number(x.Upper, 2)}.`) + ` The radius is ${number(a.Radius, 3)}.`;
			live.table("neighbours", ["neighbour", "belief", "distance d", "its Q̃", "bonus", "counts"], x.Neighbours.map(n =>
				[`sample ${n.Sample + 1}`, number(a.Samples[n.Sample].Left, 3), number(n.Distance, 3), number(n.Value, 2), number(n.Bonus, 2), number(n.Term, 2) + (n.Clipped ? ", clipped" : "")]));
			return told(a);
		},
	});
})();
