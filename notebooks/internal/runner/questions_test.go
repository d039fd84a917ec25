package runner

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// questionsIn returns the questions of a notebook by "topic number": the numbered lines below
// its heading Questions.
func questionsIn(t *testing.T, path string) map[string]string {
	t.Helper()
	nb, err := ReadNotebook(path)
	if err != nil {
		t.Fatal(err)
	}
	_, topic, _ := strings.Cut(Title(path), "_")
	item := regexp.MustCompile(`^(\d+)\. (.*)`)
	questions, below := make(map[string]string), false
	for _, c := range nb.Cells() {
		for line := range strings.Lines(Text(c["source"])) {
			if c["cell_type"] != "markdown" {
				continue
			}
			if strings.HasPrefix(line, "#") {
				below = strings.TrimSpace(strings.TrimLeft(line, "#")) == "Questions"
			}
			if m := item.FindStringSubmatch(line); below && m != nil {
				questions[topic+" "+m[1]] = m[2]
			}
			if strings.HasPrefix(line, "*Question") || strings.HasPrefix(line, "**Question") {
				t.Errorf("%s: %q stands alone; put the question into the numbered list under the heading Questions", Title(path), line)
			}
		}
	}
	return questions
}

// Every question in a notebook has a line in questions.txt, with words of it, and the key has
// an answer for every line (package course). So a new or changed question fails here until
// somebody has seen to its answer.
func TestQuestionsHaveAKey(t *testing.T) {
	asked := make(map[string]string)
	paths, err := filepath.Glob(filepath.Join("..", "..", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	for _, path := range paths {
		maps.Copy(asked, questionsIn(t, path))
	}
	list, err := os.ReadFile(filepath.Join("..", "..", "assignments", "questions.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		f := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(f) < 3 {
			t.Errorf("questions.txt: %q, want a topic, a number and words of the question", line)
			continue
		}
		name := f[0] + " " + f[1]
		question, ok := asked[name]
		switch {
		case !ok:
			t.Errorf("questions.txt has %q, which no notebook asks", name)
		case !strings.Contains(question, f[2]):
			t.Errorf("%s is now %q, without %q: look at its answer in the key (notebooks/assignments/README.md), then write words of the question into questions.txt", name, question, f[2])
		}
		delete(asked, name)
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		t.Errorf("%s has no line in questions.txt: answer it in the key (notebooks/assignments/README.md) and add the line: %s %s", name, name, asked[name])
	}
}

// Below its questions a notebook has a folded answer to each one of an odd number, and to no other.
func TestOddAnswers(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "*.ipynb"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks: %v", err)
	}
	answer := regexp.MustCompile(`(?m)^\*\*(\d+)\.\*\* \S`)
	for _, path := range paths {
		_, topic, _ := strings.Cut(Title(path), "_")
		var want, got []string
		for name := range questionsIn(t, path) {
			if number, err := strconv.Atoi(strings.TrimPrefix(name, topic+" ")); err == nil && number%2 == 1 {
				want = append(want, strconv.Itoa(number))
			}
		}
		nb, err := ReadNotebook(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells() {
			if text := c.Source(); strings.HasPrefix(text, "<details><summary>Answers to the odd questions</summary>\n\n") && strings.HasSuffix(text, "\n\n</details>") {
				for _, m := range answer.FindAllStringSubmatch(text, -1) {
					got = append(got, m[1])
				}
			}
		}
		if slices.Sort(want); !slices.Equal(got, want) {
			t.Errorf("%s: answers to %v are folded below the questions, want those to %v", Title(path), got, want)
		}
	}
}
