//go:build unix

package front

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"bayescpace/notebooks/internal/host"
)

// Config says what a kernel consists of. All paths are absolute.
type Config struct {
	Connection string // the connection file that Jupyter wrote
	Root       string // the folder of the module that cells may import
	GoNB       string // the program; goimports lies beside it
	Gopls      string // the program; it may be installed later
}

// Run serves Jupyter until it ends the kernel, ctx is done, or whoever started this
// process has ended. When it returns, nothing that it started runs any more.
func Run(ctx context.Context, c Config) error {
	given, err := readConnection(c.Connection)
	if err != nil {
		return err
	}
	folder, err := temporary()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		host.WaitForParent(ctx)
		cancel()
	}()
	sockets, stop := context.WithCancel(context.Background())
	defer stop()
	jupyter, err := given.bind(sockets)
	if err != nil {
		return err
	}
	behind := given.behind(folder)
	gonb, err := startGoNB(c, behind, folder)
	if err != nil {
		return err
	}
	made := "" // the folder where GoNB compiles
	defer func() {
		gonb.end()
		os.RemoveAll(made)
	}()
	gonb.group.Removes(folder)

	dialled := make(chan struct{})
	go func() {
		select {
		case <-gonb.gone:
			stop()
		case <-ctx.Done():
			stop()
		case <-dialled:
		}
	}()
	kernel, err := behind.dial(sockets)
	close(dialled)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return gonb.died()
	}
	help := &Helper{Program: c.Gopls, Root: c.Root, Folder: filepath.Join(folder, "cells")}
	defer help.End()
	f := newFront(given.Key, c.Root, jupyter, kernel, help)
	f.compiles = func() bool { return compiling(gonb.group.ID()) }
	f.opening.made = func(where string) {
		made = where
		gonb.group.Removes(made)
		os.RemoveAll(filepath.Join(folder, "bin"))
	}
	if f.serve(ctx, gonb.gone) {
		return gonb.died()
	}
	return nil
}

// socketPath is how long the path of a socket may be, on any system.
const socketPath = 100

// temporary makes a folder for the sockets.
func temporary() (string, error) {
	folder, err := os.MkdirTemp("", "gonb-front-")
	if err == nil && len(folder)+len("/k-5") > socketPath {
		os.Remove(folder)
		folder, err = os.MkdirTemp("/tmp", "gonb-front-")
	}
	if err != nil {
		return "", fmt.Errorf("making a folder for the kernel's sockets: %w", err)
	}
	return folder, nil
}
