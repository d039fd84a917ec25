//go:build unix

package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"bayescpace/bcpace/internal/runtest"
)

// TestSlurmScript runs the script of a job as Slurm does, with a program that says what it was
// given, and expects every argument as it was, whatever its letters.
func TestSlurmScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		runtest.Lacks(t, "no bash")
	}
	dir := filepath.Join(t.TempDir(), `it's a "$(folder)" of \ mine`)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	program, token, ca := filepath.Join(dir, "pro gram"), filepath.Join(dir, "to'ken"), filepath.Join(dir, "ca.pem")
	for name, text := range map[string]string{program: "#!/bin/sh\necho $GOMAXPROCS $GOMEMLIMIT\nfor arg; do echo \"<$arg>\"; done\n", token: "secret-token", ca: "certificate"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(program, 0o700); err != nil {
		t.Fatal(err)
	}
	script := succeed(t, "sweep", "script", "slurm", "--connect", "tls://a:4222,tls://b:4222", "--token-file", token, "--tls-ca", ca, "--program", program,
		"--workers", "20", "--cpus", "8", "--memory", "16000", "--time", "36h0m1s", "--idle", "90s", "--name", "my-job")
	for _, want := range []string{"--job-name=my-job", "--array=1-20", "--ntasks=1", "--cpus-per-task=8", "--mem=16000M", "--time=1-12:00:01", "--signal=B:TERM@60"} {
		if !strings.Contains(script, "\n#SBATCH "+want+"\n") {
			t.Errorf("no line #SBATCH %s in\n%s", want, script)
		}
	}
	if strings.Contains(script, "secret-token") || strings.LastIndex(script, "#SBATCH") > strings.Index(script, "set -euo") {
		t.Errorf("a secret in the script, or a directive behind a command:\n%s", script)
	}
	batch := func() (string, error) {
		cmd := exec.Command("bash")
		cmd.Stdin = strings.NewReader(script)
		cmd.Dir = t.TempDir() // not where the script was made
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	out, err := batch()
	want := "8 1800MiB\n"
	for _, arg := range []string{"sweep", "worker", "--connect", "tls://a:4222,tls://b:4222", "--token-file", token, "--tls-ca", ca, "--workers", "8", "--idle", "1m30s", "--grace", "30s"} {
		want += "<" + arg + ">\n"
	}
	if err != nil || out != want {
		t.Errorf("the job says %v\n%swant\n%s", err, out, want)
	}
	// The arguments are those of the verb.
	if err := sweepWorkerVerb.flags().parse([]string{"--connect", "tls://a:4222,tls://b:4222", "--token-file", token, "--tls-ca", ca, "--workers", "8", "--idle", "1m30s", "--grace", "30s"}); err != nil {
		t.Error(err)
	}

	if err := os.Chmod(token, 0o640); err != nil {
		t.Fatal(err)
	}
	if out, err := batch(); err == nil || !strings.Contains(out, token+" can be read by others: chmod 600 it") {
		t.Errorf("with a token that others read the job says %v, %q", err, out)
	}
	if err := os.Remove(token); err != nil {
		t.Fatal(err)
	}
	if out, err := batch(); err == nil || !strings.Contains(out, token+" cannot be read on ") {
		t.Errorf("without its token the job says %v, %q", err, out)
	}
}

// job is what the tests read of a Kubernetes manifest.
type job struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		Parallelism, Completions int
		ActiveDeadlineSeconds    int `yaml:"activeDeadlineSeconds"`
		BackoffLimit             int `yaml:"backoffLimit"`
		Template                 struct {
			Spec struct {
				RestartPolicy string `yaml:"restartPolicy"`
				Containers    []struct {
					Name, Image string
					Args        []string
					Env         []struct{ Name, Value string }
					Resources   struct{ Requests, Limits map[string]string }
					Mounts      []struct {
						Name      string
						MountPath string `yaml:"mountPath"`
						ReadOnly  bool   `yaml:"readOnly"`
					} `yaml:"volumeMounts"`
				}
				Volumes []struct {
					Name   string
					Secret struct {
						SecretName  string `yaml:"secretName"`
						DefaultMode int    `yaml:"defaultMode"`
					}
				}
			}
		}
	}
}

// TestKubernetesScript reads the manifest of a Job.
func TestKubernetesScript(t *testing.T) {
	t.Parallel()
	const image = `example.org/it's "my":1 # image`
	manifest := succeed(t, "sweep", "script", "kubernetes", "--connect", "/shared/my sweep", "--image", image,
		"--workers", "20", "--cpus", "2", "--memory", "4096", "--time", "2h", "--secret", "my-secret", "--name", "my-job")
	var j job
	if err := yaml.Unmarshal([]byte(manifest), &j); err != nil {
		t.Fatalf("%v in\n%s", err, manifest)
	}
	if j.APIVersion != "batch/v1" || j.Kind != "Job" || j.Metadata.Name != "my-job" || j.Spec.Parallelism != 20 || j.Spec.Completions != 20 ||
		j.Spec.ActiveDeadlineSeconds != 7200 || j.Spec.BackoffLimit < 20 || j.Spec.Template.Spec.RestartPolicy != "OnFailure" {
		t.Errorf("the job is %+v", j)
	}
	pod := j.Spec.Template.Spec
	if len(pod.Containers) != 1 || len(pod.Volumes) != 2 || len(pod.Containers[0].Mounts) != 2 {
		t.Fatalf("the pod is %+v", pod)
	}
	worker := pod.Containers[0]
	if want := []string{"sweep", "worker", "--connect", "/var/run/bcpace/connect.json", "--workers", "2", "--idle", "10m0s", "--grace", "30s"}; worker.Image != image || !reflect.DeepEqual(worker.Args, want) {
		t.Errorf("the worker is %s with %q, want %q", worker.Image, worker.Args, want)
	}
	if r := worker.Resources; r.Requests["cpu"] != "2" || r.Requests["memory"] != "4096Mi" || r.Limits["memory"] != "4096Mi" {
		t.Errorf("the resources are %+v", r)
	}
	if m, v := worker.Mounts[1], pod.Volumes[1]; m.Name != v.Name || m.MountPath != "/var/run/bcpace" || !m.ReadOnly || v.Secret.SecretName != "my-secret" || v.Secret.DefaultMode != 0o400 {
		t.Errorf("the secret %+v is mounted as %+v", v, m)
	}
	if !strings.Contains(manifest, "#   kubectl create secret generic my-secret '--from-file=connect.json=/shared/my sweep/connect.json'\n") {
		t.Errorf("the comment does not say how to make the secret:\n%s", manifest)
	}
	if kubectl, err := exec.LookPath("kubectl"); err == nil { // which knows the fields of a Job, without a cluster
		cmd := exec.Command(kubectl, "label", "--local", "--filename=-", "a=b", "--dry-run=client", "--output=name")
		cmd.Stdin = strings.NewReader(manifest)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("kubectl: %v: %s", err, out)
		}
	}

	// Without files there is no Secret.
	manifest = succeed(t, line("sweep script kubernetes --connect nats://nats:4222 --image worker")...)
	j = job{}
	if err := yaml.Unmarshal([]byte(manifest), &j); err != nil {
		t.Fatal(err)
	}
	if pod := j.Spec.Template.Spec; len(pod.Volumes) != 1 || len(pod.Containers[0].Mounts) != 1 || strings.Contains(manifest, "Secret") {
		t.Errorf("without files the manifest is\n%s", manifest)
	}
}

// TestScriptErrors expects wrong usage to be told in one line.
func TestScriptErrors(t *testing.T) {
	for args, want := range map[string]string{
		"":                                         `the script is "", want slurm, kubernetes, snakemake or nextflow`,
		"pbs --connect a":                          `the script is "pbs", want slurm, kubernetes, snakemake or nextflow`,
		"slurm kubernetes":                         `unexpected argument "kubernetes"`,
		"slurm":                                    "--connect is missing",
		"kubernetes --connect a":                   "--image is missing",
		"slurm --connect a --image b":              "--image and slurm contradict",
		"slurm --connect a --secret b":             "--secret and slurm contradict",
		"slurm --connect a --grace 0s":             "--grace is 0s, want",
		"slurm --connect a --grace 2h":             "--grace is 2h0m0s, want",
		"slurm --connect a --shards 2":             "--shards and slurm with workers contradict",
		"slurm --array --connect a":                "--connect and slurm with shards contradict",
		"snakemake --sweep a --folder b":           "--sweep, --folder or --shards is missing",
		"kubernetes --array --image a":             "--array goes with slurm",
		"slurm --indexed":                          "--array goes with slurm, and --indexed with kubernetes",
		"nextflow --sweep a --folder b --shards 0": "--shards is 0, want",
		"nextflow --sweep a --folder b --shards 2 --retries 1001":                                                     "--retries is 1001, want",
		"nextflow --sweep a --folder b --shards 2 --rows r.txt":                                                       "--rows is \"r.txt\", want a name that ends in",
		"snakemake --sweep a --folder b --shards 2 --queue c":                                                         "--queue and snakemake contradict",
		"slurm --array --sweep a --folder b --shards 2 --rows c.csv":                                                  "--rows and slurm contradict",
		"snakemake --sweep a\tb --folder b --shards 2":                                                                "control characters",
		"kubernetes --indexed --image a --sweep a --folder b --shards 2":                                              "want a PersistentVolumeClaim",
		"kubernetes --indexed --image a --sweep a --folder b --shards 2 --claim c --mount d":                          "a folder that begins with /",
		"kubernetes --connect a --image b --program c":                                                                "--program and kubernetes contradict",
		"slurm --connect a --workers 0":                                                                               "--workers is 0, want",
		"slurm --connect a --cpus 0":                                                                                  "--cpus is 0, want",
		"slurm --connect a --memory 0":                                                                                "--memory is 0, want",
		"slurm --connect a --time 5m --grace 5m":                                                                      "want a time above 5m30s",
		"slurm --array --sweep a --folder b --shards 2 --time 5m --grace 5m":                                          "want a time above 5m30s",
		"snakemake --sweep a --folder b --shards 2 --rows {a}.csv":                                                    "has braces",
		"snakemake --sweep a{b --folder b --shards 2":                                                                 "has braces",
		"kubernetes --indexed --image a --sweep a --folder b --claim c --shards 100001":                               "want at most 100000 with kubernetes",
		"kubernetes --indexed --image a --sweep a --folder b --claim c --shards 11 --name " + strings.Repeat("a", 61): "with the index behind it",
		"slurm --connect a --time 1s":                                                                                 "--time is 1s, want a minute or more",
		"slurm --connect a --idle 0s":                                                                                 "--idle is 0s, want a time above 0",
		"slurm --connect a --name My_Job":                                                                             `--name is "My_Job"`,
		"slurm --connect a --token-file b":                                                                            "--token-file and --connect a, which says how to reach the server, contradict",
		"slurm --connect http://a":                                                                                    "want URLs such as nats://host:4222",
		"slurm --connect nats://me:secret@a":                                                                          "has a secret, which others can read",
		"slurm --connect nats://a --tls-cert b":                                                                       "--tls-cert and --tls-key go together",
		"kubernetes --connect a\tb --image c":                                                                         "control characters",
	} {
		code, stdout, stderr := call(t, append([]string{"sweep", "script"}, strings.Split(args, " ")...)...)
		if args == "" {
			code, stdout, stderr = call(t, "sweep", "script")
		}
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, want) || strings.Contains(stderr, "me:secret") {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %q", args, code, stdout, stderr, want)
		}
	}
}
