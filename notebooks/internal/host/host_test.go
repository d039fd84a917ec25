package host

import "testing"

func TestWorkspaceFlags(t *testing.T) {
	for flags, want := range map[string]string{
		"":                               "",
		"-buildvcs=false":                "-buildvcs=false",
		"-mod=mod":                       "-buildvcs=auto",
		"-tags=x --mod=vendor -trimpath": "-tags=x -trimpath",
		"-modfile=other.mod -modcacherw": "-modcacherw",
	} {
		got, changed := WorkspaceFlags(flags)
		if got != want || changed != (flags != want) {
			t.Errorf("%q: %q, %v; want %q", flags, got, changed, want)
		}
	}
}
