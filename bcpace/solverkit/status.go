package solverkit

// Status says how far one can build on a solver, an environment or a package.
type Status string

const (
	Core       Status = "core"
	Extension  Status = "extension"
	Experiment Status = "experiment"
)

// Statuses are all of them, the most reliable first.
func Statuses() []Status { return []Status{Core, Extension, Experiment} }

// Promise is what a status promises to whoever builds on something that has it.
func (s Status) Promise() string {
	switch s {
	case Core:
		return "Values and bounds are tested on random models against computations of another kind. Names, parameters and results stay; where a fault is mended, the changelog says which result changed."
	case Extension:
		return "Values and bounds are tested as those of the core. Names, defaults and random numbers may change with a version, which the changelog says."
	case Experiment:
		return "Values and bounds are tested on the problems of its own tests. It may change or go with any version."
	}
	return ""
}
