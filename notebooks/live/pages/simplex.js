"use strict";
(() => {
	const {number, svg} = live, form = document.getElementById("controls"), at = id => document.getElementById(id);
	const buttons = [...at("outcomes").children], kinds = ["neutral", "one", "two", "three"], even = [1 / 3, 1 / 3, 1 / 3];
	let belief = even, answer, space, outcomes = []; // those that may be seen

	const move = b => {
		belief = b;
		live.update();
	};
	live.pointer("triangle", (x, y) => move(space.belief(x, y)), (dx, dy) => move(live.nudge(belief, dx, dy)));
	at("even").addEventListener("click", () => move(even));

	form.elements.model.addEventListener("input", () => {
		for (const e of form.querySelectorAll("[data-model]")) e.hidden = e.dataset.model != form.elements.model.value;
	});

	// The first option of the actions stands for the policy's.
	const actions = form.elements.action;
	const listActions = names => {
		if (actions.length == names.length + 1 && actions[1].text == names[0]) return;
		actions.replaceChildren(new Option("the best one", "-1"), ...names.map((n, i) => new Option(n, i)));
	};
	const chosen = () => actions.value == "-1" ? answer.Best : Number(actions.value);

	buttons.forEach((b, i) => b.addEventListener("click", () => {
		if (!live.current()) return; // another model or action may have other outcomes
		if (form.elements.model.value == "chain") live.limit("state", 1, 5, outcomes[i].State);
		move(outcomes[i].Belief);
	}));

	const draw = () => live.fit("triangle", (e, width) => {
		space = live.simplex(e, width, answer.Latents);
		for (const [i, b] of answer.Grid.entries()) svg(space.inside, "polygon", {class: "strip " + kinds[answer.Action[i]], points: space.hexagon(b, answer.Grid)});
		const [x, y] = space.place(belief);
		for (const o of outcomes) {
			const [ox, oy] = space.place(o.Belief);
			svg(e, "line", {class: "curve ink", x1: x, y1: y, x2: ox, y2: oy, "stroke-width": 1});
			svg(e, "circle", {class: "dot ink", cx: ox, cy: oy, r: 3 + 7 * Math.sqrt(o.Prob)});
		}
		svg(e, "circle", {class: "handle", cx: x, cy: y, r: 9});
		return space.height;
	});

	live.page("simplex", {
		question(c) {
			const q = {Belief: belief};
			if (c.model == "boxes") q.Boxes = {Accuracy: c.accuracy, Cost: c.cost, Discount: c.discount};
			else q.Chain = {State: c.state, Spread: c.spread, Discount: c.discount};
			return q;
		},
		show(a, q) {
			answer = a;
			listActions(a.Actions);
			const action = chosen();
			outcomes = a.Follows[action].Outcomes.filter(o => !o.Ends && o.Prob > 0);
			draw();
			live.describe("triangle", "Arrow keys move the belief");
			live.legend("triangle", [...a.Actions.map((name, i) => ({name, kind: kinds[i], strip: true})), {name: "after what may be seen", kind: "ink", r: 4}]);
			buttons.forEach((b, i) => {
				b.hidden = !outcomes[i];
				b.textContent = outcomes[i] ? "see " + outcomes[i].Name : "";
			});
			at("ends").textContent = outcomes.length ? "" : `The episode ends after ${a.Actions[action]}.`;
			const list = x => x.map(p => number(p, 3));
			live.table("rule", [`after ${a.Actions[action]}`, "P(o)", ...a.Latents], [
				["belief b", "", ...list(q.Belief)],
				...outcomes.flatMap(o => [[`P(${o.Name} | φ)`, number(o.Prob, 3), ...list(o.Likelihood)], [`b′ after ${o.Name}`, "", ...list(o.Belief)]]),
			]);
			return `With probabilities ${a.Latents.map((n, i) => `${number(q.Belief[i], 2)} for ${n}`).join(", ")}, the best action is ${a.Actions[a.Best]}. ` +
				`The belief ${live.worth(a.Lower, a.Upper)}. ` +
				a.Follows.map((f, i) => `${a.Actions[i]}: ${number(f.Value, 2)}`).join(", ") + "." + live.limited(a);
		},
	});
})();
