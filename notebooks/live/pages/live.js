// What the live pages share: the worker that computes, the controls, and plots in SVG. All
// values come from Go. A page calls live.page once, and live.chart to draw.
"use strict";

const live = (() => {
	const at = id => document.getElementById(id);
	const form = at("controls"), words = at("words");
	let name, page; // those of live.page

	// Text.

	const number = (x, digits) => (Math.abs(x) < 0.5 * 10 ** -digits ? 0 : x).toFixed(digits).replace("-", "−");
	const worth = (lower, upper) => `is worth ${number(lower, 2)} reward units` + (upper - lower < 0.005 ? "" : `, or up to ${number(upper - lower, 2)} more`);
	const count = (n, thing) => `${n} ${thing}${n == 1 ? "" : "s"}`;
	const optimal = within => within < 0.005 ? "optimal value" : `lower bound of the optimal value, at most ${number(Math.ceil(100 * within) / 100, 2)} below it`;
	const limited = a => a.Limited ? " The search ended at its limit, so its bounds may be further apart than elsewhere." : "";

	// The worker answers one question at a time. After one that has ended a new one starts.

	let worker, code, settle;

	const post = message => new Promise((resolve, reject) => {
		settle = {resolve, reject};
		worker.postMessage(message);
	});

	const end = why => {
		worker.terminate();
		worker = null;
		settle.reject(new Error(`The solver has ended: ${why}.`));
	};

	const start = async () => {
		if (worker) return;
		code ??= URL.createObjectURL(new Blob([solver.worker], {type: "text/javascript"}));
		worker = new Worker(code);
		worker.onmessage = ({data: {text, error, ended}}) => ended ? end(ended) : error ? settle.reject(new Error(error)) : settle.resolve(text);
		worker.onerror = e => end(e.message || "the browser does not run its script");
		await post({program: solver.program});
	};

	const ask = async question => {
		await start();
		return post({page: name, question});
	};

	// Of the questions that come while the worker is busy, the last one counts. If it has
	// waited too long, the one before it is dropped, and the worker with that one. What is
	// shown is current while it answers the last one.

	const patience = 2000; // ms
	let loaded = false, busy = false, again = false, asking = false, shown = false, current = false, waiting;

	const update = async () => {
		[again, current] = [true, false];
		if (asking) waiting ??= setTimeout(end, patience, "a newer question waits");
		if (busy || !loaded) return;
		busy = true;
		document.body.setAttribute("aria-busy", "true");
		while (again) {
			try {
				await start();
				[again, asking] = [false, true];
				const question = JSON.stringify(page.question(controls())), text = await ask(question);
				api.last = {question, text};
				if (!again) {
					say(page.show(JSON.parse(text), JSON.parse(question)));
					shown = current = true;
				}
			} catch (e) {
				if (!asking) again = false; // there is no worker to ask
				if (!again) fail(e.message);
			}
			asking = false;
			clearTimeout(waiting);
			waiting = null;
		}
		busy = false;
		document.body.removeAttribute("aria-busy");
		document.body.dataset.ready ??= Math.round(performance.now()); // ms from the start of the page
	};

	// What the words say is spoken once they have stopped to change.

	const spoken = document.createElement("p");
	spoken.className = "spoken";
	spoken.role = "status";
	words.before(spoken);
	let pause;

	const say = (text, kind = "") => {
		words.className = kind;
		words.textContent = text;
		clearTimeout(pause);
		pause = setTimeout(() => spoken.textContent = text, 500);
	};

	const fail = text => say(text, "alarm");

	// Controls are the elements of the form that have a name. A range shows its value in its
	// label, and a button with data-for and data-step moves one.

	const controls = () => Object.fromEntries([...form.elements].filter(e => e.name && (e.type != "radio" || e.checked)).map(e =>
		[e.name, e.type == "range" ? e.valueAsNumber : e.type == "checkbox" ? e.checked : e.value]));

	const showValue = e => {
		const digits = (e.step.split(".")[1] ?? "").length;
		const text = number(e.valueAsNumber, digits) + (e.dataset.unit ? ` ${e.dataset.unit}${e.valueAsNumber == 1 ? "" : "s"}` : "");
		e.setAttribute("aria-valuetext", text);
		e.parentElement.querySelector(".value").textContent = text;
	};

	// limit sets the ends of a range and its value.
	const limit = (name, from, to, value) => {
		const e = form.elements[name];
		[e.min, e.max, e.value] = [from, to, value];
		showValue(e);
	};

	for (const e of form.querySelectorAll("input[type=range]")) {
		const value = document.createElement("span");
		value.className = "value";
		value.ariaHidden = "true"; // the range says it itself
		e.before(value);
		showValue(e);
	}
	form.addEventListener("submit", e => e.preventDefault());
	form.addEventListener("input", e => { // after those of the page
		if (e.target.type == "range") showValue(e.target);
		update();
	});
	form.addEventListener("click", ({target: b}) => {
		if (!b.dataset.for) return;
		const e = form.elements[b.dataset.for];
		e.valueAsNumber += Number(b.dataset.step);
		showValue(e);
		update();
	});

	// svg makes an element of SVG in another one.
	const svg = (parent, tag, attributes, text) => {
		const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
		for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
		if (text !== undefined) e.textContent = text;
		parent.append(e);
		return e;
	};

	// ticks are some round numbers from one to another.
	const ticks = (from, to, most) => {
		const raw = (to - from) / most, power = 10 ** Math.floor(Math.log10(raw));
		const step = power * [1, 2, 5, 10].find(f => f * power >= raw * (1 - 1e-9));
		const list = [];
		for (let i = Math.ceil(from / step - 1e-9); i * step <= to + 1e-9 * step; i++) list.push(i * step);
		const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
		return list.map(at => ({at, name: number(at, digits)}));
	};

	// logTicks are 1, 2 or 5 times powers of ten.
	const logTicks = (from, to, most) => {
		const all = [];
		for (let p = Math.floor(Math.log10(from)); p <= Math.log10(to); p++) for (const f of [1, 2, 5]) all.push(Number(`${f}e${p}`));
		const list = all.filter(x => x >= from * (1 - 1e-9) && x <= to * (1 + 1e-9)), powers = list.filter(x => /^1/.test(x.toExponential()));
		return (list.length > most ? powers : list).map(at => ({at, name: String(at)}));
	};

	const fits = new Map(); // a chart's element: how to draw it at its present width

	const drawn = new ResizeObserver(entries => requestAnimationFrame(() => { // a frame has one height
		for (const {target} of entries) fits.get(target)?.();
	}));

	// fit draws into an SVG element now, and whenever its width changes: draw(element, width)
	// returns the height.
	const fit = (id, draw) => {
		const e = at(id);
		e.setAttribute("aria-describedby", words.id);
		let last; // width
		const now = () => {
			const width = e.clientWidth;
			if (!width || width == last) return;
			last = width;
			e.replaceChildren();
			const height = draw(e, width);
			e.setAttribute("viewBox", `0 0 ${width} ${height}`);
			e.style.height = height + "px";
		};
		fits.set(e, now);
		drawn.observe(e);
		now();
	};

	// pointer has a drawing take a pointer and keys: to(x, y, first) is called where it is
	// pressed and wherever it then moves, in pixels of the drawing, and key(dx, dy) with the
	// arrow keys, with 0, 0 for Enter and the space bar. Both wait for the first answer.
	const pointer = (id, to, key) => {
		const e = at(id), steps = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Enter: [0, 0], " ": [0, 0]};
		e.tabIndex = 0;
		e.classList.add("drawn");
		const call = (event, first) => {
			const box = e.getBoundingClientRect();
			to(event.clientX - box.left, event.clientY - box.top, first);
		};
		e.addEventListener("pointerdown", event => {
			if (event.button || !shown) return;
			e.setPointerCapture(event.pointerId);
			call(event, true);
		});
		e.addEventListener("pointermove", event => {
			if (e.hasPointerCapture(event.pointerId)) call(event, false);
		});
		e.addEventListener("keydown", event => {
			if (!steps[event.key] || !shown) return;
			event.preventDefault();
			key(...steps[event.key]);
		});
	};

	// simplex draws the triangle of beliefs over three latents. place and belief go from a
	// belief to pixels and back, hexagon is what is nearest to a belief of an even grid, and
	// what is drawn in inside is cut off at the edges.
	const simplex = (e, width, names) => {
		const top = 28, side = Math.min(width - 24, 520), high = side * Math.sqrt(3) / 2, left = (width - side) / 2, base = top + high;
		const corners = [[left, base], [left + side, base], [left + side / 2, top]];
		const place = b => [0, 1].map(k => b.reduce((sum, p, i) => sum + p * corners[i][k], 0));
		const points = corners.map(c => c.join()).join(" ");
		svg(svg(e, "clipPath", {id: e.id + "-inside"}), "polygon", {points});
		const inside = svg(e, "g", {"clip-path": `url(#${e.id}-inside)`});
		svg(e, "polygon", {class: "edge", points});
		for (const [i, [x, y]] of corners.entries()) svg(e, "text", {class: "strong", x: i == 2 ? x : x + [-8, 8][i], y: i == 2 ? y - 10 : y + 20, "text-anchor": ["start", "end", "middle"][i]}, names[i]);
		return {
			place, inside, height: base + 30,
			belief(x, y) {
				const third = (base - y) / high, second = (x - left) / side - third / 2;
				const b = [1 - second - third, second, third].map(p => Math.max(p, 0)), sum = b[0] + b[1] + b[2];
				return b.map(p => p / sum);
			},
			hexagon(b, grid) {
				const [x, y] = place(b), n = (Math.sqrt(8 * grid.length + 1) - 3) / 2, r = side / n / Math.sqrt(3) + 0.3;
				return Array.from({length: 6}, (_, i) => `${x + r * Math.sin(i * Math.PI / 3)},${y + r * Math.cos(i * Math.PI / 3)}`).join(" ");
			},
		};
	};

	// nudge moves a belief by an arrow key.
	const nudge = (b, dx, dy) => {
		const step = 0.02, c = [b[0] - dx * step, b[1] + dx * step, b[2]], rest = c[0] + c[1];
		const third = Math.min(Math.max(c[2] - dy * step, 0), 1), d = [0, 1].map(i => Math.max(rest > 0 ? c[i] / rest : 0.5, 0) * (1 - third));
		const sum = d[0] + d[1] + third;
		return [d[0] / sum, d[1] / sum, third / sum];
	};

	// table fills a table with a row of names and rows of cells, or hides it without these.
	const table = (id, names, rows) => {
		at(id).hidden = !rows.length;
		at(id).replaceChildren(...[names, ...rows].map((cells, i) => {
			const row = document.createElement("tr");
			for (const text of cells) {
				const cell = document.createElement(i ? "td" : "th");
				cell.textContent = text;
				row.append(cell);
			}
			return row;
		}));
	};

	// chart draws curves over axes: x and y are {from, to, label, log}, and without from and to
	// as wide as the curves; with at, a list, it is labelled there alone. areas are {x, lower, upper, kind}, lines {x, y, kind, dash, name},
	// strips {from, to, name, kind} along the x-axis, dots {x, y, kind, r, name}, and marks {x}
	// lines across. A kind is a class of style.css. What has a name is in the legend. A line
	// has gaps where y is null, and is a dot where it has one point. The element's valueAt is the x of a pixel on an even axis.
	const chart = (id, {x, y, height = 300, strips = [], areas = [], lines = [], dots = [], marks = []}) => {
		const spread = (axis, values) => {
			const low = axis.from ?? Math.min(...values), high = axis.to ?? Math.max(...values), size = Math.max(Math.abs(low), Math.abs(high), 1);
			const room = axis.log ? 0 : high - low > 1e-6 * size ? 0.06 * (high - low) : 0.06 * size; // for what differs by rounding
			return {...axis, from: axis.from ?? low - room, to: axis.to ?? high + room};
		};
		x = spread(x, [...lines, ...dots].flatMap(l => l.x));
		y = spread(y, [...lines.flatMap(l => l.y).filter(v => v != null), ...areas.flatMap(a => [...a.lower, ...a.upper]), ...dots.map(d => d.y)]);
		fit(id, (e, width) => {
			const left = 56, right = width - 10, top = 10, bottom = height - 44, strip = strips.length ? 24 : 0;
			const scale = (axis, from, to) => {
				const f = axis.log ? Math.log : v => v;
				return v => from + (to - from) * (f(v) - f(axis.from)) / (f(axis.to) - f(axis.from));
			};
			const X = scale(x, left, right), Y = scale(y, bottom - strip, top);
			const labels = (axis, most) => axis.at?.map(at => ({at, name: String(at)})) ?? (axis.log ? logTicks : ticks)(axis.from, axis.to, most);
			const xs = labels(x, width / 75), ys = labels(y, height / 35);
			for (const t of ys) {
				svg(e, "line", {class: "grid", x1: left, x2: right, y1: Y(t.at), y2: Y(t.at)});
				svg(e, "text", {x: left - 7, y: Y(t.at) + 4, "text-anchor": "end"}, t.name);
			}
			for (const t of xs) {
				svg(e, "line", {class: "axis", x1: X(t.at), x2: X(t.at), y1: bottom, y2: bottom + 5});
				svg(e, "text", {x: X(t.at), y: bottom + 18, "text-anchor": X(t.at) > right - 12 ? "end" : "middle"}, t.name);
			}
			svg(e, "text", {x: (left + right) / 2, y: height - 6, "text-anchor": "middle"}, x.label);
			svg(e, "text", {x: 12, y: (top + bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 12 ${(top + bottom) / 2})`}, y.label);
			for (const s of strips) {
				svg(e, "rect", {class: "strip " + s.kind, x: X(s.from), y: bottom - strip, width: X(s.to) - X(s.from), height: strip});
				if (X(s.to) - X(s.from) > 7.5 * s.name.length + 8) svg(e, "text", {class: "strong", x: (X(s.from) + X(s.to)) / 2, y: bottom - strip / 2 + 4, "text-anchor": "middle"}, s.name);
			}
			for (const a of areas) {
				const back = a.x.map((v, i) => `${X(v)},${Y(a.lower[i])}`).reverse();
				svg(e, "polygon", {class: "area " + a.kind, points: [...a.x.map((v, i) => `${X(v)},${Y(a.upper[i])}`), ...back].join(" ")});
			}
			for (const m of marks) svg(e, "line", {class: "mark", x1: X(m.x), x2: X(m.x), y1: top, y2: bottom - strip});
			for (const l of lines) {
				const d = l.x.map((v, i) => l.y[i] == null ? "" : `${i && l.y[i - 1] != null ? "L" : "M"}${X(v)},${Y(l.y[i])}`).join("");
				svg(e, "path", {class: "curve " + l.kind, "stroke-dasharray": l.dash ?? "none", d});
				if (l.x.length == 1) svg(e, "circle", {class: "dot " + l.kind, cx: X(l.x[0]), cy: Y(l.y[0]), r: 4});
			}
			for (const d of dots) svg(e, "circle", {class: "dot " + d.kind, cx: X(d.x), cy: Y(d.y), r: d.r ?? 4});
			svg(e, "line", {class: "axis", x1: left, x2: right, y1: bottom, y2: bottom});
			e.valueAt = px => x.from + (x.to - x.from) * (px - left) / (right - left);
			return height;
		});
		describe(id, `${y.label} against ${x.label}`);
		legend(id, [...lines.filter(l => l.name), ...strips.map(s => ({...s, strip: true})), ...dots.filter(d => d.name)]);
	};

	// describe gives a drawing a description, by its caption.
	const describe = (id, text) => {
		const e = at(id);
		e.setAttribute("role", !e.hasAttribute("tabindex") ? "img" : "application"); // which has the arrow keys
		e.setAttribute("aria-label", `${e.closest("figure").querySelector("figcaption").textContent}. ${text}.`);
	};

	// legend lists what is drawn below a drawing, each name once.
	const legend = (id, things) => {
		const e = at(id);
		let list = e.parentElement.querySelector(".legend");
		if (!list) {
			list = document.createElement("ul");
			list.className = "legend";
			e.after(list);
		}
		list.replaceChildren();
		for (const [i, t] of things.entries()) {
			if (things.findIndex(u => u.name == t.name) < i) continue;
			const item = document.createElement("li"), key = svg(item, "svg", {viewBox: "0 0 26 14", height: 14, "aria-hidden": "true"});
			if (t.strip) svg(key, "rect", {class: "strip " + t.kind, width: 26, height: 14});
			else if (t.y?.length) svg(key, "line", {class: "curve " + t.kind, x1: 0, x2: 26, y1: 7, y2: 7, "stroke-dasharray": t.dash ?? "none"});
			else svg(key, "circle", {class: "dot " + t.kind, cx: 13, cy: 7, r: Math.min(t.r ?? 4, 6)});
			item.append(t.name);
			list.append(item);
		}
	};

	const api = {
		page(given, functions) {
			[name, page] = [given, functions];
			say("The solver starts.");
			const script = document.createElement("script");
			script.src = "solver.js";
			script.addEventListener("load", () => {
				loaded = true;
				update();
			});
			script.addEventListener("error", () => fail("The file solver.js, which computes, must lie beside this page."));
			document.body.append(script);
		},
		update, current: () => current, ask, limit, number, worth, count, optimal, limited, svg, fit, pointer, simplex, nudge, table, chart, describe, legend,
	};
	return api;
})();
