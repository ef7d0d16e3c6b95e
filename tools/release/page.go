package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// writePage writes the page that locates points in a browser. dir is a folder for the command as
// WebAssembly, which the page contains.
func (g *goTools) writePage(ctx context.Context, dist, dir string) error {
	wasm := filepath.Join(dir, "inpoly.wasm")
	build, err := g.buildCommand(ctx, platform{"js", "wasm"}, wasm, "./bindings/js/command")
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	if _, err := output(build); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	page := g.command(ctx, platform{runtime.GOOS, runtime.GOARCH}, "run", "-mod=readonly", ".", "-root", "../../..", "-wasm", wasm,
		"-version", "inpoly "+g.src.version, "-out", filepath.Join(dist, "inpoly_"+g.src.number()+".html"))
	page.Dir = filepath.Join(g.src.dir, "bindings", "js", "page")
	if _, err := output(page); err != nil {
		return fmt.Errorf("page: %w", err)
	}
	return nil
}

// writeChecker writes the program that checks proof files. It is a file of its own, so that users need
// nothing else of a release to check a proof.
func writeChecker(dist string, src *source) error {
	data, err := src.read("proof/check.py")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, "inpoly_"+src.number()+"_check.py"), data, 0o644)
}
