"use strict";
(() => {
	const {number, svg} = live, form = document.getElementById("controls"), hint = document.getElementById("cursor");
	const rooms = [
		["*.......A", "*........", "*...#....", "*...S....", "*...#....", "*........", "*.......B"],
		["........A", ".###.....", ".#.#.....", ".#*#.S...", ".#.......", ".###.....", "........B"],
		["...#....A", "...#.....", "*..#..###", "...S.....", "...#..###", "...#.....", "...#....B"],
		["........A", ".........", "....#....", "....S....", "....#....", ".........", "........B"],
	];
	const names = {"#": "wall", "*": "light", ".": "nothing", S: "the start", A: "goal A", B: "goal B"};
	let cells = rooms[0].map(r => [...r]), cursor = {x: 4, y: 2}, answer, side;

	// put draws with a tool. There is one start, one goal A and one goal B: they move.
	const put = (x, y, tool) => {
		const there = cells[y][x];
		if (there == tool || !"SAB".includes(tool) && "SAB".includes(there)) return;
		if ("SAB".includes(tool)) {
			const row = cells.findIndex(r => r.includes(tool));
			cells[row][cells[row].indexOf(tool)] = "SAB".includes(there) ? there : ".";
		}
		cells[y][x] = tool;
		live.update();
	};

	const tool = () => form.elements.tool.value;
	const tell = () => {
		const {x, y} = cursor;
		const does = cells[y][x] == tool() ? "clears it" : `draws ${names[tool()]}`;
		hint.textContent = `Column ${x + 1}, row ${y + 1}: ${names[cells[y][x]]}. Arrow keys move, Enter ${does}.`;
	};

	// drawing is what the pointer draws until it is lifted: a wall on a wall takes walls away.
	let drawing;
	live.pointer("grid", (px, py, first) => {
		const x = Math.floor(px / side), y = Math.floor(py / side);
		if (!cells[y]?.[x]) return;
		if (first) drawing = cells[y][x] == tool() && "#*".includes(tool()) ? "." : tool();
		cursor = {x, y};
		put(x, y, drawing);
		show();
	}, (dx, dy) => {
		cursor = {x: Math.min(Math.max(cursor.x + dx, 0), cells[0].length - 1), y: Math.min(Math.max(cursor.y + dy, 0), cells.length - 1)};
		if (!dx && !dy) put(cursor.x, cursor.y, cells[cursor.y][cursor.x] == tool() ? "." : tool());
		show();
	});

	form.elements.room.addEventListener("input", () => {
		cells = rooms[form.elements.room.value].map(r => [...r]);
	});

	const show = () => {
		live.fit("grid", (e, width) => {
			side = width / cells[0].length;
			const middle = v => (v + 0.5) * side;
			for (const [y, row] of cells.entries()) for (const [x, cell] of row.entries()) {
				const value = answer.Cells[y]?.[x];
				svg(e, "rect", {class: "cell" + (cell == "#" ? " wall" : cell == "*" ? " light" : ""), x: x * side, y: y * side, width: side, height: side});
				if (value != null && cell != "*") svg(e, "rect", {class: "worth", x: x * side, y: y * side, width: side, height: side, opacity: 0.04 * Math.max(value, 0)});
			}
			for (const [i, path] of answer.Paths.entries()) {
				if (!path) continue;
				const shift = (i - 0.5) * side * 0.14;
				svg(e, "polyline", {class: "curve path " + ["two", "four"][i], "stroke-dasharray": ["none", "6 4"][i], points: path.X.map((x, j) => `${middle(x) + shift},${middle(path.Y[j]) + shift}`).join(" ")});
			}
			for (const [y, row] of cells.entries()) for (const [x, cell] of row.entries()) {
				const value = answer.Cells[y]?.[x];
				if ("SAB".includes(cell)) svg(e, "text", {class: "strong over thing", x: middle(x), y: middle(y) - (cell == "S" ? 4 : -6), "text-anchor": "middle"}, cell);
				if (cell == "*") svg(e, "path", {class: "lamp", d: star(x * side + 0.5 * side, y * side + 0.24 * side, side * 0.14)});
				if (value != null) svg(e, "text", {class: "strong over", x: (x + 1) * side - 4, y: (y + 1) * side - 5, "text-anchor": "end"}, number(value, 1));
			}
			svg(e, "rect", {class: "cursor", x: cursor.x * side + 2, y: cursor.y * side + 2, width: side - 4, height: side - 4});
			return side * cells.length;
		});
		tell();
	};

	// star is a path with eight points.
	const star = (x, y, r) => "M" + Array.from({length: 16}, (_, i) => {
		const a = i * Math.PI / 8, d = i % 2 ? r * 0.5 : r;
		return `${x + d * Math.sin(a)},${y - d * Math.cos(a)}`;
	}).join("L") + "Z";

	live.page("room", {
		question: c => ({Rows: cells.map(r => r.join("")), Tiger: c.tiger, Truth: c.truth, Discount: c.discount}),
		show(a, q) {
			answer = a;
			show();
			const lines = a.Paths.map((p, i) => p && {x: p.Tiger.map((_, t) => t), y: p.Tiger, kind: ["two", "four"][i], dash: ["none", "6 4"][i], name: `if the tiger is in ${"AB"[i]}`}).filter(Boolean);
			const most = Math.max(...lines.map(l => l.x.length)) - 1;
			live.legend("grid", lines);
			live.describe("grid", "Arrow keys move a cursor, Enter draws");
			live.chart("beliefs", {x: {from: 0, to: most, label: "steps"}, y: {from: 0, to: 1, label: "believed: tiger in A"}, lines, height: 220});
			const tells = a.Paths.map((p, i) => !p ? "" : ` With the tiger in ${"AB"[i]}, ${q.Truth < 1 ? "and where the light happens to show the truth at every step, " : ""}` + (p.End ? `the agent enters ${p.End} after ${live.count(p.X.length - 1, "step")}, which earns ${number(p.Return, 2)} discounted units.` : "the agent never enters a goal."));
			return `The start ${live.worth(a.Lower, a.Upper)}.${live.limited(a)}${tells.join("")}`;
		},
	});
})();
