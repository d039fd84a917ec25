//go:build !race

package envtest

const RaceDetector = false
