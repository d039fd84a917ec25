// The extension that JupyterLab loads: images are shown as ever, with what the kernel
// says of them in words as their description, and with buttons that save them. It is in
// the form that a bundler makes of a renderer for a MIME type, a container of one module
// that takes JupyterLab's own packages from what it shares.
(() => {
	let shared;
	const jupyter = async name => (await Object.values(shared[name])[0].get())();
	const renderer = async () => {
		const {RenderedImage} = await jupyter('@jupyterlab/rendermime');
		class Figure extends RenderedImage {
			async render(model) {
				await super.render(model);
				const img = this.node.querySelector('img');
				if (!img) return;
				img.alt = model.data['text/plain'] || '';
				addSaving(img);
			}
		}
		const rendererFactory = {safe: true, mimeTypes: ['image/png'], defaultRank: 90, createRenderer: options => new Figure(options)};
		return () => ({__esModule: true, default: {id: 'bayescpace-figures:factory', description: 'Shows figures with their description, and saves them.', rendererFactory, rank: 90, dataType: 'string'}});
	};
	window._JUPYTERLAB = window._JUPYTERLAB || {};
	window._JUPYTERLAB['bayescpace-figures'] = {init: scope => { shared = scope; }, get: renderer};
})();
