//go:build unix

package front

import (
	"context"
	"errors"
	"strings"
	"time"
)

// helper answers what a person who writes a cell asks. GoNB would answer when no cell
// runs only, and twelve seconds after its start.
type helper interface {
	Warm(context.Context)
	Ran(cell string)
	Complete(ctx context.Context, cell string, cursor int) (Completions, error)
	Inspect(ctx context.Context, cell string, cursor int) (string, error)
}

// patienceForHelp ends an answer that nobody waits for any more.
const patienceForHelp = time.Minute

// meanwhile answers a request that takes its time, while others go on.
func (f *front) meanwhile(ctx context.Context, r request, kind string, find func(context.Context, content) map[string]any) {
	go func() {
		finding, cancel := context.WithTimeout(ctx, patienceForHelp)
		defer cancel()
		found := find(finding, r.says())
		select {
		case f.do <- func() { f.answer(r, kind, found) }:
		case <-ctx.Done():
		}
	}()
}

// completion finds what could stand at a place; nothing where that fails, as there is
// nobody to tell.
func (f *front) completion(ctx context.Context, a content) map[string]any {
	c, err := f.complete(ctx, a)
	switch {
	case errors.Is(err, errSlow):
		c = said(a, "completion is starting …", "press Tab again in some seconds")
	case errors.Is(err, ErrAbsent):
		c = said(a, "completion is being installed …", "go run ./notebooks lab does that while you work")
	case err != nil:
		c = Completions{Start: a.Cursor, End: a.Cursor}
	}
	matches, types := []string{}, []any{}
	for _, m := range c.Matches {
		matches = append(matches, m.Text)
		text := m.Text
		if m.Kind == noKind { // what is chosen changes nothing
			text = " "
		}
		types = append(types, map[string]any{"start": c.Start, "end": c.End, "text": text, "type": kindOf(m), "signature": m.Type})
	}
	return map[string]any{
		"status": "ok", "matches": matches, "cursor_start": c.Start, "cursor_end": c.End,
		"metadata": map[string]any{"_jupyter_types_experimental": types},
	}
}

// longKind is how much of a type is shown beside a name.
const longKind = 40

// kindOf says what a name is, as JupyterLab shows it beside the name, with the letter that it begins with before: the signature of a function,
// and of other names the kind with the type.
func kindOf(m Match) string {
	text := m.Kind
	switch {
	case m.Type == "" || m.Kind == "" || m.Kind == "class" || m.Kind == "module":
	case m.Kind == "function":
		text = m.Type
	default:
		text += " " + m.Type
	}
	text = strings.ReplaceAll(text, " ", "\u00a0") // JupyterLab has one line for it
	if runes := []rune(text); len(runes) > longKind {
		return string(runes[:longKind-1]) + "…"
	}
	return text
}

// soon is how long an answer may take before it says that there is none yet.
const soon = 2 * time.Second

// errSlow says that completion is not ready.
var errSlow = errors.New("there is no answer yet")

// complete asks the helper, and waits for it no longer than somebody likes to wait. A question goes on then, as its answer makes the next one quick;
// until it has ended there is no other.
func (f *front) complete(ctx context.Context, a content) (Completions, error) {
	late := time.After(f.soon)
	select {
	case f.asking <- struct{}{}:
	case <-late:
		return Completions{}, errSlow
	}
	answered := make(chan struct{})
	var found Completions
	var err error
	go func() {
		defer func() { <-f.asking }()
		asking, cancel := context.WithTimeout(context.WithoutCancel(ctx), patienceForHelp)
		defer cancel()
		found, err = f.helper.Complete(asking, a.Code, a.Cursor)
		close(answered)
	}()
	select {
	case <-answered:
		return found, err
	case <-late:
		return Completions{}, errSlow
	}
}

// noKind is the kind of what is no completion.
const noKind = "note"

// said is a list that says something. It has more than one entry, as a single one would be put into the cell.
func said(a content, lines ...string) Completions {
	c := Completions{Start: a.Cursor, End: a.Cursor}
	for _, line := range lines {
		c.Matches = append(c.Matches, Match{Text: line, Kind: noKind})
	}
	return c
}

// inspection finds help on what stands at a place.
func (f *front) inspection(ctx context.Context, a content) map[string]any {
	text, err := f.helper.Inspect(ctx, a.Code, a.Cursor)
	if errors.Is(err, ErrAbsent) {
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
