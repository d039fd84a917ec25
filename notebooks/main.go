// Command notebooks sets up the Go kernel of this project and runs, checks
// and opens its notebooks. It needs Go, Python 3.10 or newer and the package
// registries, and keeps everything it installs in the folder .bayescpace of
// the clone.
//
//	go run ./notebooks setup [--lab] [--kernel user|none]
//	go run ./notebooks run [--write] [--gallery] [--no-browser] [--dir DIR] [--out DIR] [--timeout 10m] [NAME… | all]
//	go run ./notebooks check [--dir DIR] [--timeout 10m] [NAME…]
//	go run ./notebooks live [--out DIR]
//	go run ./notebooks slides [--out DIR]
//	go run ./notebooks lab [DIR] [--no-browser] [--port N]
//	go run ./notebooks nbgrader [ARG…]
//	go run ./notebooks nbgrader lab [--no-browser] [--port N]
//	go run ./notebooks key open|seal
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"bayescpace/notebooks/internal/host"
	"bayescpace/notebooks/internal/runner"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		host.WaitForParent(ctx) // go run ends at a SIGTERM, which it does not pass on
		cancel()
	}()
	code := runner.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
