// Command inpoly decides which points of a file lie inside a triangle mesh.
//
//	inpoly mesh.stl points.csv > out.csv   # append the column "inside"
//	inpoly check mesh.stl                  # diagnose the mesh
//
// Data goes to standard output. Messages go to standard error. An output file is either complete or
// absent. "inpoly help" lists the flags.
//
// Exit codes: 0 done; 1 input, output or parse error; 2 usage error; 3 defects or uncertain points
// with --strict; 128 + n if signal n ended the command (130 for Ctrl-C).
package main

import (
	"context"
	"os"

	"github.com/inpoly/inpoly/internal/cli"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
)

func main() {
	term.DelayCollection()
	t := &term.Terminal{In: disk.Stdin(), Out: term.Stdout(), Err: term.Stderr()}
	os.Exit(term.RunUntilSignal(
		func(ctx context.Context) int { return cli.Run(ctx, t, os.Args[1:]) },
		func() {
			t.DropOutputs()
			t.Interrupted("inpoly", os.Args)
		}))
}
