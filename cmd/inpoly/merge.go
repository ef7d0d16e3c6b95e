package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/shards"
)

// mergeFlags holds the flags of merge.
type mergeFlags struct{ out, dir string }

// mergeCommand returns the command merge.
func (a *app) mergeCommand() *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use: "merge manifest",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usageError{fmt.Errorf("%d files given: merge wants one manifest", len(args))}
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.merge(c.Context(), &f, args[0]) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "", "")
	c.Flags().StringVar(&f.dir, "out-dir", "", "")
	a.quietFlag(c)
	return c
}

// merge joins the shards that the manifest at path lists.
func (a *app) merge(ctx context.Context, f *mergeFlags, path string) error {
	if f.dir != "" && f.out != "" {
		return usageError{errors.New("--out and --out-dir: want one of them")}
	}
	m, err := shards.Read(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if f.dir != "" {
		return a.mergeEach(ctx, m, dir, f.dir)
	}
	if !onlyStdout(f.out) {
		if err := notShard(m, dir, path, f.out); err != nil {
			return err
		}
	}
	err = a.mergeTo(ctx, f.out, func(w io.Writer) error { return m.JoinAll(w, dir) })
	if errors.Is(err, shards.ErrJoin) && len(m.Inputs) > 1 {
		err = hinted{err, "--out-dir DIR writes one file for each input"}
	}
	if err == nil {
		a.note("%s: %s of %s joined", path, plural.Count(m.Written, "row"), plural.Count(int64(len(m.Inputs)), "input"))
	}
	return err
}

// mergeEach writes a file for each input, named like it, to the folder out.
func (a *app) mergeEach(ctx context.Context, m *shards.Manifest, dir, out string) error {
	names := map[string]string{}
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if err := in.Joinable(); err != nil {
			return err
		}
		name := mergedName(in)
		if other, ok := names[strings.ToLower(name)]; ok {
			return fmt.Errorf("%s and %s would both become %s", other, in.Path, filepath.Join(out, name))
		}
		names[strings.ToLower(name)] = in.Path
		if err := notShard(m, dir, "", filepath.Join(out, name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for i := range m.Inputs {
		in := &m.Inputs[i]
		path := filepath.Join(out, mergedName(in))
		if err := a.mergeTo(ctx, path, func(w io.Writer) error { return in.Join(w, dir) }); err != nil {
			return err
		}
		var rows int64
		for _, s := range in.Shards {
			rows += s.Written
		}
		a.note("%s: %s", path, plural.Count(rows, "row"))
	}
	return nil
}

// mergedName is the name of the input with the suffix of the output.
func mergedName(in *shards.Input) string {
	base := filepath.Base(in.Path)
	if isPacked(base) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.TrimSuffix(base, filepath.Ext(base)) + in.Ext
}

// notShard refuses an output that is an input of the merging or of the run before.
func notShard(m *shards.Manifest, dir, manifest, out string) error {
	to, err := os.Stat(out)
	if err != nil || !to.Mode().IsRegular() {
		return nil
	}
	same := func(path string) bool {
		fi, err := os.Stat(path)
		return err == nil && os.SameFile(to, fi)
	}
	if manifest != "" && same(manifest) {
		return usageError{fmt.Errorf("--out %s: this is the manifest", out)}
	}
	for i := range m.Inputs {
		if same(m.Inputs[i].Path) {
			return usageError{fmt.Errorf("output %s: these are the points that were asked", out)}
		}
		for _, s := range m.Inputs[i].Shards {
			if same(filepath.Join(dir, s.File)) {
				return usageError{fmt.Errorf("output %s: this is one of the shards", out)}
			}
		}
	}
	return nil
}

// mergeTo writes what join does to path, or to standard output, until ctx ends.
func (a *app) mergeTo(ctx context.Context, path string, join func(io.Writer) error) error {
	if onlyStdout(path) {
		return join(whileOpen{ctx, a.out})
	}
	file, err := a.createOutput(path)
	if err != nil {
		return err
	}
	defer a.dropOutput()
	if err := join(whileOpen{ctx, file}); err != nil {
		return err
	}
	return a.commitOutput()
}

// whileOpen is a writer that fails once ctx has ended.
type whileOpen struct {
	ctx context.Context
	w   io.Writer
}

func (w whileOpen) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
