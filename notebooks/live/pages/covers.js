"use strict";
(() => {
	const {number, count, svg} = live, form = document.getElementById("controls");

	form.elements.set.addEventListener("input", () => {
		for (const e of form.querySelectorAll("[data-set]")) e.hidden = e.dataset.set != form.elements.set.value;
	});

	// ball lists the corners of the hexagon of beliefs within ε of one.
	const ball = (b, epsilon) => [[0, 1], [2, 1], [2, 0], [1, 0], [1, 2], [0, 2]].map(([up, down]) => b.map((p, i) => p + (i == up ? epsilon / 2 : i == down ? -epsilon / 2 : 0)));

	const from = x => x.Lower == x.Upper ? `${x.Lower}` : `${x.Lower} to ${x.Upper}`;

	live.page("covers", {
		question: c => ({Epsilon: c.epsilon, Cover: c.cover, ...(c.set == "even" ? {Even: {Parts: c.parts}} : {Reached: {Steps: c.steps}})}),
		show(a, q) {
			live.fit("triangle", (e, width) => {
				const space = live.simplex(e, width, q.Even ? ["first latent", "second latent", "third latent"] : ["slip 0.2", "slip 0.5", "slip 0.8"]);
				for (const c of a.Cover) svg(space.inside, "polygon", {class: "ball one", points: ball(a.Points[c], q.Epsilon).map(b => space.place(b).join()).join(" ")});
				const centres = new Set(a.Cover);
				for (const [i, b] of a.Points.entries()) {
					const [cx, cy] = space.place(b);
					svg(e, "circle", {class: centres.has(i) ? "dot two" : "dot neutral", cx, cy, r: centres.has(i) ? 5 : 2});
				}
				return space.height;
			});
			live.describe("triangle", `${count(a.Cover.length, "ball")} over ${count(a.Points.length, "belief")}`);
			live.legend("triangle", [{name: "centre of a ball", kind: "two", r: 5}, {name: "belief of the set", kind: "neutral", r: 2}, {name: "ball of radius ε", kind: "one", strip: true}]);
			live.table("counts", ["count", "number"], [
				["N_min: smallest cover", from(a.Domination)], ["N_net: smallest net", from(a.Separated)],
				["N_sep: largest separated set", from(a.Independence)], ["N_Γ: largest minimal cover", from(a.Upper)],
				["points of the cover that is shown", a.Cover.length], ["beliefs of the set", a.Points.length],
			]);
			const x = a.Curve.Epsilon.map(e => 1 / e);
			live.chart("curve", {
				x: {from: 0.5, to: 10, label: "1/ε", log: true}, y: {label: "points", log: true, from: 1}, height: 260,
				lines: [{x, y: a.Curve.Most, kind: "one", dash: "7 4", name: "bound of N_sep: the cover for ½ε"}, {x, y: a.Curve.Net, kind: "two", name: "cover by the farthest point first"}],
				marks: [{x: 1 / q.Epsilon}],
			});
			return `With ε = ${number(q.Epsilon, 2)}, ${count(a.Cover.length, "ball")} ${a.Cover.length == 1 ? "covers" : "cover"} ${count(a.Points.length, "belief")}. ` +
				`A smallest cover has ${from(a.Domination)}, a largest separated set ${from(a.Independence)}, and a largest minimal cover ${from(a.Upper)}.`;
		},
	});
})();
