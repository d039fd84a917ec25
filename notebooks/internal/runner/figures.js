// addSaving puts buttons beside the image of a figure that save it: as the PNG image
// that it is, and as SVG where it carries one (see carry in package nb).
function addSaving(img) {
	const png = Uint8Array.from(atob(img.src.split(',')[1]), c => c.charCodeAt(0));
	const bar = document.createElement('span');
	bar.className = 'bayescpace-save';
	bar.dataset.lmSuppressShortcuts = 'true'; // JupyterLab leaves it the keys that press a button
	const button = (kind, type, content) => {
		const b = document.createElement('button');
		b.type = 'button';
		b.textContent = kind;
		b.title = 'Save the figure as ' + kind;
		b.setAttribute('aria-label', b.title);
		b.onclick = async () => {
			const a = document.createElement('a');
			a.href = URL.createObjectURL(new Blob([await content()], {type}));
			a.download = (img.alt.split(/[.\n]/)[0].replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '').slice(0, 60) || 'figure') + '.' + kind.toLowerCase();
			a.click();
			setTimeout(() => URL.revokeObjectURL(a.href), 60000);
		};
		bar.append(b);
	};
	button('PNG', 'image/png', () => png);
	const view = new DataView(png.buffer), mark = 'iTXtSVG\0\x01\0\0\0';
	for (let at = 8; at < png.length; at += 12 + view.getUint32(at)) {
		if (String.fromCharCode(...png.subarray(at + 4, at + 4 + mark.length)) !== mark) continue;
		const packed = png.slice(at + 4 + mark.length, at + 8 + view.getUint32(at));
		button('SVG', 'image/svg+xml', () => new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).arrayBuffer());
	}
	const frame = document.createElement('span');
	frame.className = 'bayescpace-figure';
	img.replaceWith(frame);
	frame.append(img, bar);
	if (document.querySelector('#bayescpace-figures')) return;
	const style = document.createElement('style');
	style.id = 'bayescpace-figures';
	style.textContent = `
		.bayescpace-figure { position: relative; display: inline-block; max-width: 100% }
		.bayescpace-save { position: absolute; top: 6px; right: 6px; clip-path: inset(50%) }
		.bayescpace-figure:hover .bayescpace-save, .bayescpace-save:focus-within { clip-path: none }
		@media (hover: none) { .bayescpace-save { clip-path: none } }
		@media print { .bayescpace-save { display: none } }
		.bayescpace-save button { margin-left: 4px; padding: 1px 6px; border: 1px solid #767676; border-radius: 3px; background: #fff; color: #212121; font: 12px/1.4 sans-serif; cursor: pointer }
		.bayescpace-save button:focus-visible { outline: 2px solid #1976d2 }`;
	document.head.append(style);
}
