//go:build race

package envtest

// RaceDetector says whether this test binary looks for data races: a sync.Pool then
// forgets at random what it was given, and models that use one allocate.
const RaceDetector = true
