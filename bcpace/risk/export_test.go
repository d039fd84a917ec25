package risk

// AlwaysGrid has all models solved on a grid until the function that it returns is called.
func AlwaysGrid() (restore func()) {
	old := mostExact
	mostExact = 0
	return func() { mostExact = old }
}
