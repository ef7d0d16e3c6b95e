// Command filters checks the error bounds of floating-point filters. A file name.gappa in the folder of
// the code has the proof of a bound, as input of Gappa (https://gappa.gitlabpages.inria.fr). In the
// proof, @name@ stands for a constant of the Go code, whose value filters reads from the source. So a
// constant in the code cannot become smaller than the proved bound.
//
//	go run ./filters -root ..
//
// The constants belong to the Go package in the folder of the file, or to a package that this package
// imports. filters also compiles the packages for arm64, where the compiler can fuse a product and a sum
// into one instruction with one rounding. The proofs count the rounding of each product, so filters
// fails if the machine code of a function in a line "# rounded: Function" has such an instruction.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	root := flag.String("root", "..", "`folder` of the repository")
	flag.Parse()
	if err := run(context.Background(), *root, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "filters:", err)
		os.Exit(1)
	}
}

// run checks all proofs below a folder.
func run(ctx context.Context, root string, out io.Writer) error {
	if _, err := exec.LookPath("gappa"); err != nil {
		return fmt.Errorf("%w: apt-get install gappa", err)
	}
	proofs, err := find(root)
	if err != nil {
		return err
	}
	if len(proofs) == 0 {
		return fmt.Errorf("no file *.gappa below %s", root)
	}
	var errs []error
	for _, p := range proofs {
		text, err := p.instance(p.constants)
		if err == nil {
			err = prove(ctx, text)
		}
		if err == nil {
			err = p.checkProducts(ctx)
		}
		name, _ := filepath.Rel(root, p.path)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			continue
		}
		fmt.Fprintf(out, "proved: %s\n", name)
	}
	return errors.Join(errs...)
}
