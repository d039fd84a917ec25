package cmd

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"bayescpace/bcpace"
)

// TestProgress expects one line, drawn not too often, no longer than a terminal
// is wide, and gone at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	now := time.Time{}
	l := &progressLine{w: &b, now: func() time.Time { return now }}
	l.show("too early")
	now = now.Add(time.Second)
	l.show("long %d", 123)
	l.show("too early")
	now = now.Add(time.Second)
	l.show("short")
	now = now.Add(time.Second)
	l.show("%s", strings.Repeat("ε", 200))
	l.clear()
	l.clear()
	want := "\rlong 123\rshort   \r" + strings.Repeat("ε", 78) + "…\r" + strings.Repeat(" ", 79) + "\r"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestProgressIsSilentElsewhere(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for name, l := range map[string]*progressLine{
		"buffer": program{stderr: new(bytes.Buffer)}.progress(false),
		"file":   program{stderr: file}.progress(false),
		"JSON":   program{stderr: null}.progress(true),
	} {
		if l.w != nil {
			t.Errorf("%s: progress is shown", name)
		}
		l.show("nothing")
		l.clear()
	}
	if l := (program{stderr: null}).progress(false); l.w == nil {
		t.Error("a character device gets no progress")
	}
}

func TestPhase(t *testing.T) {
	for want, now := range map[string]bcpace.Progress{
		"latent values":       {Phase: "latent values", Share: -1},
		"blind policies, 25%": {Phase: "blind policies", Share: 0.25},
	} {
		if got := phase(now); got != want {
			t.Errorf("%+v is shown as %q, want %q", now, got, want)
		}
	}
}
