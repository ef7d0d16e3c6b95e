package merge

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/plural"
)

//go:embed help.txt
var help string

type flags struct{ out, dir string }

// Command returns the cobra command.
func Command(t *term.Terminal) *cobra.Command {
	var f flags
	c := &cobra.Command{
		Use: "merge manifest", Long: help,
		Args: term.OneFile("manifest"),
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), t, &f, args[0]) },
	}
	c.Flags().StringVarP(&f.out, "out", "o", "", "")
	c.Flags().StringVar(&f.dir, "out-dir", "", "")
	t.QuietFlag(c.Flags())
	return c
}

func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	if f.dir != "" && f.out != "" {
		return term.Usagef("--out and --out-dir cannot be combined")
	}
	m, err := Read(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if f.dir != "" {
		return joinEach(ctx, t, m, dir, f.dir)
	}
	if !term.IsStdout(f.out) {
		if err := refuseInput(m, dir, path, f.out); err != nil {
			return err
		}
	}
	_, err = t.WriteOutput(f.out, func(w io.Writer) error { return m.JoinAll(contextWriter{ctx, w}, dir) })
	if errors.Is(err, ErrJoin) && len(m.Inputs) > 1 {
		err = term.WithHint(err, "--out-dir DIR writes one file for each point file")
	}
	if err == nil {
		t.Note("%s: %s of %s joined", path, plural.Count(m.Written, "row"), plural.Count(int64(len(m.Inputs)), "input"))
	}
	return err
}

// joinEach writes one file for each input to the folder out. The file has the name of the input.
func joinEach(ctx context.Context, t *term.Terminal, m *Manifest, dir, out string) error {
	names := map[string]string{}
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if err := in.Joinable(); err != nil {
			return err
		}
		name := in.outputName()
		if other, ok := names[strings.ToLower(name)]; ok {
			return fmt.Errorf("%s and %s: both outputs would have the name %s", other, in.Path, filepath.Join(out, name))
		}
		names[strings.ToLower(name)] = in.Path
		if err := refuseInput(m, dir, "", filepath.Join(out, name)); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	for i := range m.Inputs {
		in := &m.Inputs[i]
		path := filepath.Join(out, in.outputName())
		if _, err := t.WriteOutput(path, func(w io.Writer) error { return in.Join(contextWriter{ctx, w}, dir) }); err != nil {
			return err
		}
		var rows int64
		for _, s := range in.Shards {
			rows += s.Written
		}
		t.Note("%s: %s", path, plural.Count(rows, "row"))
	}
	return nil
}

func (in *Input) outputName() string {
	base := filepath.Base(in.Path)
	if term.IsCompressed(base) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.TrimSuffix(base, filepath.Ext(base)) + in.Ext
}

// refuseInput returns an error if out is the manifest, a shard or a point file of the distributed
// run.
func refuseInput(m *Manifest, dir, manifest, out string) error {
	if manifest != "" && term.SameFile(out, manifest) {
		return term.Usagef("--out %s: this file is the manifest", out)
	}
	for i := range m.Inputs {
		if term.SameFile(out, m.Inputs[i].Path) {
			return term.Usagef("output %s: this file has the points of the distributed run", out)
		}
		for _, s := range m.Inputs[i].Shards {
			if term.SameFile(out, filepath.Join(dir, s.File)) {
				return term.Usagef("output %s: this file is a shard", out)
			}
		}
	}
	return nil
}

// contextWriter is a writer that returns the error of ctx after ctx has ended.
type contextWriter struct {
	ctx context.Context
	w   io.Writer
}

func (w contextWriter) Write(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	return w.w.Write(p)
}
