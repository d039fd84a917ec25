package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/bcpace/certified"
	"bayescpace/bcpace/cpace"
	"bayescpace/bcpace/dp"
	"bayescpace/bcpace/runs"
	"bayescpace/bcpace/stop"
	"bayescpace/envs"
)

// coin is a model written as in a notebook cell: two latents, of which one
// action tells. Its closures can be changed.
type coin struct {
	accuracy float64
	reward   func(latent, action int) float64
	calls    *int
}

func (c coin) Spec() bcpace.Spec {
	return bcpace.Spec{
		Name: "coin", Params: []bcpace.Param{{Key: "sides", Value: "2"}},
		Axes:    []bcpace.Axis{{Name: "seen", Min: 0, Max: 2, Discrete: true, Labels: []string{"none", "heads", "tails"}}},
		Actions: bcpace.Actions("look", "heads", "tails"), Latents: []string{"heads", "tails"},
		Discount: 0.9, RewardMin: -1, RewardMax: 1,
	}
}
func (c coin) Prior(b bcpace.Belief)                  { b[0], b[1] = 0.5, 0.5 }
func (c coin) Start(s []float64, _ int, _ *rand.Rand) { s[0] = 0 }
func (c coin) Step(next, s []float64, latent, action int, rng *rand.Rand) bcpace.Outcome {
	if c.calls != nil {
		*c.calls++
	}
	if action > 0 {
		next[0] = 0
		r := -1.0
		if action-1 == latent {
			r = 1
		}
		if c.reward != nil {
			r = c.reward(latent, action)
		}
		return bcpace.Outcome{Reward: r, Done: true}
	}
	seen := latent
	if rng.Float64() > c.accuracy {
		seen = 1 - latent
	}
	next[0] = float64(1 + seen)
	return bcpace.Outcome{Reward: -0.1}
}
func (c coin) LogLikelihood(s []float64, action int, next []float64, latent int) float64 {
	if action > 0 {
		return 0
	}
	if int(next[0])-1 == latent {
		return math.Log(c.accuracy)
	}
	return math.Log(1 - c.accuracy)
}

var (
	fair    = coin{accuracy: 0.8}
	options = cpace.Solver{Epsilon: 0.5, Seed: 1, Patience: 20, MaxEpisodes: 200}
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func contents(t *testing.T, r *runs.Run) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func key(t *testing.T, m bcpace.Model, o runs.Explorer) Key {
	t.Helper()
	k, err := RunKey(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestRunKey(t *testing.T) {
	base := key(t, fair, options)
	if again := key(t, coin{accuracy: 0.8, reward: func(l, a int) float64 {
		if a-1 == l {
			return 1
		}
		return -1
	}}, options); again != base {
		t.Error("a closure with the same behaviour has another key")
	}
	if len(base) != 64 {
		t.Errorf("key has %d digits, want 64", len(base))
	}
	changed := map[string]Key{
		"accuracy": key(t, coin{accuracy: 0.81}, options),
		"reward":   key(t, coin{accuracy: 0.8, reward: func(l, a int) float64 { return 1 }}, options),
	}
	with := func(name string, change func(*cpace.Solver)) {
		o := options
		change(&o)
		changed[name] = key(t, fair, o)
	}
	latent := func(x float64) bcpace.LatentValues {
		return dp.LatentFunc(func(s []float64, l, a int) float64 { return x + float64(l+a) })
	}
	with("seed", func(o *cpace.Solver) { o.Seed = 2 })
	with("epsilon", func(o *cpace.Solver) { o.Epsilon = math.Nextafter(o.Epsilon, 1) })
	with("latent", func(o *cpace.Solver) { o.Latent = latent(0) })
	with("other latent", func(o *cpace.Solver) { o.Latent = latent(1e-9) })
	seen := map[Key]string{base: "the base"}
	for name, k := range changed {
		if other, ok := seen[k]; ok {
			t.Errorf("a changed %s has the same key as %s", name, other)
		}
		seen[k] = name
	}
}

// TestEveryOption changes each option in turn by reflection, so that one added
// later is either part of the key or named here.
func TestEveryOption(t *testing.T) {
	base := key(t, fair, options)
	for i := range reflect.TypeFor[cpace.Solver]().NumField() {
		o := options
		x := reflect.ValueOf(&o).Elem().Field(i)
		name := reflect.TypeFor[cpace.Solver]().Field(i).Name
		switch x.Kind() {
		case reflect.Float64:
			x.SetFloat(x.Float() + 1)
		case reflect.Int:
			x.SetInt(x.Int() + 1)
		case reflect.Uint64:
			x.SetUint(x.Uint() + 1)
		case reflect.Bool:
			x.SetBool(!x.Bool())
		case reflect.String:
			x.SetString("other")
		case reflect.Slice:
			x.Set(reflect.MakeSlice(x.Type(), 1, 1))
		case reflect.Struct: // Grid
			x.Field(0).SetFloat(1)
		default:
			if name != "Latent" && name != "Controller" { // a run with a controller is not kept
				t.Errorf("option %s is of kind %v: say here whether it is part of the key", name, x.Kind())
			}
			continue
		}
		if same := key(t, fair, o) == base; same {
			t.Errorf("option %s changed, and the key has not", name)
		}
	}
}

func TestRunKeyErrors(t *testing.T) {
	if _, err := RunKey(badPrior{fair}, options); err == nil || !strings.Contains(err.Error(), "prior") {
		t.Errorf("a prior that is none: %v", err)
	}
}

type badPrior struct{ coin }

func (badPrior) Prior(b bcpace.Belief) { b[0], b[1] = 0.5, math.NaN() }

//test:race
func TestMemo(t *testing.T) {
	s := open(t)
	first, origin, err := s.Memo(context.Background(), fair, options, bcpace.Control{})
	if err != nil || origin != (Origin{}) {
		t.Fatalf("first: %+v, %v", origin, err)
	}
	calls := 0
	second, origin, err := s.Memo(context.Background(), coin{accuracy: 0.8, calls: &calls}, options, bcpace.Control{Workers: 1})
	if err != nil || origin != (Origin{Cached: true}) {
		t.Fatalf("second: %+v, %v", origin, err)
	}
	if calls > 4096 {
		t.Errorf("the second call stepped the model %d times, want the probes alone", calls)
	}
	if !bytes.Equal(contents(t, first), contents(t, second)) {
		t.Error("the run from the store has other bytes")
	}
	if q, known := first.Q([]float64{0}, bcpace.Belief{0.5, 0.5}, 0); true {
		if q2, known2 := second.Q([]float64{0}, bcpace.Belief{0.5, 0.5}, 0); q != q2 || known != known2 {
			t.Errorf("Q is %v %v, was %v %v", q2, known2, q, known)
		}
	}
	if _, origin, _ := s.Memo(context.Background(), coin{accuracy: 0.7}, options, bcpace.Control{}); origin.Cached {
		t.Error("another model got the same run")
	}
}

//test:race
func TestMemoInterrupted(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(context.Background())
	r, origin, err := s.Memo(ctx, fair, options, bcpace.Control{Progress: func(p bcpace.Progress) {
		if p.Episodes == 3 {
			cancel()
		}
	}})
	if err != nil || r.Stop != stop.Interrupted || origin != (Origin{}) {
		t.Fatalf("interrupted: %v, %+v, %v", r, origin, err)
	}
	if r, origin, err = s.Memo(context.Background(), fair, options, bcpace.Control{}); err != nil || origin.Cached || r.Stop == stop.Interrupted {
		t.Errorf("after it: %+v, %v, want a whole run", origin, err)
	}
}

func TestMemoDamaged(t *testing.T) {
	s := open(t)
	want, _, err := s.Memo(context.Background(), fair, options, bcpace.Control{})
	if err != nil {
		t.Fatal(err)
	}
	k := key(t, fair, options)
	file := s.runFile(k)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	other := options
	other.Seed = 77
	stranger, err := runs.Explore(context.Background(), fair, other)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, content := range map[string][]byte{
		"empty": {}, "truncated": whole[:len(whole)-1], "foreign": []byte("PK\x03\x04 a zip file, and a long one at that, longer than a header"),
		"flipped": flipped, "of another seed": contents(t, stranger),
	} {
		if err := os.WriteFile(file, content, 0o644); err != nil {
			t.Fatal(err)
		}
		got, origin, err := s.Memo(context.Background(), fair, options, bcpace.Control{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if origin.Cached || !errors.Is(origin.Damaged, runs.ErrFormat) || !strings.Contains(origin.Damaged.Error(), file) {
			t.Errorf("%s: %+v, want an error that names %s", name, origin, file)
		}
		if !bytes.Equal(contents(t, got), contents(t, want)) {
			t.Errorf("%s: the run is another one", name)
		}
		if _, origin, _ = s.Memo(context.Background(), fair, options, bcpace.Control{}); !origin.Cached {
			t.Errorf("%s: the file was not replaced", name)
		}
	}
}

func TestRunMissing(t *testing.T) {
	if _, err := open(t).Run("0", fair, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error is %v, want fs.ErrNotExist", err)
	}
}

//test:race
func TestConcurrentMemo(t *testing.T) {
	s := open(t)
	all := make([]*runs.Run, 4)
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() {
			var origin Origin
			var err error
			if all[i], origin, err = s.Memo(context.Background(), fair, options, bcpace.Control{}); err != nil || origin.Damaged != nil || origin.Unsaved != nil {
				t.Errorf("%+v, %v", origin, err)
			}
		})
	}
	wg.Wait()
	for _, r := range all[1:] {
		if !bytes.Equal(contents(t, r), contents(t, all[0])) {
			t.Error("the runs differ")
		}
	}
	onlyRuns(t, s, 1)
}

// onlyRuns checks that a store holds n runs and nothing half-written.
func onlyRuns(t *testing.T, s *Store, n int) {
	t.Helper()
	files, err := os.ReadDir(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), "run-") {
			t.Errorf("%s was left behind", f.Name())
		}
	}
	if len(files) != n {
		t.Errorf("the store holds %d files, want %d", len(files), n)
	}
}

// TestProcesses runs this test binary several times on one store.
//
//test:race
func TestProcesses(t *testing.T) {
	if dir := os.Getenv("STORE_TEST_DIR"); dir != "" {
		t.Setenv("BAYESCPACE_STORE", dir)
		for seed := range uint64(5) {
			o := options
			o.Seed = seed
			r, origin, err := Memo(context.Background(), fair, o, bcpace.Control{})
			if err != nil || origin.Damaged != nil || origin.Unsaved != nil {
				t.Fatalf("%+v, %v", origin, err)
			}
			fmt.Printf("run %d %x\n", seed, contents(t, r))
		}
		return
	}
	s := open(t)
	outs := make([][]byte, 3)
	var wg sync.WaitGroup
	for i := range outs {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0], "-test.run=^TestProcesses$", "-test.count=1")
			cmd.Env = append(os.Environ(), "STORE_TEST_DIR="+s.Dir())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			outs[i], _, _ = bytes.Cut(out, []byte("PASS"))
		})
	}
	wg.Wait()
	for _, out := range outs[1:] {
		if !bytes.Equal(out, outs[0]) {
			t.Error("processes got different runs")
		}
	}
	onlyRuns(t, s, 5)
}

func TestUnwritable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dirs := []string{filepath.Join(file, "store")} // a folder cannot stand below a file
	if os.Getuid() != 0 {
		readOnly := t.TempDir()
		if err := os.Chmod(readOnly, 0o555); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, readOnly)
	}
	for _, dir := range dirs {
		t.Setenv("BAYESCPACE_STORE", dir)
		calls := 0
		_, _, err := Memo(context.Background(), coin{accuracy: 0.8, calls: &calls}, options, bcpace.Control{})
		if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "BAYESCPACE_STORE") {
			t.Errorf("error is %v, want one that names the folder and the variable", err)
		}
		if calls > 0 {
			t.Error("the model was explored for nothing")
		}
	}
}

// TestFull: a run that cannot be written is not lost.
func TestFull(t *testing.T) {
	s := open(t)
	if err := os.Remove(s.Dir()); err != nil {
		t.Fatal(err)
	}
	r, origin, err := s.Memo(context.Background(), fair, options, bcpace.Control{})
	if err != nil || r == nil || origin.Unsaved == nil || !strings.Contains(origin.Unsaved.Error(), s.Dir()) {
		t.Errorf("%v, %+v, %v, want a run and Unsaved", r, origin, err)
	}
}

// TestAbandoned expects a store to clear away what a killed writer left, not what is
// being written.
func TestAbandoned(t *testing.T) {
	s := open(t)
	left := filepath.Join(s.Dir(), tempPrefix+"1")
	if err := os.WriteFile(left, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := createTemp(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	if _, err := Open(s.Dir()); err != nil {
		t.Fatal(err)
	}
	if removed, err := s.Collect(0); err != nil || len(removed) != 0 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	onlyFiles(t, s.Dir(), filepath.Base(alive.Name()))
}

func TestFolder(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("clone/go.mod", "module bayescpace // the toolkit\n\ngo 1.26\n")
	write("clone/notebooks/deep/x", "")
	write("clone/other/go.mod", "module example.com/other\n")
	write("work/go.work", "go 1.26\n\nuse (\n\t./mine\n\t\"../clone\"\n)\n")
	write("work/mine/nb/x", "")
	write("single/go.work", "use ../clone // here\n")
	write("alone/x", "")
	write("cache/x", "")
	t.Setenv("BAYESCPACE_STORE", "")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(root, "cache"))
	t.Setenv("HOME", filepath.Join(root, "cache"))
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ wd, gonb, want string }{
		{"clone", "", filepath.Join(root, "clone/.bayescpace/store")},
		{"clone/notebooks/deep", "", filepath.Join(root, "clone/.bayescpace/store")},
		{"clone/other", "", filepath.Join(root, "clone/.bayescpace/store")},
		{"work/mine/nb", "", filepath.Join(root, "work/.bayescpace/store")},
		{"single", "", filepath.Join(root, "single/.bayescpace/store")},
		{"alone", "clone/notebooks", filepath.Join(root, "clone/.bayescpace/store")},
		{"alone", "", filepath.Join(cache, "bayescpace", "store")},
	} {
		t.Chdir(filepath.Join(root, c.wd))
		gonb := ""
		if c.gonb != "" {
			gonb = filepath.Join(root, c.gonb)
		}
		t.Setenv("GONB_DIR", gonb)
		got, err := Folder()
		if err != nil {
			t.Fatal(err)
		}
		if real, err := filepath.EvalSymlinks(root); err == nil { // macOS: the working folder may be named otherwise
			got = strings.Replace(got, real, root, 1)
		}
		if got != c.want {
			t.Errorf("Folder in %s with GONB_DIR %q is %s, want %s", c.wd, c.gonb, got, c.want)
		}
	}
	t.Setenv("BAYESCPACE_STORE", filepath.Join(root, "given"))
	if got, _ := Folder(); got != filepath.Join(root, "given") {
		t.Errorf("Folder is %s, want $BAYESCPACE_STORE", got)
	}
}

// A run with a controller, which may be a function, is made anew and not kept.
func TestController(t *testing.T) {
	s := open(t)
	listen := bcpace.PolicyFunc(func([]float64, bcpace.Belief, *rand.Rand) int { return 0 })
	o := cpace.Solver{Epsilon: 1, MaxSamples: 5, CertificateEpisodes: 20, Controller: listen}
	for range 2 {
		r, origin, err := s.Memo(t.Context(), fair, o, bcpace.Control{})
		if err != nil || origin != (Origin{}) || r.Choice == nil {
			t.Errorf("%+v, %v", origin, err)
		}
	}
	if list, err := s.List(); err != nil || len(list) > 0 {
		t.Errorf("kept: %v, %v", list, err)
	}
}

// Models that differ in what they say of themselves alone have keys of their own.
func TestKeyHasWhatIsStated(t *testing.T) {
	m, err := envs.DualControl{}.Model()
	if err != nil {
		t.Fatal(err)
	}
	keys := map[Key]string{}
	for name, change := range map[string]func(a *bcpace.Abilities){
		"as it is":        func(*bcpace.Abilities) {},
		"a tighter range": func(a *bcpace.Abilities) { a.ReturnRange = func() (lo, hi float64) { return 0, 9.9 } },
		"no slopes":       func(a *bcpace.Abilities) { a.Lipschitz = nil },
		"no curves":       func(a *bcpace.Abilities) { a.Smoothness = nil },
	} {
		other := bcpace.Derive(m, func(_ bcpace.Model, a *bcpace.Abilities) { change(a) })
		key, err := RunKey(other, certified.Solver{Epsilon: 1})
		if err != nil {
			t.Fatal(err)
		}
		if was, taken := keys[key]; taken {
			t.Errorf("%s has the key of %s", name, was)
		}
		keys[key] = name
	}
}
