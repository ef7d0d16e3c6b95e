package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// Limits in bytes of what users download. They are a tenth above the sizes of November 2026.
const (
	maxArchive   = 6_000_000
	maxModuleZip = 6_000_000
)

var errTooLarge = errors.New("more than the limit")

// download has the sizes in bytes of a commit, as users download it.
type download struct {
	archive   packed // the archive of the repository: git archive with gzip
	moduleZip packed // what `go install` and `go get` download
}

// packed has the sizes of an archive.
type packed struct {
	size, unpacked int64
	files          int
	folders        map[string]int64 // unpacked, by the first folder, or the first two in docs
}

func (p *packed) add(name string, size int64) {
	p.unpacked += size
	p.files++
	parts := strings.Split(name, "/")
	n := 1
	if parts[0] == "docs" {
		n = 2
	}
	folder := strings.Join(parts[:min(n, len(parts)-1)], "/")
	p.folders[cmp.Or(folder, ".")] += size
}

// measure measures the commit of src.
func measure(ctx context.Context, src *source) (*download, error) {
	d := &download{packed{folders: map[string]int64{}}, packed{folders: map[string]int64{}}}
	cmd := exec.CommandContext(ctx, "git", "archive", "--format=tar.gz", src.commit)
	cmd.Dir = src.dir
	archive, err := output(cmd)
	if err != nil {
		return nil, err
	}
	d.archive.size = int64(len(archive))
	tree, err := git(ctx, src.dir, "ls-tree", "-r", "-l", "-z", src.commit)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(strings.TrimSuffix(tree, "\x00"), "\x00") {
		var mode, kind, hash string
		var size int64
		fields, name, _ := strings.Cut(entry, "\t")
		if _, err := fmt.Sscan(fields, &mode, &kind, &hash, &size); err != nil {
			return nil, fmt.Errorf("git ls-tree: %q: %w", entry, err)
		}
		d.archive.add(name, size)
	}

	var module bytes.Buffer
	if err := writeModule(&module, src); err != nil {
		return nil, err
	}
	d.moduleZip.size = int64(module.Len())
	files, err := zip.NewReader(bytes.NewReader(module.Bytes()), d.moduleZip.size)
	if err != nil {
		return nil, err
	}
	for _, f := range files.File {
		d.moduleZip.add(strings.TrimPrefix(f.Name, modulePath+"@"+src.version+"/"), int64(f.UncompressedSize64))
	}
	return d, nil
}

// check returns an error if a download exceeds its limit.
func (d *download) check() error {
	var errs []error
	for _, c := range []struct {
		name        string
		size, limit int64
	}{{"the archive", d.archive.size, maxArchive}, {"the module zip", d.moduleZip.size, maxModuleZip}} {
		if c.size > c.limit {
			errs = append(errs, fmt.Errorf("%s has %d bytes: %w of %d bytes", c.name, c.size, errTooLarge, c.limit))
		}
	}
	return errors.Join(errs...)
}

// print prints the sizes and the largest folders.
func (d *download) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tarchive\tmodule zip\t")
	fmt.Fprintf(t, "limit\t%d\t%d\t\n", int64(maxArchive), int64(maxModuleZip))
	fmt.Fprintf(t, "packed\t%d\t%d\t\n", d.archive.size, d.moduleZip.size)
	fmt.Fprintf(t, "unpacked\t%d\t%d\t\n", d.archive.unpacked, d.moduleZip.unpacked)
	fmt.Fprintf(t, "files\t%d\t%d\t\n", d.archive.files, d.moduleZip.files)
	folders := slices.SortedFunc(maps.Keys(d.archive.folders), func(a, b string) int {
		return cmp.Or(cmp.Compare(d.archive.folders[b], d.archive.folders[a]), cmp.Compare(a, b))
	})
	for _, f := range folders[:min(20, len(folders))] {
		fmt.Fprintf(t, "%s\t%d\t%d\t\n", f, d.archive.folders[f], d.moduleZip.folders[f])
	}
	return t.Flush()
}

// printDownload prints the sizes of a commit and returns an error if one exceeds its limit.
func printDownload(ctx context.Context, o options) (err error) {
	work, err := os.MkdirTemp("", "inpoly-sizes-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	src, err := checkOut(ctx, o.repository, o.commit, o.version, filepath.Join(work, "source"))
	if err != nil {
		return err
	}
	d, err := measure(ctx, src)
	if err != nil {
		return err
	}
	return errors.Join(d.print(o.report), d.check())
}
