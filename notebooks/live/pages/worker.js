// The worker of a live page. It stands behind Go's wasm_exec.js in one script. The page sends
// the program first, gzipped and in base64, and then questions. It gets {} for a program that
// has started, {text} or {error} for a question, and {ended} where the program has ended.
"use strict";

const bytesOf = base64 => Uint8Array.fromBase64 ? Uint8Array.fromBase64(base64)
	: Uint8Array.from(atob(base64), c => c.charCodeAt(0));

const start = async base64 => {
	const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("gzip"));
	const program = new Response(stream, {headers: {"Content-Type": "application/wasm"}});
	const go = new Go();
	const {instance} = await WebAssembly.instantiateStreaming(program, go.importObject);
	go.run(instance); // defines answer before its first wait
};

onmessage = async ({data: {program, page, question}}) => {
	try {
		if (program) {
			await start(program);
			postMessage({});
			return;
		}
		const said = answer(page, question);
		if (!said) throw new Error("it has given no answer"); // as Go does after a panic
		postMessage(said);
	} catch (e) {
		postMessage({ended: e.message || String(e)});
	}
};
