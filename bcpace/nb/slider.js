function (script, data) {
	const make = (tag, css, more) => {
		const e = Object.assign(document.createElement(tag), more);
		e.style.cssText = css;
		return e;
	};
	const strips = data.strips.map(src => make('img', 'max-width:none;height:auto;margin:0', {src}));
	const last = data.frames.length - 1;
	const range = make('input', 'vertical-align:middle', {type: 'range', min: 0, max: last, value: 0});
	range.dataset.lmSuppressShortcuts = 'true'; // JupyterLab leaves it the keys that move it
	const label = make('label', '', {textContent: data.along + ' '}), frame = make('div', ''), caption = make('p', 'display:inline;margin:0 0 0 0.8em');
	label.append(range);
	const play = make('button', 'margin-left:0.5em;vertical-align:middle', {type: 'button', textContent: 'Play'});
	play.dataset.lmSuppressShortcuts = 'true';
	const show = () => {
		const at = Number(range.value), said = (data.along && data.along + ': ') + data.labels[at];
		caption.textContent = said;
		range.setAttribute('aria-valuetext', said);
		frame.replaceChildren(...data.frames[at].map(part => {
			if (part.html) return make('div', 'margin:0.3em 0', {innerHTML: part.html});
			const strip = strips[part.strip], card = make('div', `width:${part.width}px;max-width:100%;overflow:hidden;position:relative;isolation:isolate;background:#fff;border-radius:6px;margin:0.3em 0`);
			strip.alt = said + '. ' + part.alt;
			strip.style.width = 100 * part.of + '%';
			strip.style.marginLeft = -100 * part.at + '%';
			card.append(strip);
			if (part.base) {
				const base = strips[part.base - 1];
				base.alt = '';
				base.style.cssText = 'position:absolute;left:0;top:0;width:100%;max-width:none;height:auto;margin:0;z-index:-1';
				card.append(base);
			}
			return card;
		}));
	};
	const box = script.parentNode;
	let timer = 0;
	const pause = () => {
		clearInterval(timer);
		timer = 0;
		play.textContent = 'Play';
	};
	const next = () => {
		range.value = Number(range.value) + 1;
		show();
		if (Number(range.value) === last || !box.isConnected) pause();
	};
	play.onclick = () => {
		if (timer) return pause();
		if (Number(range.value) === last) {
			range.value = 0;
			show();
		}
		timer = setInterval(next, data.every);
		play.textContent = 'Pause';
	};
	range.oninput = () => {
		pause();
		show();
	};
	box.replaceChildren(label, ...(data.every && last ? [play] : []), caption, frame); // what is moved stands above what it moves
	show();
	// The outputs before it show the last frame where scripts do not run.
	let output = box.closest('.jp-OutputArea-child, .output_area');
	for (let i = 0; i < data.outputs && output; i++) {
		output = output.previousElementSibling;
		if (output) output.style.display = 'none';
	}
}
