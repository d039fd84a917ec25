//go:build !race

package envtest

const raceDetector = false
