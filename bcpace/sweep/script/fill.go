package script

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
	"time"
)

//go:embed templates/*.tmpl
var files embed.FS

// templates are the scripts, by who is started and the kind of script, such as workers-slurm.tmpl.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"absolute": absolute, "dir": filepath.Dir, "base": filepath.Base, "ext": filepath.Ext, "key": File.key,
	"shell": func(args ...string) string { return shellLine(args) }, "line": shellLine, "quoted": quoted, "groovy": groovy,
	"seconds": seconds, "minutes": func(d time.Duration) int { return (seconds(d) + 59) / 60 }, "clock": clock, "codes": codes,
}).ParseFS(files, "templates/*.tmpl"))

// sheet is what a template is filled with.
type sheet struct {
	ClusterTask
	Container string   // what a pod calls its container
	Arguments []string // of the program
	Heap      int      // the megabytes at which a process gives memory back
	Secrets   string   // where a pod has the files of its Secret
	Job       any      // the Workers or the Shards
}

// filled returns a template with its values.
func filled(name string, s sheet) string {
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name+".tmpl", s); err != nil {
		panic(err) // a template of this package
	}
	return b.String()
}

// seconds returns a time in whole seconds, rounded up.
func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// clock writes a time as Slurm does, in days, hours, minutes and seconds.
func clock(d time.Duration) string {
	s := seconds(d)
	return fmt.Sprintf("%d-%02d:%02d:%02d", s/86400, s/3600%24, s/60%60, s%60)
}

// codes writes the exit codes with which a shard is run again: its own, and those of a process that
// SIGKILL or SIGTERM has ended, as where it took too much memory.
func codes(by string) string {
	const killed, terminated = 137, 143
	return strings.Join(strings.Fields(fmt.Sprintln(ExitAgain, ExitInterrupted, killed, terminated)), by)
}

// absolute returns the name of a file as the machines of a cluster see it, who do not begin in
// the same folder.
func absolute(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		return abs
	}
	return file
}

// plain are arguments that need no quotes in a shell.
var plain = regexp.MustCompile(`^[-A-Za-z0-9_./:,=@%+]+$`)

// shellLine quotes those of the arguments for a shell that need quotes.
func shellLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		if quoted[i] = arg; !plain.MatchString(arg) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// quoted quotes a text for YAML and for Python, of both of which a string of JSON is one.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic(err) // a text has one
	}
	return strings.TrimSpace(b.String())
}

// groovy quotes a text for Groovy, without anything that it would fill in.
func groovy(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
