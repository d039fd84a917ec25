//go:build js && wasm

// Command live answers the questions of the live pages, as WebAssembly within a worker of
// the reader's browser. See ../internal/runner/live.go, which builds it and the pages.
package main

import (
	"syscall/js"

	"bayescpace/notebooks/live/answer"
)

// main gives the worker a function, answer(page, question), and waits for its calls. It
// returns {text} with the answer in JSON, or {error} with what is wrong with the question.
func main() {
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, err := answer.To(args[0].String(), []byte(args[1].String()))
		if err != nil {
			return map[string]any{"error": err.Error()}
		}
		return map[string]any{"text": string(text)}
	}))
	select {}
}
