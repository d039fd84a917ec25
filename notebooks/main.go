// Command notebooks sets up the Go kernel of this project and runs, checks
// and opens its notebooks. It needs Go, Python 3.10 or newer and the package
// registries, and keeps everything it installs in the folder .bayescpace of
// the clone.
//
//	go run ./notebooks setup [--lab]
//	go run ./notebooks run [--write] [--gallery] [--dir DIR] [--out DIR] [--timeout 10m] [NAME…]
//	go run ./notebooks check [--dir DIR] [--timeout 10m] [NAME…]
//	go run ./notebooks lab [--dir DIR] [--no-browser] [--port N]
//	go run ./notebooks nbgrader [ARG…]
//	go run ./notebooks nbgrader lab [--no-browser] [--port N]
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"bayescpace/notebooks/internal/runner"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := runner.Run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
