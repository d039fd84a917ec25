//go:build unix

package front

import (
	"os"
	"path/filepath"
	"testing"
)

func TestOwnModule(t *testing.T) {
	root := t.TempDir()
	for path, text := range map[string]string{
		"one/go.mod": "module example.org/one\n", "one/notes/it's here/x": "",
		"go.work": "go 1.26\nuse ./two\n", "two/go.mod": "module example.org/two\n", "broken/go.mod": "mod",
		"three/go.mod": "module example.org/three\n",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ dir, pkg, want string }{
		{"one", "example.org/one", "one"},
		{"one/notes/it's here", "example.org/one/a/b", "one"},
		{"one", "example.org/ones", ""},
		{"one", "example.org/two/a", "two"},
		{"", "example.org/two", "two"},
		{"", "example.org/three", ""},
		{"broken", "example.org/one", ""},
	} {
		want := ""
		if c.want != "" {
			want = filepath.Join(root, c.want)
		}
		if got := ownModule(filepath.Join(root, c.dir), c.pkg); got != want {
			t.Errorf("%s from %q: %q, want %q", c.pkg, c.dir, got, want)
		}
	}
	if got := quoted("/it's here"); got != `'/it'\''s here'` {
		t.Errorf("quoted: %s", got)
	}
}
