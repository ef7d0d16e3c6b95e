// Command sizes measures built files that users download, prints their sizes, and compares them with
// docs/sizes.md. It fails if a size differs by more than 5 % from the page. With -update, it writes the sizes to
// the page instead.
//
//	go run ./sizes [-update] npm=FILE page=FILE library=FILE
//
// FILE is the npm package, the page for browsers, or the C library for linux/amd64.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// tolerance is the largest accepted relative difference between the size of a file and its entry in
// docs/sizes.md. Other versions of Go and gcc make slightly different files. Other pages round the
// sizes to two digits, which changes a size such as 1.0 by up to 5 %, so a smaller tolerance would
// not make the pages more exact.
const tolerance = 0.05

func main() {
	if err := run(os.Args[1:], "..", os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "sizes:", err)
		os.Exit(1)
	}
}

// run executes the command line. root is the folder of the repository.
func run(args []string, root string, w io.Writer) error {
	flags := flag.NewFlagSet("sizes", flag.ContinueOnError)
	update := flags.Bool("update", false, "write the sizes to docs/sizes.md")
	if err := flags.Parse(args); err != nil {
		return err
	}
	name := filepath.Join(root, "docs", "sizes.md")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	var errs []error
	for _, arg := range flags.Args() {
		kind, file, _ := strings.Cut(arg, "=")
		measured, err := measure(kind, file)
		if err != nil {
			return err
		}
		for _, row := range slices.Sorted(maps.Keys(measured)) {
			size := measured[row]
			fmt.Fprintf(w, "%s: %s bytes\n", row, grouped(size))
			listed, ok := table(text)[row]
			switch {
			case !ok:
				errs = append(errs, fmt.Errorf("docs/sizes.md: no row %s", row))
			case *update:
				text = bytes.Replace(text, fmt.Appendf(nil, "| %s | %s |", row, grouped(listed)), fmt.Appendf(nil, "| %s | %s |", row, grouped(size)), 1)
			case differs(size, listed):
				errs = append(errs, fmt.Errorf("docs/sizes.md: %s: %s bytes, but the file has %s: run `make sizes`", row, grouped(listed), grouped(size)))
			}
		}
	}
	if len(errs) == 0 && *update {
		return os.WriteFile(name, text, 0o644)
	}
	return errors.Join(errs...)
}

func differs(size, listed int64) bool {
	d := float64(size) - float64(listed)
	return max(d, -d) > tolerance*float64(listed)
}

// measure returns the sizes in bytes of a file, by the names of the rows in docs/sizes.md.
func measure(kind, file string) (map[string]int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	size := int64(len(data))
	switch kind {
	case "page":
		return map[string]int64{"`inpoly.html`": size}, nil
	case "library":
		return map[string]int64{"`libinpoly.so`": size}, nil
	case "npm":
		sizes, err := measurePackage(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sizes["the npm package"] = size
		return sizes, nil
	}
	return nil, fmt.Errorf("unknown kind of file %q: expected npm=FILE, page=FILE or library=FILE", kind)
}

// measurePackage returns the sizes of the files in the npm package.
func measurePackage(data []byte) (map[string]int64, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	sizes := map[string]int64{}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(t)
		if err != nil {
			return nil, err
		}
		sizes["the npm package, installed"] += int64(len(content))
		switch name := path.Base(h.Name); name {
		case "inpoly.wasm":
			var packed bytes.Buffer
			w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
			if err == nil {
				_, err = w.Write(content)
				err = errors.Join(err, w.Close())
			}
			if err != nil {
				return nil, err
			}
			sizes["`inpoly.wasm`"], sizes["`inpoly.wasm`, packed with gzip"] = int64(len(content)), int64(packed.Len())
		case "inpoly-command.wasm.gz":
			r, err := gzip.NewReader(bytes.NewReader(content))
			if err != nil {
				return nil, err
			}
			unpacked, err := io.Copy(io.Discard, r)
			if err != nil {
				return nil, err
			}
			sizes["`inpoly-command.wasm.gz`"], sizes["`inpoly-command.wasm.gz`, unpacked"] = int64(len(content)), unpacked
		}
	}
	if len(sizes) != 5 {
		return nil, errors.New("inpoly.wasm or inpoly-command.wasm.gz is missing")
	}
	return sizes, nil
}

var row = regexp.MustCompile(`(?m)^\| (.+) \| ([\d,]+) \|$`)

// table returns the rows of docs/sizes.md.
func table(text []byte) map[string]int64 {
	sizes := map[string]int64{}
	for _, m := range row.FindAllSubmatch(text, -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(string(m[2]), ",", ""), 10, 64)
		if err == nil {
			sizes[string(m[1])] = n
		}
	}
	return sizes
}

// grouped returns a number with commas between groups of three digits.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
