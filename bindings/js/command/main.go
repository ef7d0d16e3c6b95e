//go:build js && wasm

// The program command is the command inpoly without signals, which do not exist in JavaScript. The
// page (bindings/js/page) and the npm package run it in a worker, with files in memory (bindings/js/lib/program.js).
package main

import (
	"context"
	"os"

	"github.com/inpoly/inpoly/internal/cli"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
)

func main() {
	t := &term.Terminal{In: disk.Stdin(), Out: term.Stdout(), Err: os.Stderr}
	os.Exit(cli.Run(context.Background(), t, os.Args[1:]))
}
