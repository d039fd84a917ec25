//go:build unix

package front

import (
	"strings"
	"testing"
)

//test:race
func TestMeant(t *testing.T) {
	t.Parallel()
	const source = "import (\n\t\"fmt\"\n\t\"bayescpace/viz\"\n\tmodels \"bayescpace/envs\"\n)"
	for message, want := range map[string]string{
		`package bayescpace/vizz is not in std (/usr/local/go/src/bayescpace/vizz)`:        `did you mean "bayescpace/viz"?`,
		`package bayescpace/bcpace/certifed is not in std`:                                 `did you mean "bayescpace/bcpace/certified"?`,
		`package elsewhere/x is not in std`:                                                "",
		"undefined: viz.Linse (no import gives a package viz, or viz has no Linse)":        `did you mean "Lines"?`,
		"undefined: models.Tigr (no import gives a package models, or models has no Tigr)": `did you mean "Tiger"?`,
		"undefined: viz.Nothing": "",
		"undefined: fmt.Prinln":  "",
		"undefined: x":           "",
	} {
		if got := meant(".", message, source); got != want {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}

//test:race
func TestShown(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"declared and not used: tiger":                                    "nb.Show(tiger)",
		"tiger is not used":                                               "nb.Show(tiger)",
		"tiger (variable of struct type envs.Tiger) is not used":          "nb.Show(tiger)",
		"run.Value (value of type func(s []float64) float64) is not used": "nb.Show(run.Value)",
		"x + 1 (value of type int) is not used":                           "",
		"\"fmt\" imported and not used":                                   "",
	} {
		if got := shown(message); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", message, got, want)
		}
	}
}
