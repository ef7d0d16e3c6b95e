//go:build js && wasm

// The program command is the command inpoly without signals, which do not exist in JavaScript. The
// page (js/page) runs it in a Web Worker, with files in memory.
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
