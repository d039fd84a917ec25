package runner

import (
	"strings"
	"testing"
)

func TestPrivateEnvironKeepsTheUsersJupyterOut(t *testing.T) {
	p := Place{Root: "/clone", Private: "/clone/.bayescpace"}
	base := Environ{"PATH": "/bin", "JUPYTER_PATH": "/home/u/jupyter", "PYTHONPATH": "/home/u/py", "JUPYTER_CONFIG_DIR": "/home/u/.jupyter", "GOWORK": "off", "LANG": "C"}
	e := privateEnviron(p, base)
	for name, value := range e {
		if strings.Contains(value, "/home/u") {
			t.Errorf("%s=%s leads into the user's home", name, value)
		}
	}
	for name, want := range map[string]string{"PATH": "/clone/.bayescpace/bin:/bin", "JUPYTER_DATA_DIR": "/clone/.bayescpace/jupyter", "GOWORK": "auto", "LANG": "C"} {
		if e[name] != want {
			t.Errorf("%s=%q, want %q", name, e[name], want)
		}
	}
	if base["GOWORK"] != "off" {
		t.Error("the environment given was changed")
	}
}

// Flags that do not go with workspaces are left out, wherever they are set, and the user is told.
func TestGoSettings(t *testing.T) {
	where, err := FindPlace(".")
	if err != nil {
		t.Fatal(err)
	}
	for flags, want := range map[string]string{"-mod=mod -trimpath": "-trimpath", "-trimpath": "-trimpath"} {
		e := CurrentEnviron().With("GOFLAGS", flags)
		note, err := goSettings(t.Context(), where, e)
		if err != nil || e["GOFLAGS"] != want || (note != "") != (flags != want) {
			t.Errorf("%q became %q, want %q; note %q, %v", flags, e["GOFLAGS"], want, note, err)
		}
	}
}
