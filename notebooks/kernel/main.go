//go:build unix

// Command kernel is the Jupyter kernel of this project. Jupyter starts it, as its
// kernel.json says:
//
//	kernel --root DIR --gopls PROGRAM CONNECTION_FILE
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"bayescpace/notebooks/internal/front"
)

func main() {
	root := flag.String("root", "", "folder of the module that cells may import")
	gopls := flag.String("gopls", "", "the program gopls, which may be installed later")
	flag.Parse()
	if err := run(*root, *gopls, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "kernel:", err)
		os.Exit(1)
	}
}

func run(root, gopls string, args []string) error {
	// A terminal's Ctrl-C is for Jupyter, which tells its kernels by message. Not
	// ignored, as what a cell starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT)
	if len(args) != 1 || !filepath.IsAbs(root) {
		return fmt.Errorf("want --root with an absolute path and one connection file; Jupyter starts this program")
	}
	connection, err := filepath.Abs(args[0])
	if err != nil {
		return fmt.Errorf("finding the connection file: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	return front.Run(ctx, front.Config{
		Connection: connection,
		Root:       root,
		GoNB:       filepath.Join(filepath.Dir(self), "gonb"),
		Gopls:      gopls,
	})
}
