package envs_test

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayescpace/bcpace"
	"bayescpace/envs"
	"bayescpace/envs/envtest"
)

// register registers an environment for the time of a test.
func register(t *testing.T, info envs.Info, build func(*envs.Values) (bcpace.Model, error)) {
	t.Helper()
	envs.Register(info, build)
	t.Cleanup(func() { envs.Unregister(info.Name) })
}

// renamed is Chain by another name: what it can do comes from the one embedded.
type renamed struct {
	envs.Chain
	name   string
	params []bcpace.Param
}

// Spec implements bcpace.Model.
func (r renamed) Spec() bcpace.Spec {
	s := r.Chain.Spec()
	s.Name, s.Params = r.name, r.params
	return s
}

var renamedInfo = envs.Info{
	Name: "my-chain", Doc: "Chain by another name.", Latents: "slips", Latent: "slip",
	Params: []envs.ParamInfo{
		{Key: "slips", Default: "0.1,0.9", Want: "probabilities with commas between them"},
		{Key: "length", Default: "4", Want: "a number of states"},
		{Key: "reward", Default: "executed", Want: "executed or intended"},
		{Key: "discount", Default: "0.9", Want: "a number in (0, 1)"},
	},
}

func buildRenamed(v *envs.Values) (bcpace.Model, error) {
	return renamed{envs.Chain{
		Slips: v.Floats("slips"), Length: v.Count("length"), Intended: v.Text("reward") == "intended", Discount: v.Float("discount"),
	}, v.Name(), v.Params()}, nil
}

// pairs returns parameters of the form key=value.
func pairs(texts ...string) (params []bcpace.Param) {
	for _, text := range texts {
		key, value, _ := strings.Cut(text, "=")
		params = append(params, bcpace.Param{Key: key, Value: value})
	}
	return params
}

// TestRegister makes an environment of a user's own by its name and from its Spec.
func TestRegister(t *testing.T) {
	ours := envs.List()
	if envs.Registered("my-chain") {
		t.Fatal("registered before it was")
	}
	register(t, renamedInfo, buildRenamed)
	if !envs.Registered("my-chain") || envs.Registered("chain") || envs.Registered("lion") {
		t.Error("Registered does not tell the user's own environment from ours and from none")
	}
	list := envs.List()
	if i := slices.IndexFunc(list, func(i envs.Info) bool { return i.Name == "my-chain" }); len(list) != len(ours)+1 || i < 0 || !reflect.DeepEqual(list[i], renamedInfo) {
		t.Errorf("the list has %d environments where there were %d, my-chain as number %d", len(list), len(ours), i)
	}
	for _, c := range []struct{ given, want []bcpace.Param }{
		{nil, pairs("slips=0.1,0.9", "length=4", "reward=executed", "discount=0.9")},
		{pairs("length= 6 ", "slip=0.3,0.4,0.5"), pairs("slips=0.3,0.4,0.5", "length=6", "reward=executed", "discount=0.9")},
	} {
		m, err := envs.New("my-chain", c.given)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Spec().Params; !reflect.DeepEqual(got, c.want) {
			t.Errorf("given %v, the parameters are %v, want %v", c.given, got, c.want)
		}
		again, err := envs.New("my-chain", m.Spec().Params)
		if err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("made again it is %v, %v, want %v", again, err, m)
		}
		if _, ok := bcpace.AsFinite(m); !ok {
			t.Error("the states are not numbered any more")
		}
		envtest.Run(t, m)
	}
}

// TestRegisterErrors expects an error of New for values that cannot be read, and for models that
// a saved run could not make again.
func TestRegisterErrors(t *testing.T) {
	register(t, renamedInfo, buildRenamed)
	with := func(name string, change func(m *renamed)) {
		info := renamedInfo
		info.Name = name
		register(t, info, func(v *envs.Values) (bcpace.Model, error) {
			m, err := buildRenamed(v)
			if m, ok := m.(renamed); ok {
				change(&m)
				return m, err
			}
			return m, err
		})
	}
	with("other-name", func(m *renamed) { m.name = "chain" })
	with("no-params", func(m *renamed) { m.params = nil })
	with("other-params", func(m *renamed) { m.params = slices.Clone(m.params); m.params[1].Value = "5" })
	with("bad-model", func(m *renamed) { m.Chain.Slips = []float64{2} })
	register(t, envs.Info{Name: "other-key"}, func(v *envs.Values) (bcpace.Model, error) {
		return renamed{envs.Chain{Length: v.Count("length")}, "", nil}, nil
	})
	register(t, envs.Info{Name: "no-model"}, func(*envs.Values) (bcpace.Model, error) { return nil, nil })
	failed := errors.New("the file of the map is missing")
	register(t, envs.Info{Name: "failing"}, func(*envs.Values) (bcpace.Model, error) { return envs.Chain{}, failed })

	for _, c := range []struct{ name, key, value, words string }{
		{"my-chain", "lenght", "4", `environment "my-chain": parameter is "lenght", want one of slips, length, reward, discount`},
		{"my-chain", "length", "four", `length is "four", want a number of states`},
		{"my-chain", "length", "0", `length is "0", want a number of states`},
		{"my-chain", "slips", "0.1,,0.2", `slips is "0.1,,0.2", want probabilities with commas`},
		{"my-chain", "discount", "Inf", `discount is "Inf", want a number in (0, 1)`},
		{"other-name", "length", "4", `environment "other-name": Spec.Name is "chain", want "other-name", so that a saved run finds the model again`},
		{"no-params", "length", "4", `Spec.Params is [], want [{slips 0.1,0.9} {length 4}`},
		{"other-params", "length", "4", `Spec.Params is [{slips 0.1,0.9} {length 5}`},
		{"bad-model", "length", "4", `slips is 2, want probabilities`},
		{"other-key", "", "", `the key that its build function reads is "length", want none, as the environment has no parameters`},
		{"no-model", "", "", "the model is nil"},
	} {
		var params []bcpace.Param
		if c.key != "" {
			params = []bcpace.Param{{Key: c.key, Value: c.value}}
		}
		m, err := envs.New(c.name, params)
		wantInputError(t, err, c.words)
		if m != nil {
			t.Errorf("%s: a model beside the error", c.name)
		}
	}
	if m, err := envs.New("failing", nil); err != failed || m != nil {
		t.Errorf("got %v, %v, want the error of the build function alone", m, err)
	}
}

// TestRegisterPanics expects a program that registers nonsense to be told at its start.
func TestRegisterPanics(t *testing.T) {
	register(t, renamedInfo, buildRenamed)
	info := func(change func(i *envs.Info)) envs.Info {
		i := renamedInfo
		i.Name, i.Params = "new", slices.Clone(i.Params)
		change(&i)
		return i
	}
	for want, i := range map[string]envs.Info{
		`a second environment of the name "my-chain"`: renamedInfo,
		`a second environment of the name "tiger"`:    info(func(i *envs.Info) { i.Name = "tiger" }),
		`environment "": want a name without spaces`:  info(func(i *envs.Info) { i.Name = "" }),
		`environment "a b": want a name`:              info(func(i *envs.Info) { i.Name = "a b" }),
		`a parameter has the key ""`:                  info(func(i *envs.Info) { i.Params[0].Key = "" }),
		`a parameter has the key "a=b"`:               info(func(i *envs.Info) { i.Params[0].Key = "a=b" }),
		`two parameters have the key "slips"`:         info(func(i *envs.Info) { i.Params[1].Key = "slips" }),
		`the default of length is " 4", want`:         info(func(i *envs.Info) { i.Params[1].Default = " 4" }),
		`Latents is "" and Latent "slip", want both`:  info(func(i *envs.Info) { i.Latents = "" }),
		`Latents is "slipz", want the key`:            info(func(i *envs.Info) { i.Latents = "slipz" }),
		`Latent is "length", which is the key`:        info(func(i *envs.Info) { i.Latent = "length" }),
	} {
		if got := panics(func() { envs.Register(i, buildRenamed) }); !strings.Contains(got, want) {
			t.Errorf("the panic is %q, want it to say %q", got, want)
		}
	}
	if got := panics(func() { envs.Register(info(func(*envs.Info) {}), nil) }); !strings.Contains(got, "no build function") {
		t.Errorf("the panic is %q", got)
	}
	if envs.Registered("new") {
		t.Error("registered in spite of the panic")
	}
}

// panics returns what f panics with, "" if it does not.
func panics(f func()) (what string) {
	defer func() {
		if x := recover(); x != nil {
			what = fmt.Sprint(x)
		}
	}()
	f()
	return ""
}
