package cmd

// modelSource is a model given by --env and --set, or by the run that explored it.
type modelSource struct {
	env environment
	run string
}

// flags adds the flags of a source, with what is taken from an environment and from
// a run.
func (s *modelSource) flags(f *flags, ofEnv, ofRun string) {
	s.env.flags(f, ", for "+ofEnv)
	f.value("run", "FILE", "run saved by bcpace solve --out, for "+ofRun, text(&s.run))
}
