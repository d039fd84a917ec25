"use strict";
live.page("tiger", {
	question: c => ({Accuracy: c.accuracy, Discount: c.discount, Penalty: c.penalty, Trials: c.trials}),
	show(a, q) {
		const {number} = live, all = a.Trace.Lower.length, colour = ["neutral", "bad", "good"];
		live.limit("trials", 1, all, a.Trials);
		live.chart("values", {
			x: {from: 0, to: 1, label: "belief b: probability that the tiger is left"},
			y: {label: "value, reward units"},
			strips: a.Regions.map(r => ({from: r.From, to: r.To, name: a.Actions[r.Action], kind: colour[r.Action]})),
			areas: [{x: a.Belief, lower: a.Step.Lower, upper: a.Step.Upper, kind: "one"}],
			lines: [
				{x: a.Belief, y: a.Step.Upper, kind: "one", dash: "7 4", name: `upper bound after ${live.count(a.Trials, "trial")}`},
				{x: a.Belief, y: a.Step.Lower, kind: "two", dash: "2 3", name: "lower bound then"},
				{x: a.Belief, y: a.Optimal.Lower, kind: "ink", name: live.optimal(a.Within)},
			],
		});
		const trials = a.Trace.Lower.map((_, i) => i + 1);
		live.chart("trace", {
			x: all == 1 ? {from: 0.5, to: 1.5, at: [1], label: "trials"} : {from: 1, to: all, label: "trials", log: true}, y: {label: "reward units"}, height: 220,
			areas: [{x: trials, lower: a.Trace.Lower, upper: a.Trace.Upper, kind: "one"}],
			lines: [
				{x: trials, y: a.Trace.Upper, kind: "one", dash: "7 4", name: "upper bound"},
				{x: trials, y: a.Trace.Lower, kind: "two", dash: "2 3", name: "lower bound"},
			],
			marks: [{x: a.Trials}],
		});
		const i = a.Trials - 1, low = a.Trace.Lower[i], high = a.Trace.Upper[i];
		const end = x => x == 0 || x == 1 ? x : a.Digits ? number(x, a.Digits) : `about ${number(x, 1)}`;
		const acts = a.Regions.map(r => `${a.Actions[r.Action]} from ${end(r.From)} to ${end(r.To)}`).join(", ");
		return `After ${live.count(a.Trials, "trial")} of ${all} the value at the even belief ${high - low < 0.005 ? `is ${number(low, 2)}` : `lies between ${number(low, 2)} and ${number(high, 2)}`} reward units. ` +
			`The best action, by the probability that the tiger is left: ${acts}.${live.limited(a)}`;
	},
});
