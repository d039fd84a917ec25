package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// claim is what the notebooks assert and must back: a sentence, and the paragraph or the output
// that it stands in.
type claim struct{ word, notebook, cell, sentence, around string }

var (
	sentenceEnd = regexp.MustCompile(`[.!?:;]\*{0,2}\)?\s|\n`)
	because     = regexp.MustCompile(`(?i)\bbecause\b`)
	// earns is a return as a number. What stands in a formula says itself how it is computed.
	earns = regexp.MustCompile(`\bearn(?:s|ed)?\b(?: (?:about|only|some|nearly|almost|exactly|at least|at most|less than|more than|from|between|on average|up to))* [−+-]?\.?(?:\d|½)`)
	// backed says how sure a return is: by an interval, a stated error, or because it has none.
	backed = regexp.MustCompile(`±|\[[−\d.,]+, [−\d.,]+\]|\([−\d.,]+ to [−\d.,]+|\bexact(?:ly)?\b|\bproved\b|in every episode|standard error|for certain|\bintervals?\b|95 ?%`)
)

// sentences returns the sentences of a text.
func sentences(text string) (list []string) {
	begin := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		list = append(list, strings.TrimSpace(text[begin:end[1]]))
		begin = end[1]
	}
	return append(list, strings.TrimSpace(text[begin:]))
}

// shown returns the text that a code cell shows, one output after the other.
func shown(c Cell) (outputs []string) {
	list, _ := c["outputs"].([]any)
	for _, o := range list {
		o, _ := o.(map[string]any)
		data, _ := o["data"].(map[string]any)
		outputs = append(outputs, Text(o["text"])+Text(data["text/plain"]))
	}
	return outputs
}

// eachCell calls a function for each cell of the notebooks, with the number of the notebook and the
// ID of the cell.
func eachCell(t *testing.T, each func(number, id string, c Cell)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range paths {
		number, _, _ := strings.Cut(Title(path), "_")
		nb, err := ReadNotebook(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells() {
			each(number, fmt.Sprint(c["id"]), c)
		}
	}
}

// claims returns what the notebooks assert with the words because and earns, in their text and in
// what their cells show.
func claims(t *testing.T) (list []claim) {
	t.Helper()
	eachCell(t, func(number, id string, c Cell) {
		around := shown(c)
		if c["cell_type"] == "markdown" {
			around = strings.Split(c.Source(), "\n\n")
		}
		for _, text := range around {
			for _, s := range sentences(text) {
				if because.MatchString(s) {
					list = append(list, claim{"because", number, id, s, text})
				}
				if earns.MatchString(s) {
					list = append(list, claim{"earns", number, id, s, text})
				}
			}
		}
	})
	return list
}

// review is a line of claims.txt: a sentence, by its cell and by words of it, and what backs it.
type review struct {
	line, word, notebook, cell, words, why string
	used                                   bool
}

// reviews reads claims.txt.
func reviews(t *testing.T) (list []*review) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "claims.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, " | ")
		f := strings.Fields(parts[0])
		if len(parts) != 3 || len(f) != 3 || len(strings.Fields(parts[2])) < 3 {
			t.Errorf("claims.txt: %q, want: because NN cell | words of the sentence | without: NN cell, or because of what it is true", line)
			continue
		}
		list = append(list, &review{line: line, word: f[0], notebook: f[1], cell: f[2], words: parts[1], why: parts[2]})
	}
	return list
}

// TestClaimsAreBacked: where a notebook says because, claims.txt names the cell that takes the
// cause away and shows what is left, or says in half a sentence why none is needed: a
// definition, a proof, arithmetic. Where it says that something earns a number, an interval or
// the word exact stands in the same paragraph, or claims.txt has why none is needed: a
// rule of the game.
func TestClaimsAreBacked(t *testing.T) {
	list := reviews(t)
	for _, c := range claims(t) {
		if c.word == "earns" && backed.MatchString(c.around) {
			continue
		}
		found := false
		for _, r := range list {
			if r.word == c.word && r.notebook == c.notebook && r.cell == c.cell && strings.Contains(c.sentence, r.words) {
				found, r.used = true, true
			}
		}
		if !found {
			t.Errorf("%s, cell %s: %q has no backing. %s", c.notebook, c.cell, c.sentence, map[string]string{
				"because": "Take the cause away in a cell, and add a line to testdata/claims.txt that names it, or that says why none is needed",
				"earns":   "Write the interval or the word exact beside the number, or add a line to testdata/claims.txt"}[c.word])
		}
	}
	names := cellNames(t)
	for _, r := range list {
		if !r.used {
			t.Errorf("claims.txt: %q is of no sentence that needs it", r.line)
		}
		if where, ok := strings.CutPrefix(r.why, "without: "); ok && !names[where] {
			t.Errorf("claims.txt: %q names a cell that is not there", r.line)
		}
	}
}

// cellNames has "NN id" for each cell of the notebooks that shows something or has answers.
func cellNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	eachCell(t, func(number, id string, c Cell) {
		if len(shown(c)) > 0 || id == "odd-answers" {
			names[number+" "+id] = true
		}
	})
	return names
}
