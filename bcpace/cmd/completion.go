package cmd

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"bayescpace/bcpace/numtext"
	"bayescpace/bcpace/solvers"
	"bayescpace/envs"
)

var completionVerb = newVerb[completionArgs]("completion", "print what makes a shell complete the words of this command",
	"bash|zsh|fish",
	"completion bash", "completion zsh", "completion fish")

// completionWord is the hidden verb by which the scripts ask.
const completionWord = "__complete"

// shells are the scripts. Each calls the program with the words so far, of which the last is to be completed, and takes a line for each that it may be. Where there
// is none, the shell completes the names of files.
var shells = map[string]string{
	"bash": `_bcpace() {
	mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" ` + completionWord + ` "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _bcpace bcpace
`,
	"zsh": `#compdef bcpace
_bcpace() {
	local -a list
	list=("${(@f)$("${words[1]}" ` + completionWord + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ -n "${list[1]}" ]]; then compadd -a list; else _files; fi
}
compdef _bcpace bcpace
`,
	"fish": `complete -c bcpace -a '(bcpace ` + completionWord + ` (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

// completionArgs are the argument of completion.
type completionArgs struct{ shell string }

func (a *completionArgs) flags(f *flags) {
	names := slices.Sorted(maps.Keys(shells))
	f.argument("SHELL", "one of "+strings.Join(names, ", ")+". Put what is printed where the shell looks for it: ~/.local/share/bash-completion/completions/bcpace, a file _bcpace in a folder of $fpath, or ~/.config/fish/completions/bcpace.fish", func(text string) error {
		if a.shell = text; shells[text] == "" {
			return fmt.Errorf("want %s", numtext.OneOf(text, names))
		}
		return nil
	})
}

// run is the verb completion.
func (a *completionArgs) run(p program, _ *flags) error {
	if a.shell == "" {
		return misuse("SHELL is missing: bash, zsh or fish")
	}
	_, err := io.WriteString(p.stdout, shells[a.shell])
	return err
}

// complete writes what the last of some words may be, a line each.
func complete(w io.Writer, words []string) error {
	if len(words) == 0 {
		return nil
	}
	last := len(words) - 1
	for _, x := range candidates(words[:last], words[last]) {
		if strings.HasPrefix(x, words[last]) {
			if _, err := fmt.Fprintln(w, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// candidates returns what may follow some words; nil where that may be a file or anything.
func candidates(before []string, word string) []string {
	if len(before) > 0 && before[0] == "help" {
		before = before[1:]
	}
	v, rest, ok := verbOf(before)
	switch {
	case !ok && len(before) == 0:
		return words("")
	case !ok && len(before) == 1:
		return words(before[0])
	case !ok:
		return nil
	case v.name == completionVerb.name:
		return slices.Sorted(maps.Keys(shells))
	case strings.HasPrefix(word, "-"):
		return append(v.flags().dashed(), "--help")
	case len(rest) == 0:
		return nil
	}
	switch flag, _ := strings.CutPrefix(rest[len(rest)-1], "--"); flag {
	case "env":
		return append(namesOf(envs.List()), hiddenNames()...)
	case "algorithm":
		return append(solvers.Names(), solvers.PlannerNames()...)
	case "figure":
		return slices.Sorted(maps.Keys(figures))
	case "set":
		if i := slices.Index(rest, "--env"); i >= 0 && i+1 < len(rest) {
			return keysOf(rest[i+1])
		}
	}
	return nil
}

// keysOf returns what --set may begin with.
func keysOf(env string) (keys []string) {
	for _, x := range envs.List() {
		if x.Name == env {
			keys = each(x.Params, func(p envs.ParamInfo) string { return p.Key + "=" })
		}
	}
	return keys
}
