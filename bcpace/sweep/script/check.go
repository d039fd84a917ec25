package script

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"
	"unicode"

	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/sweep"
)

// mostRetries is the most often that a shard may be run again.
const mostRetries = 1000

// namePattern is what names of jobs, pods, secrets, claims and queues look like.
var namePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

const wantName = "small letters, digits and dashes, at most 63"

// need returns an error with a text where ok is false, else nil; cmp.Or finds the first of several.
func need(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// check returns an error for a script that there cannot be, in the words of the command's flags.
func (a Shards) check(kind string) error {
	if err := cmp.Or(
		need(a.CPUs >= 1 && a.CPUs <= num.MaxWorkers, "--cpus is %d, want a number from 1 to %d", a.CPUs, num.MaxWorkers),
		need(a.Memory >= 1, "--memory is %d, want a number of megabytes above 0", a.Memory),
		need(a.Time >= time.Minute, "--time is %v, want a minute or more", a.Time),
		need(namePattern.MatchString(a.Name), "--name is %q, want %s", a.Name, wantName),
		need(a.Count >= 1 && a.Count <= sweep.MaxShards, "--shards is %d, want a number from 1 to %d", a.Count, sweep.MaxShards),
		need(a.Retries >= 0 && a.Retries <= mostRetries, "--retries is %d, want a number from 0 to %d", a.Retries, mostRetries),
		checkTexts(a.Program, a.Image, a.Sweep, a.Folder, a.Rows, a.Mount)); err != nil {
		return err
	}
	switch kind {
	case Slurm:
		return a.checkSlurm()
	case Kubernetes:
		return a.checkIndexes()
	case Snakemake:
		for _, name := range []string{absolute(a.Sweep), a.Rows} {
			if strings.ContainsAny(name, "{}") {
				return fmt.Errorf("%q has braces, which are wildcards of Snakemake: want a name without", name)
			}
		}
	}
	return nil
}

// checkSlurm returns an error for a task whose end Slurm could not announce in time.
func (a Shards) checkSlurm() error {
	return need(a.Time > a.Patience(), "--time is %v and --grace %v, want a time above %v: Slurm announces the end that long before", a.Time, a.Grace, a.Patience())
}

// mostIndexes is the most pods that an Indexed Job may have side by side.
const mostIndexes = 100_000

// checkIndexes returns an error for an Indexed Job that there cannot be: the names of its pods, each
// the Job's with its index, have 63 letters at most. It also does for what Kubernetes cannot mount.
func (a Shards) checkIndexes() error {
	host := fmt.Sprintf("%s-%d", a.Name, a.Count-1)
	mounts := namePattern.MatchString(a.Claim) && (a.Queue == "" || namePattern.MatchString(a.Queue)) && path.IsAbs(a.Mount)
	return cmp.Or(
		need(a.Count <= mostIndexes, "--shards is %d, want at most %d with kubernetes", a.Count, mostIndexes),
		need(namePattern.MatchString(host), "--name is %q, want %s with the index behind it, as in %q", a.Name, wantName, host),
		need(mounts, "--claim is %q, --queue %q and --mount %q, want a PersistentVolumeClaim, a queue if any, and a folder that begins with /", a.Claim, a.Queue, a.Mount))
}

// checkTexts returns an error for a text that would break a line of a script.
func checkTexts(texts ...string) error {
	for _, text := range texts {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%q has control characters, want a name without", text)
		}
	}
	return nil
}
