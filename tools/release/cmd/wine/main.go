// Command wine runs a program for Windows in Wine. It is for go test:
//
//	GOOS=windows GOARCH=amd64 go test -exec "path/of/wine" ./internal/disk
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/inpoly/inpoly/tools/release/internal/wine"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: wine PROGRAM [ARGUMENT…]")
		os.Exit(2)
	}
	cmd, err := wine.Command(context.Background(), os.Args[1], os.Args[2:]...)
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(max(1, exit.ExitCode()))
	case err != nil:
		fmt.Fprintln(os.Stderr, "wine:", err)
		os.Exit(1)
	}
}
