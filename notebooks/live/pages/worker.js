// The worker of a live page. It stands behind Go's wasm_exec.js in one script. The page sends
// the program first, gzipped and in base64, and then questions.
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

let started;
onmessage = async ({data: {program, id, page, question}}) => {
	try {
		if (program) started = start(program);
		await started;
		if (page) postMessage({id, ...answer(page, question)});
	} catch (e) {
		postMessage({id, error: `the program of this page has stopped: ${e.message ?? e}`});
	}
};
