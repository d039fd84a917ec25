//go:build unix

package front

import (
	"os"
	"strings"
	"testing"
)

//test:race
func TestMeant(t *testing.T) {
	t.Parallel()
	var declared cells
	declared.add("var tiger = 1")
	k := known{sources: map[int]source{
		1: {text: "import (\n\t\"fmt\"\n\t\"bayescpace/viz\"\n\tmodels \"bayescpace/envs\"\n)"},
		2: {text: "x, y := 1, 2\nfmt.Println(x, y)"},
		3: {text: "var late = 1 / 0"},
		4: {text: "%%\nfor i := range 3 {\n}\ni"},
	}, current: 4, declared: declared, program: &program{root: "../../..", dir: ".", env: os.Environ()}}
	for message, want := range map[string]string{
		"undefined: viz.Linse (nothing imports or declares viz, or viz has no Linse)":        "\nDid you mean \"Lines\"?",
		"undefined: models.Tigr (nothing imports or declares models, or models has no Tigr)": "\nDid you mean \"Tiger\"?",
		"undefined: viz.Nothing": "",
		"undefined: fmt.Prinln":  "\nDid you mean \"Println\"?",
		"undefined: ftm.Println": "\nDid you mean \"fmt\"?",
		"undefined: tigr":        "\nDid you mean \"tiger\"?",
		"undefined: nowhere":     "\nNo cell that has been executed declares nowhere.",
		"undefined: y":           "\nThe variable y of cell [2] ended with that cell. For all cells to have it, declare it there above the statements: var y = …",
		"undefined: y.Spec":      "\nThe variable y of cell [2] ended with that cell. For all cells to have it, declare it there above the statements: var y = …",
		"undefined: late":        "\nCell [3] declares late, but has failed: execute it again.",
		"undefined: i":           "\nA variable ends with the braces that it is declared in: declare i before them.",
		"no name":                "",
	} {
		if got := k.meant(message, ""); got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
	if got := k.meant("undefined: w", "\n    v, w = 3, 4\n    ^"); got != "\nA new variable begins with := here: w := …" {
		t.Errorf("v, w = 3, 4: %q", got)
	}
	if got := k.meant("undefined: w", "\n    v = w\n        ^"); got != "\nNo cell that has been executed declares w." {
		t.Errorf("v = w: %q", got)
	}
}

//test:race
func TestShown(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"declared and not used: tiger":                                    "a line tiger.",
		"tiger is not used":                                               "nb.Show(tiger)",
		"tiger (variable of struct type envs.Tiger) is not used":          "nb.Show(tiger)",
		"run.Value (value of type func(s []float64) float64) is not used": "nb.Show(run.Value)",
		"x + 1 (value of type int) is not used":                           "",
		"\"fmt\" imported and not used":                                   "",
	} {
		if got, _ := habitOf(message, ""); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}
