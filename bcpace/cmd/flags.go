package cmd

import (
	"errors"
	"flag"
	"io"
	"slices"
	"strings"
	"time"

	"bayescpace/bcpace"
	"bayescpace/bcpace/numtext"
)

// flags are the flags of a verb, in the order and sections of its help.
type flags struct {
	set      *flag.FlagSet
	sections []section
	operand  *operand        // the argument without a name, if the verb has one
	given    map[string]bool // by name
	again    string          // the flag that was given twice, if any
	json     bool            // --json is given
	force    bool            // --force is given
}

// section is a group of flags under a title.
type section struct {
	title string
	flags []flagInfo
}

// operand is an argument without a flag's name.
type operand struct {
	arg, doc string
	many     bool // it may stand there several times
	parse    func(text string) error
}

// flagInfo is a line of the help.
type flagInfo struct{ name, arg, doc string }

func newFlags() *flags {
	f := &flags{set: flag.NewFlagSet("", flag.ContinueOnError), given: make(map[string]bool)}
	f.set.SetOutput(io.Discard) // the caller reports errors, in its own form
	return f
}

// section begins a group of flags.
func (f *flags) section(title string) { f.sections = append(f.sections, section{title: title}) }

// value adds a flag with a value; parse takes its text. A flag without a doc is
// not listed.
func (f *flags) value(name, arg, doc string, parse func(text string) error) {
	f.list(name, arg, doc)
	f.set.Func(name, doc, f.once(name, parse))
}

// argument says what the argument without a name is; given has it under arg.
func (f *flags) argument(arg, doc string, parse func(text string) error) {
	f.operand = &operand{arg: arg, doc: doc, parse: parse}
}

// arguments says what the arguments without a name are, one or more.
func (f *flags) arguments(arg, doc string, list *[]string) {
	f.operand = &operand{arg: arg, doc: doc, many: true, parse: func(s string) error {
		*list = append(*list, s)
		return nil
	}}
}

// toggle adds a flag without a value, or with =false.
func (f *flags) toggle(name, doc string, parse func(text string) error) {
	f.list(name, "", doc)
	f.set.BoolFunc(name, doc, f.once(name, parse))
}

// params adds the flag --set, which may be given once for each parameter of an
// environment.
func (f *flags) params(params *[]bcpace.Param) {
	f.list("set", "KEY=VALUE", "parameter of the environment; may be repeated for other parameters")
	f.set.Func("set", "", func(text string) error {
		p, err := parseParam(text)
		if err != nil {
			return err
		}
		f.given["set"] = true
		return f.once("set "+p.Key, func(string) error {
			*params = append(*params, p)
			return nil
		})(text)
	})
}

// errTwice says that a flag was given before.
var errTwice = errors.New("given twice")

// once returns the parser of a flag that may be given once.
func (f *flags) once(name string, parse func(text string) error) func(text string) error {
	return func(text string) error {
		if f.given[name] {
			f.again = name
			return errTwice
		}
		f.given[name] = true
		return parse(text)
	}
}

func (f *flags) list(name, arg, doc string) {
	if doc != "" {
		s := &f.sections[len(f.sections)-1]
		s.flags = append(s.flags, flagInfo{name, arg, doc})
	}
}

// parse reads args: flags, and the operand before, between or behind them. The error is errHelp
// or a *usageError.
func (f *flags) parse(args []string) error {
	for {
		err := f.set.Parse(args)
		switch {
		case errors.Is(err, flag.ErrHelp):
			return errHelp
		case f.again != "": // package flag hides the error in a text
			return misuse("--%s is given twice", f.again)
		case err != nil:
			return misuse("%s", f.rephrase(err.Error()))
		case f.set.NArg() == 0:
			return nil
		case f.operand == nil || f.given[f.operand.arg] && !f.operand.many:
			return misuse("unexpected argument %q", f.set.Arg(0))
		}
		f.given[f.operand.arg] = true
		if err := f.operand.parse(f.set.Arg(0)); err != nil {
			return misuse("invalid %s %q: %v", f.operand.arg, f.set.Arg(0), err)
		}
		args = f.set.Args()[1:]
	}
}

// names returns the flags of the help.
func (f *flags) names() (list []string) {
	for _, s := range f.sections {
		list = append(list, each(s.flags, func(x flagInfo) string { return x.name })...)
	}
	return list
}

// dashed returns them with their dashes.
func (f *flags) dashed() []string {
	return each(f.names(), func(name string) string { return "--" + name })
}

// rephrase writes the errors of package flag with the dashes of our help.
func (f *flags) rephrase(text string) string {
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		name = "--" + strings.TrimLeft(name, "-")
		return "unknown flag " + name + numtext.Meant(name, f.dashed())
	}
	for _, before := range []string{"flag needs an argument: ", "for flag ", "for "} {
		text = strings.Replace(text, before+"-", before+"--", 1)
	}
	return text
}

// clash returns a *usageError if one of the named flags was given beside the
// one that rules them out.
func (f *flags) clash(with string, names ...string) error {
	for _, n := range names {
		if f.given[n] {
			return misuse("--%s and %s contradict each other: leave one of them out", n, with)
		}
	}
	return nil
}

// require returns a *usageError for the first of these flags, or for the argument without a name, that is not given.
func (f *flags) require(names ...string) error {
	for _, name := range names {
		switch {
		case f.given[name]:
		case f.operand != nil && f.operand.arg == name:
			return misuse("%s is missing: %s", name, f.operand.doc)
		default:
			return misuse("--%s is missing", name)
		}
	}
	return nil
}

// excludes is clash where a flag is given that rules others out.
func (f *flags) excludes(flag string, names ...string) error {
	return unless(!f.given[flag], f.clash("--"+flag, names...))
}

// The functions below make parsers that store what they read.

func text(x *string) func(string) error {
	return func(s string) error {
		if s == "" {
			return errors.New("want a name")
		}
		*x = s
		return nil
	}
}

func whole(x *int) func(string) error { return into(x, numtext.Whole, "") }

func unsigned(x *uint64) func(string) error {
	return into(x, numtext.Unsigned, "want a whole number, 0 or more")
}

func float(x *float64) func(string) error { return into(x, numtext.Float, "") }

func duration(x *time.Duration) func(string) error {
	return into(x, time.ParseDuration, "want a duration such as 30s or 2m")
}

// timeLimit is a duration above 0.
func timeLimit(x *time.Duration) func(string) error {
	return func(s string) error {
		if err := duration(x)(s); err != nil || *x > 0 {
			return err
		}
		return errors.New("want a time above 0")
	}
}

func boolean(x *bool) func(string) error { return into(x, numtext.Switch, "") }

// into also says what is wanted, where read does not.
func into[T any](x *T, read func(string) (T, error), want string) func(string) error {
	return func(s string) (err error) {
		if *x, err = read(s); err != nil && want != "" {
			err = errors.New(want)
		}
		return err
	}
}

// only returns a *usageError where a flag is given that does not go with source.
func (f *flags) only(source string, with []string) error {
	others := slices.DeleteFunc(f.names(), func(name string) bool { return slices.Contains(with, name) })
	return f.clash(source, others...)
}

// output adds the section of verbs that print a result.
func (f *flags) output() {
	f.section("output")
	f.jsonFlag()
}

// jsonFlag adds the flag of verbs that print a result.
func (f *flags) jsonFlag() {
	f.toggle("json", "print one JSON object instead of a table", boolean(&f.json))
}

// parseParam reads key=value. Only the key is judged here: which keys and
// values there are is for the environment to say.
func parseParam(text string) (bcpace.Param, error) {
	key, value, ok := strings.Cut(text, "=")
	key, value = strings.TrimSpace(key), strings.TrimSpace(value)
	if !ok || key == "" {
		return bcpace.Param{}, errors.New("want key=value, such as discount=0.95")
	}
	return bcpace.Param{Key: key, Value: value}, nil
}
