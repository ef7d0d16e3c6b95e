package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/inpoly/inpoly/internal/ask"
)

// runKey is a text that differs for all that decides the output: the inputs, by their
// paths, sizes and times, the solids as they were loaded, which may be from more files
// than those, the flags and the version.
func (f *flags) runKey(args []string, s *ask.Solids) (string, error) {
	if f.Unsteady(s) {
		return "", usageError{hinted{errors.New("--resume: the winding numbers of an open mesh would not be those of one run"),
			"--method raycross, cells or direct gives the same ones whenever it is asked"}}
	}
	h := sha256.New()
	fmt.Fprintln(h, versionText())
	for _, path := range args {
		full, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d %d\n", full, fi.Size(), fi.ModTime().UnixNano())
	}
	fmt.Fprintln(h, f.Format, f.State, f.Winding, f.Certify, f.Distance, f.Nearest, f.Body, f.Keep, f.Epsilon, f.Method, f.Rule,
		f.Tolerance, f.Orient, f.Seed, f.Columns, f.Text, f.shard, f.bytes)
	s.Hash(h)
	return hex.EncodeToString(h.Sum(nil)), nil
}
