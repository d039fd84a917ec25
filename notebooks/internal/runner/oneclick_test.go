package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readFile reads a file of the clone by its path from the root.
func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The image has the Go of go.mod, and names no other version: everything else
// comes from the runner, which installs what is pinned.
func TestImageHasThePins(t *testing.T) {
	dockerfile := readFile(t, ".binder/Dockerfile")
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readFile(t, "go.mod"))
	from := regexp.MustCompile(`(?m)^FROM golang:(\d+\.\d+)-\w+ AS base$`).FindStringSubmatch(dockerfile)
	if version == nil || from == nil || version[1] != from[1] {
		t.Errorf("the image starts from %q, go.mod says %q", from, version)
	}
	for _, line := range strings.Split(dockerfile, "\n") {
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "FROM golang:") {
			continue
		}
		if regexp.MustCompile(`\bpip install|\bgo install|\d+\.\d+\.\d+|[a-z]=\d+\.\d`).MatchString(strings.ReplaceAll(line, "0.0.0.0", "")) {
			t.Errorf("%q installs or pins by itself", line)
		}
	}
}

// The image sets what the runner sets for JupyterLab, as a hub starts that by itself.
func TestImageEnvironment(t *testing.T) {
	dockerfile := readFile(t, ".binder/Dockerfile")
	const private = "/home/jovyan/bayescpace/.bayescpace"
	if !strings.Contains(dockerfile, "ENV PRIVATE=/home/$NB_USER/bayescpace/.bayescpace\n") {
		t.Fatal("PRIVATE is not set")
	}
	got := make(Environ)
	for _, m := range regexp.MustCompile(`(?m)^(?:ENV|   ) ([A-Z][A-Z0-9_]*)=(\S+)`).FindAllStringSubmatch(dockerfile, -1) {
		got[m[1]] = strings.ReplaceAll(m[2], "$PRIVATE", private)
	}
	p := Place{Private: private}
	want := privateEnviron(p, Environ{"PATH": p.labBin() + ":" + p.venv() + "/bin:$PATH"})
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s=%q in the image, %q in the runner", name, got[name], value)
		}
	}
}

func TestDevcontainer(t *testing.T) {
	var dev struct {
		Build             struct{ Dockerfile, Context, Target string }
		RemoteUser        string
		PostCreateCommand string
		PostAttachCommand string
	}
	dec := json.NewDecoder(strings.NewReader(readFile(t, ".devcontainer/devcontainer.json")))
	if err := dec.Decode(&dev); err != nil {
		t.Fatal(err)
	}
	dockerfile := readFile(t, filepath.Join(".devcontainer", dev.Build.Dockerfile))
	if !regexp.MustCompile(`(?m)^FROM \S+ AS ` + dev.Build.Target + `$`).MatchString(dockerfile) {
		t.Errorf("the Dockerfile has no stage %q", dev.Build.Target)
	}
	if !strings.Contains(dockerfile, "NB_USER="+dev.RemoteUser+"\n") {
		t.Errorf("the Dockerfile makes no user %q", dev.RemoteUser)
	}
	image := regexp.MustCompile(`go run \./notebooks [^&\n]+`).FindAllString(dockerfile, -1)
	for _, command := range append(image, dev.PostCreateCommand, dev.PostAttachCommand) {
		words := strings.Fields(command)
		if len(words) < 4 || strings.Join(words[:3], " ") != "go run ./notebooks" {
			t.Errorf("%q does not call the runner", command)
			continue
		}
		// A flag that is not there is told before --help is read.
		if code, _, stderr := call(t.Context(), append(words[3:], "--help")...); code != 0 {
			t.Errorf("%q: %s", command, stderr)
		}
	}
}

// Every package of the requirements has one version for one Python, with the hashes
// of its files, and nothing says where these are from.
func TestRequirementsArePinned(t *testing.T) {
	pin := regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)==[0-9][0-9a-z.]*(?: ; ((?:python_version|sys_platform)\b.*?))?((?: --hash=sha256:[0-9a-f]{64})+)$`)
	separators := regexp.MustCompile(`[-_.]+`)
	where := make(map[string]string) // package and marker
	files, err := filepath.Glob("../../requirements*.txt")
	if err != nil || len(files) != 3 {
		t.Fatalf("requirements are in %q, %v; want three files", files, err)
	}
	for _, file := range files {
		file = filepath.Base(file)
		text := readFile(t, "notebooks/"+file)
		if strings.Contains(text, "://") {
			t.Errorf("%s names an address", file)
		}
		joined := regexp.MustCompile(` \\\n\s*`).ReplaceAllString(strings.TrimSpace(text), " ")
		for _, line := range strings.Split(joined, "\n") {
			if strings.HasPrefix(line, "#") {
				continue
			}
			m := pin.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %q is not NAME==VERSION with or without a marker, and hashes", file, line)
				continue
			}
			name := separators.ReplaceAllString(strings.ToLower(m[1]), "-")
			for _, key := range []string{name, name + ";" + m[2]} {
				// A package without a marker is there for every Python.
				if other, ok := where[key]; ok && (key != name || m[2] == "") {
					t.Errorf("%s: %s is pinned in %s already", file, line, other)
				}
			}
			where[name], where[name+";"+m[2]] = file, file
		}
	}
}
