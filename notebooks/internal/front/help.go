//go:build unix

package front

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"bayescpace/notebooks/internal/gopls"
)

// helper answers what a person who writes a cell asks. GoNB would answer when no cell
// runs only, and twelve seconds after its start.
type helper interface {
	Warm(context.Context)
	Ran(cell string)
	Complete(ctx context.Context, cell string, cursor int) (gopls.Completions, error)
	Inspect(ctx context.Context, cell string, cursor int) (string, error)
}

// asked is the part of a cell that somebody asks about.
type asked struct {
	Code   string `json:"code"`
	Cursor int    `json:"cursor_pos"` // in characters
}

// patienceForHelp ends an answer that nobody waits for any more.
const patienceForHelp = time.Minute

// meanwhile answers a request that takes its time, while others go on.
func (f *front) meanwhile(ctx context.Context, r request, kind string, find func(context.Context, asked) map[string]any) {
	var a asked
	json.Unmarshal(r.content, &a) // what is not there is asked at the beginning of nothing
	go func() {
		finding, cancel := context.WithTimeout(ctx, patienceForHelp)
		defer cancel()
		content := find(finding, a)
		select {
		case f.do <- func() { f.answer(r, kind, content) }:
		case <-ctx.Done():
		}
	}()
}

// completion finds what could stand at a place; nothing where that fails, as there is
// nobody to tell.
func (f *front) completion(ctx context.Context, a asked) map[string]any {
	c, err := f.helper.Complete(ctx, a.Code, a.Cursor)
	if err != nil {
		c = gopls.Completions{Start: a.Cursor, End: a.Cursor}
	}
	matches, types := []string{}, []any{}
	for _, m := range c.Matches {
		matches = append(matches, m.Text)
		types = append(types, map[string]any{"start": c.Start, "end": c.End, "text": m.Text, "type": m.Kind, "signature": m.Type})
	}
	return map[string]any{
		"status": "ok", "matches": matches, "cursor_start": c.Start, "cursor_end": c.End,
		"metadata": map[string]any{"_jupyter_types_experimental": types},
	}
}

// inspection finds help on what stands at a place.
func (f *front) inspection(ctx context.Context, a asked) map[string]any {
	text, err := f.helper.Inspect(ctx, a.Code, a.Cursor)
	if errors.Is(err, gopls.ErrAbsent) {
		text = "There is no help yet: `go run ./notebooks lab` installs gopls, which has it."
	} else if err != nil {
		text = ""
	}
	data := map[string]any{}
	if text != "" {
		data["text/markdown"], data["text/plain"] = text, text
	}
	return map[string]any{"status": "ok", "found": text != "", "data": data, "metadata": map[string]any{}}
}
