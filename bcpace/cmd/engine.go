package cmd

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/internal/num"
	"bayescpace/bcpace/solvers"
	"bayescpace/bcpace/sweep"
	"bayescpace/bcpace/sweep/jetstream"
	"bayescpace/bcpace/sweep/script"
)

// engineFlags say what computes.
type engineFlags struct {
	name     string
	workers  int
	listen   string
	replicas int
	grace    time.Duration
	remote   serverFlags
	server   jetstream.Server
}

// Names of engines that are not the URL of a server.
const (
	localEngine    = "local"
	embeddedEngine = "embedded"
)

// flags adds the flags of an engine to f, without --workers, which others have too.
func (a *engineFlags) flags(f *flags) {
	a.name, a.grace = localEngine, sweep.DefaultGrace
	f.value("engine", "NAME", "what computes: local, this process (the default); embedded, worker processes here and those that join, with a server of NATS in this process; or the URL of a server, "+
		"nats:// or tls://, which workers join (bcpace sweep worker)", text(&a.name))
	f.value("listen", "HOST:PORT", "address on which embedded takes workers of other machines (default: those of this machine alone)", text(&a.listen))
	f.value("replicas", "R", "servers of the cluster behind the URL that keep each answer: 1, 3 or 5 (default 1)", whole(&a.replicas))
	a.remote.flags(f)
}

// check returns a *usageError for flags that do not go together. workers is what --workers says.
func (a *engineFlags) check(f *flags, workers int) (err error) {
	if a.workers = workers; !f.given["workers"] {
		a.workers = runtime.GOMAXPROCS(0)
	}
	engine := "--engine " + a.name
	if a.workers < 0 || a.workers > num.MaxWorkers || a.workers == 0 && a.name == localEngine {
		return misuse("--workers is %d, want a number from 1 to %d, or 0 with --engine embedded", a.workers, num.MaxWorkers)
	}
	if isURL(a.name) {
		if err := cmp.Or(
			f.clash(engine, "listen"),
			need(!f.given["workers"], "--workers and %s contradict each other: leave out --workers, and join workers with bcpace sweep worker --connect %s", engine, a.name),
			need(!f.given["replicas"] || slices.Contains([]int{1, 3, 5}, a.replicas), "--replicas is %d, want 1, 3 or 5", a.replicas)); err != nil {
			return err
		}
		a.server, err = a.remote.server(f, "engine", a.name)
		return err
	}
	_, _, bad := net.SplitHostPort(a.listen)
	return cmp.Or(
		need(a.name == localEngine || a.name == embeddedEngine, "--engine is %q, want local, embedded, or URLs such as nats://host:4222", a.name),
		unless(a.name != localEngine, f.clash(engine, "listen")),
		need(a.listen == "" || bad == nil, "--listen is %q, want an address such as 0.0.0.0:4222", a.listen),
		f.clash(engine, append(slices.Clone(serverKeys), "replicas")...))
}

// toJoin says, before where it connects, how to start a worker for a sweep that may wait for one.
const toJoin = "workers join with bcpace sweep worker --connect "

// start starts the engine. Folder is where embedded keeps what it has, and needs is what workers must have.
func (a *engineFlags) start(ctx context.Context, p program, folder, name string, needs []string) (sweep.Engine, error) {
	settings := jetstream.Options{Name: name, Needs: needs}
	switch {
	case a.name == localEngine:
		return &sweep.Local{Workers: a.workers, Folder: filepath.Join(folder, "blobs"), Grace: a.grace}, nil
	case a.name == embeddedEngine:
		e, err := jetstream.Embed(ctx, jetstream.Embedded{Options: settings, Folder: folder, Listen: a.listen, Workers: a.workers, Grace: a.grace})
		if err == nil && (a.listen != "" || a.workers == 0) {
			p.say(toJoin + filepath.Join(folder, connectJSON))
		}
		return e, err
	}
	e, err := jetstream.Connect(ctx, jetstream.Remote{Options: settings, Server: a.server, Replicas: a.replicas})
	if err == nil {
		how := toJoin + a.name
		for _, x := range a.remote.files() {
			how += " --" + x.Flag + " " + x.Path
		}
		p.say(how)
	}
	return e, err
}

// solveEngine are the flags of solve that have workers play its rollouts.
type solveEngine struct {
	engineFlags
	folder string
}

func (a *solveEngine) flags(f *flags) {
	f.section("rollouts of bayes-cpace played by workers, for a model whose steps take long")
	a.engineFlags.flags(f)
	f.value("folder", "DIR", "folder with the connect.json by which workers join --engine embedded (default: a temporary one)", text(&a.folder))
}

// used reports whether workers play.
func (a *solveEngine) used(f *flags) bool { return f.given["engine"] && a.name != localEngine }

// check returns a *usageError for flags that do not go together.
func (a *solveEngine) check(f *flags, workers int) error {
	if !a.used(f) {
		return f.clash("--engine local", append(slices.Clone(serverKeys), "listen", "replicas", "folder")...)
	}
	if f.given["model"] {
		return fileElsewhere()
	}
	return cmp.Or(
		unless(a.name == embeddedEngine, f.clash("--engine "+a.name, "folder")),
		a.engineFlags.check(f, cmp.Or(workers, runtime.GOMAXPROCS(0))))
}

// fileElsewhere is the error for the model of a file, which workers cannot make.
func fileElsewhere() error {
	return misuse("--engine and --model contradict each other: a worker makes the model by its name, as --env gives it")
}

// checkTask returns a *usageError for a solver whose rollouts cannot be played by workers, or a
// model that they cannot make.
func (a *solveEngine) checkTask(f *flags, t task) error {
	if !a.used(f) {
		return nil
	}
	if spec := t.problem.Spec(); isFile(spec.Name, spec.Params) { // of a run that is resumed
		return fileElsewhere()
	}
	o, ok := t.solver.(cpace.Solver)
	return cmp.Or(
		need(ok, "--engine and --algorithm %s contradict each other: leave out --engine, or take %s", t.solver.Name(), solvers.BayesCPACE),
		need(o.Batch >= 2, "--engine and --batch %d contradict each other: workers play the rollouts of a batch side by side, want 2 or more", o.Batch))
}

// start has workers play the rollouts of t. close ends what it has started.
func (a *solveEngine) start(p program, f *flags, t *task, progress *progressLine) (close func() error, err error) {
	if !a.used(f) {
		return func() error { return nil }, nil
	}
	folder, remove := a.folder, func() error { return nil }
	if a.name == embeddedEngine && folder == "" {
		if folder, err = os.MkdirTemp("", "bcpace-engine-"); err != nil {
			return nil, err
		}
		remove = func() error { return os.RemoveAll(folder) }
	}
	name := t.problem.Model.Spec().Name
	engine, err := a.engineFlags.start(p.ctx, p, folder, name, sweep.Needs(name))
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	o := t.solver.(cpace.Solver) // as checkTask has seen
	o.Rollouts = sweep.Rollouts(engine, func(s sweep.Status) {
		if s.Note != "" {
			progress.show("%s: %s", o.Name(), oneLine(s.Note))
		}
	})
	t.solver = o
	return func() error { return errors.Join(engine.Close(), remove()) }, nil
}

// serverFlags say how to reach a server of NATS. A secret is in a file: who looks at the
// processes of a machine sees their command lines.
type serverFlags struct{ jetstream.Server }

func (a *serverFlags) flags(f *flags) {
	f.section("a server that runs already")
	f.value("credentials", "FILE", "file of mode 0600 with the credentials of a NATS user (.creds)", text(&a.Credentials))
	f.value("token-file", "FILE", "file of mode 0600 with a token", text(&a.TokenFile))
	f.value("tls-ca", "FILE", "certificates, in PEM, of who signs the server's (default: those of the system)", text(&a.CA))
	f.value("tls-cert", "FILE", "certificate to show the server, in PEM", text(&a.Cert))
	f.value("tls-key", "FILE", "key of --tls-cert, in PEM", text(&a.Key))
}

// server returns how to reach an address: a folder, its connect.json, or URLs. The error is a
// *usageError for URLs that are none, and for flags that an address in a file has no use for. It
// is another one for a secret that others can read.
func (a *serverFlags) server(f *flags, flag, address string) (s jetstream.Server, err error) {
	s = a.Server
	s.Address = address
	if !isURL(address) {
		if err := f.clash("--"+flag+" "+address+", which says how to reach the server,", serverKeys...); err != nil {
			return s, err
		}
		file := address
		if info, err := os.Stat(address); err == nil && info.IsDir() {
			file = filepath.Join(address, connectJSON)
		}
		return s, private(flag, file)
	}
	for _, one := range strings.Split(address, ",") {
		u, err := url.Parse(one)
		switch {
		case err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" || u.Path != "" || u.RawQuery != "":
			return s, misuse("--%s is %q, want URLs such as nats://host:4222 or tls://host:4222, with commas between them", flag, one)
		case u.User != nil:
			return s, misuse("--%s has a secret, which others can read on the command line: want it in a file, see --token-file and --credentials", flag)
		}
	}
	if f.given["tls-cert"] != f.given["tls-key"] {
		return s, misuse("--tls-cert and --tls-key go together: give both or neither")
	}
	for _, x := range a.files() {
		if err := private(x.Flag, x.Path); x.Secret && err != nil {
			return s, err
		}
	}
	return s, nil
}

// files returns those that the flags name.
func (a *serverFlags) files() []script.File {
	return slices.DeleteFunc([]script.File{
		{Flag: "credentials", Path: a.Credentials, Secret: true}, {Flag: "token-file", Path: a.TokenFile, Secret: true},
		{Flag: "tls-ca", Path: a.CA}, {Flag: "tls-cert", Path: a.Cert}, {Flag: "tls-key", Path: a.Key, Secret: true},
	}, func(x script.File) bool { return x.Path == "" })
}

// private returns an error for a secret of the user's in a file that others can read. One that
// is not there or belongs to somebody else, as what Kubernetes mounts does, is for who reads it.
func private(flag, name string) error {
	info, err := os.Stat(name)
	if err != nil || !ours(info) || info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	return fmt.Errorf("--%s names %s, which others can read (mode %04o): chmod 600 it, and have the server take another secret if somebody may have", flag, name, info.Mode().Perm())
}

func isURL(address string) bool { return strings.Contains(address, "://") }

// sweepKey stands for the trials of a sweep and the version of the code that computes them.
func sweepKey(r *sweep.Results) string {
	h := sha256.New()
	for _, row := range r.Rows {
		io.WriteString(h, row.Key)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// connectFlag adds the flag of those who join a sweep.
func connectFlag(f *flags, connect *string) {
	f.value("connect", "WHERE", "the folder of a sweep run with --engine embedded, its file connect.json or a copy of that; or the URL of a server, nats:// or tls://", text(connect))
}

// serverKeys are the names of the flags.
var serverKeys = []string{"credentials", "token-file", "tls-ca", "tls-cert", "tls-key"}

// connectJSON is the file in the folder of an embedded engine that says how to reach it.
const connectJSON = script.ConnectFile
