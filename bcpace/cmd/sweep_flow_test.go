package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"bayescpace/bcpace/internal/runtest"
)

// indexedJob is what the tests read of the manifest of an Indexed Job.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct {
		Name   string
		Labels map[string]string
	}
	Spec struct {
		Suspend                  bool
		CompletionMode           string `yaml:"completionMode"`
		Parallelism, Completions int
		BackoffLimit             *int `yaml:"backoffLimit"`
		BackoffLimitPerIndex     int  `yaml:"backoffLimitPerIndex"`
		PodFailurePolicy         struct {
			Rules []struct {
				Action          string
				OnExitCodes     *exitCodesRule      `yaml:"onExitCodes"`
				OnPodConditions []map[string]string `yaml:"onPodConditions"`
			}
		} `yaml:"podFailurePolicy"`
		Template struct {
			Spec struct {
				RestartPolicy                 string `yaml:"restartPolicy"`
				ActiveDeadlineSeconds         int    `yaml:"activeDeadlineSeconds"`
				TerminationGracePeriodSeconds int    `yaml:"terminationGracePeriodSeconds"`
				Containers                    []struct {
					Name, Image string
					Args        []string
					Resources   struct{ Requests, Limits map[string]string }
					Mounts      []map[string]string `yaml:"volumeMounts"`
				}
				Volumes []map[string]any
			}
		}
	}
}

type exitCodesRule struct {
	ContainerName, Operator string
	Values                  []int
}

// UnmarshalYAML reads the rule's name of the container too, whose key has a capital.
func (r *exitCodesRule) UnmarshalYAML(n *yaml.Node) error {
	var all struct {
		ContainerName string `yaml:"containerName"`
		Operator      string
		Values        []int
	}
	err := n.Decode(&all)
	*r = exitCodesRule(all)
	return err
}

// TestIndexedJob reads the manifest of an Indexed Job: what its API asks of the fields that go
// together, and that only the exit codes of errors that come again end an index.
func TestIndexedJob(t *testing.T) {
	t.Parallel()
	const image = `example.org/it's "my":1 # image`
	manifest := succeed(t, append(line("sweep script kubernetes --sweep my.json --folder results --claim sweeps --shards 40 --cpus 4 --memory 4096 --time 2h --grace 20s --retries 3 --queue research"), "--image", image)...)
	var j indexedJob
	if err := yaml.Unmarshal([]byte(manifest), &j); err != nil {
		t.Fatalf("%v in\n%s", err, manifest)
	}
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Metadata.Name != "bcpace-shard" || j.Metadata.Labels["kueue.x-k8s.io/queue-name"] != "research" || !j.Spec.Suspend ||
		j.Spec.CompletionMode != "Indexed" || j.Spec.Completions != 40 || j.Spec.Parallelism != 40 || j.Spec.BackoffLimitPerIndex != 3 || j.Spec.BackoffLimit != nil {
		t.Errorf("the job is %+v", j)
	}
	pod := j.Spec.Template.Spec
	if pod.RestartPolicy != "Never" || pod.ActiveDeadlineSeconds != 7200 || pod.TerminationGracePeriodSeconds != 50 || len(pod.Containers) != 1 || len(pod.Volumes) != 2 {
		t.Fatalf("the pod is %+v", pod)
	}
	shard := pod.Containers[0]
	if want := []string{"sweep", "run", "/sweep/my.json", "--shard", "auto/40", "--folder", "/sweep/results", "--workers", "4", "--grace", "20s"}; !reflect.DeepEqual(shard.Args, want) || shard.Image != image {
		t.Errorf("the shard is %s with %q, want %q", shard.Image, shard.Args, want)
	}
	if err := sweepRunVerb.flags().parse(shard.Args[2:]); err != nil {
		t.Error(err)
	}
	if r := shard.Resources; r.Requests["cpu"] != "4" || r.Requests["memory"] != "4096Mi" || r.Limits["memory"] != "4096Mi" {
		t.Errorf("the resources are %+v", r)
	}
	if m := shard.Mounts[1]; m["mountPath"] != "/sweep" || m["name"] != pod.Volumes[1]["name"] || !reflect.DeepEqual(pod.Volumes[1]["persistentVolumeClaim"], map[string]any{"claimName": "sweeps"}) {
		t.Errorf("the claim is mounted as %v of %v", m, pod.Volumes)
	}
	rules := j.Spec.PodFailurePolicy.Rules
	if len(rules) != 2 || rules[0].Action != "Ignore" || !reflect.DeepEqual(rules[0].OnPodConditions, []map[string]string{{"type": "DisruptionTarget"}}) ||
		rules[1].Action != "FailIndex" || !reflect.DeepEqual(rules[1].OnExitCodes, &exitCodesRule{shard.Name, "In", []int{exitError, exitUsage}}) {
		t.Errorf("the rules are %+v", rules)
	}
	for _, code := range []int{exitOK, exitAgain, exitInterrupted} {
		if slices.Contains(rules[1].OnExitCodes.Values, code) {
			t.Errorf("exit code %d ends an index", code)
		}
	}
	checkKubectl(t, manifest)
	alone := succeed(t, line("sweep script kubernetes --indexed --sweep my.json --folder results --claim sweeps --shards 2 --image a")...)
	if strings.Contains(alone, "kueue") || strings.Contains(alone, "suspend") {
		t.Errorf("without a queue the manifest is\n%s", alone)
	}
	checkKubectl(t, alone)
}

// checkKubectl has kubectl, where there is one, read a manifest. It knows the fields of a Job.
func checkKubectl(t *testing.T, manifest string) {
	t.Helper()
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return
	}
	cmd := exec.Command(kubectl, "label", "--local", "--filename=-", "a=b", "--dry-run=client", "--output=name")
	cmd.Stdin = strings.NewReader(manifest)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("kubectl: %v: %s", err, out)
	}
}

// hostile are names that no quotes must let out.
const (
	hostileSweep  = `/shared/it's "my" $(sweep) {x} \ ${y}.json`
	hostileFolder = `/shared/re'sults "${z}"`
)

// TestSnakefile makes classes of Snakemake's rules and calls of their keys, which leaves a program of
// Python, and has Python parse it and say what it holds.
func TestSnakefile(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		runtest.Lacks(t, "no python3")
	}
	braces := strings.NewReplacer("{", "", "}", "") // wildcards of Snakemake, which are refused
	sweep, folder := braces.Replace(hostileSweep), braces.Replace(hostileFolder)
	text := succeed(t, "sweep", "script", "snakemake", "--sweep", sweep, "--folder", folder, "--shards", "40", "--cpus", "4", "--time", "90m", "--rows", "out/rows.csv", "--retries", "2")
	const read = `
import ast, json, re, sys
lines = []
for line in sys.stdin.read().split("\n"):
    line = re.sub(r"^rule (\w+):$", r"class \1:", line)
    line = re.sub(r"^    (\w+): (.*)$", r"    \1(\2)", line)
    lines.append(line)
found = {}
for node in ast.parse("\n".join(lines)).body:
    if isinstance(node, ast.Assign):
        found[node.targets[0].id] = ast.literal_eval(node.value)
    else:
        found[node.name] = {call.value.func.id: [ast.unparse(x) for x in call.value.args] + [k.arg + "=" + ast.unparse(k.value) for k in call.value.keywords] for call in node.body}
print(json.dumps(found))
`
	cmd := exec.Command(python, "-c", read)
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s in\n%s", err, out, text)
	}
	type rule map[string][]string
	got := decode[struct {
		PROGRAM, SWEEP, FOLDER string
		SHARDS                 int
		All, Shard, Merge      rule
	}](t, string(out))
	if got.PROGRAM != "bcpace" || got.SWEEP != sweep || got.FOLDER != folder || got.SHARDS != 40 {
		t.Errorf("the constants are %+v", got)
	}
	for _, c := range []struct{ got, want rule }{
		{got.All, rule{"input": {"'out/rows.csv'"}}},
		{got.Shard, rule{"input": {"SWEEP"}, "output": {"touch('shards/{shard}-of-40.done')"}, "wildcard_constraints": {`shard='\\d+'`}, "threads": {"4"},
			"resources": {"mem_mb=2048", "runtime=90"}, "retries": {"2"},
			"shell": {"'{PROGRAM:q} sweep run {SWEEP:q} --shard {wildcards.shard}/{SHARDS} --folder {FOLDER:q} --workers {threads} --grace 30s'"}}},
		{got.Merge, rule{"input": {"expand('shards/{shard}-of-40.done', shard=range(1, SHARDS + 1))"}, "output": {"'out/rows.csv'"},
			"shell": {"'{PROGRAM:q} sweep merge {FOLDER:q} --out {output:q}'"}}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("a rule is %q, want %q", c.got, c.want)
		}
	}
}

// TestNextflow reads the text for Nextflow as far as that is possible without its program: brackets and
// quotes close, the processes are there, and a shell gives the commands back the names as they were.
func TestNextflow(t *testing.T) {
	t.Parallel()
	text := succeed(t, "sweep", "script", "nextflow", "--sweep", hostileSweep, "--folder", hostileFolder, "--shards", "40", "--cpus", "4", "--rows", "out/rows.json")
	params := map[string]string{}
	var open []rune
	for _, l := range strings.Split(text, "\n") {
		if name, value, ok := strings.Cut(l, " = "); ok && strings.HasPrefix(name, "params.") {
			if strings.HasPrefix(value, "'") { // as Groovy reads it
				value = strings.NewReplacer(`\\`, `\`, `\'`, "'").Replace(value[1 : len(value)-1])
			}
			params[name] = value
			continue
		}
		inText := false
		for _, r := range l {
			switch {
			case r == '\'' || r == '"':
				inText = !inText
			case inText:
			case strings.ContainsRune("([{", r):
				open = append(open, r)
			case strings.ContainsRune(")]}", r):
				if len(open) == 0 || strings.IndexRune("([{", open[len(open)-1]) != strings.IndexRune(")]}", r) {
					t.Fatalf("a bracket %c closes nothing in %q", r, l)
				}
				open = open[:len(open)-1]
			}
		}
		if inText && !strings.Contains(l, `"""`) {
			t.Errorf("a text does not end in %q", l)
		}
	}
	if len(open) > 0 {
		t.Errorf("brackets %q are not closed", open)
	}
	for _, want := range []string{"process SHARD {", "process MERGE {", "task.exitStatus in [75, 130, 137, 143] ? 'retry' : 'finish'", "maxRetries 6", "cpus 4", "saveAs: { 'rows.json' }", "path 'rows.json'",
		"MERGE(SHARD(channel.of(1..params.shards)).collect())"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Count(text, `"""`) != 4 || params["params.shards"] != "40" {
		t.Errorf("the text is\n%s", text)
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		runtest.Lacks(t, "no sh")
	}
	name := filepath.Join(t.TempDir(), "line.sh")
	if err := os.WriteFile(name, []byte("printf '%s\\n' "+params["params.program"]+" "+params["params.sweep"]+" "+params["params.folder"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(sh, name).CombinedOutput()
	if want := "bcpace\n" + hostileSweep + "\n" + hostileFolder + "\n"; err != nil || string(out) != want {
		t.Errorf("a shell reads %v, %q, want %q", err, out, want)
	}
}
