// Package merge implements the command inpoly merge. It joins the files of a distributed run into
// the file that a single machine would write. A manifest lists the files.
//
// A shard is a valid file of its format. It has a head before its rows and optionally a tail after
// its rows. The joined file consists of one head, the rows of all shards in order, and one tail.
//
//	m, err := merge.Read("out-manifest.json")
//	if err != nil {
//		return err
//	}
//	err = m.Inputs[0].Join(w, "folder of the manifest")
package merge

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
)

//go:embed help.txt
var help string

type flags struct{ out, dir, stats string }

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
	t.OutputFlags(c.Flags(), &f.stats)
	term.SetRules(c, []term.Rule{{Flags: "out", Excludes: "out-dir"}})
	return c
}

func run(ctx context.Context, t *term.Terminal, f *flags, path string) error {
	m, err := Read(path)
	if err != nil {
		return err
	}
	if f.dir != "" {
		return joinEach(ctx, t, m, path, f)
	}
	dir := filepath.Dir(path)
	t.SetOutputs(f.out)
	if err := t.CheckInputs(append(m.shards(path), m.inputs()...)...); err != nil {
		return err
	}
	if err := m.checkOutput(t, f.out); err != nil {
		return err
	}
	size, err := t.WriteOutput(f.out, func(w io.Writer) error { return m.JoinAll(contextWriter{ctx, w}, dir) })
	if errors.Is(err, ErrJoin) && len(m.Inputs) > 1 {
		err = term.WithHint(err, "--out-dir DIR writes one file for each point file")
	}
	if err != nil {
		return err
	}
	return t.Summarize(m.summary(path, f.out), f.stats, term.Object{"manifest", path, "rows", m.Written, "inputs", len(m.Inputs), "out", f.out, "bytes", size})
}

// summary returns the number of joined rows, and the details of --verbose.
func (m *Manifest) summary(path, out string) term.Summary {
	shards := 0
	for _, in := range m.Inputs {
		shards += len(in.Shards)
	}
	if term.IsStdout(out) {
		out = term.StdoutName
	}
	return term.Summary{
		Lines: []string{fmt.Sprintf("joined %s from %s", plural.Grouped(m.Written, "row"), plural.Grouped(int64(len(m.Inputs)), "input"))},
		Details: []string{
			term.Detail("manifest", "%s: %s", path, plural.Count(int64(shards), "shard")),
			term.Detail("output", "%s", out),
		},
	}
}

// checkOutput returns an error if the output is a terminal, and the shards are binary, or if its
// suffix belongs to another format.
func (m *Manifest) checkOutput(t *term.Terminal, out string) error {
	in := &m.Inputs[0]
	f := formats.Named(in.Format)
	if f.Binary && (f.ASCII == "" || !strings.Contains(string(in.Head), f.ASCII)) {
		if err := t.RefuseBinary(out, f.Name); err != nil {
			return err
		}
	}
	if err := term.RefuseCompressed("--out", out); err != nil {
		return err
	}
	if formats.HasSuffix(out, f.OutputSuffixes()...) {
		return nil
	}
	return term.CheckSuffix("--out", out, in.Ext, "the suffix of the shards, "+quote.Word(in.Ext))
}

// joinEach writes one file for each input to the folder out. Each file has the name of its input.
func joinEach(ctx context.Context, t *term.Terminal, m *Manifest, manifest string, f *flags) error {
	out := f.dir
	names := map[string]string{}
	var outputs []string
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
		outputs = append(outputs, filepath.Join(out, name))
	}
	t.SetOutputs(outputs...)
	if err := t.CheckLateInputs(m.shards(manifest)...); err != nil {
		return err
	}
	if err := t.CheckInputs(m.inputs()...); err != nil {
		return err
	}
	if err := disk.MkdirAll(out, 0o777); err != nil {
		return err
	}
	s := m.summary(manifest, out)
	var total int64
	for i := range m.Inputs {
		in := &m.Inputs[i]
		path := filepath.Join(out, in.outputName())
		size, err := t.WriteOutput(path, func(w io.Writer) error { return in.Join(contextWriter{ctx, w}, filepath.Dir(manifest)) })
		if err != nil {
			return err
		}
		total += size
		var rows int64
		for _, s := range in.Shards {
			rows += s.Written
		}
		s.Details = append(s.Details, term.Detail("file", "%s: %s", path, plural.Count(rows, "row")))
	}
	return t.Summarize(s, f.stats, term.Object{"manifest", manifest, "rows", m.Written, "inputs", len(m.Inputs), "out", out, "bytes", total})
}

func (in *Input) outputName() string {
	base := filepath.Base(in.Path)
	if term.IsCompressed(base) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	return strings.TrimSuffix(base, filepath.Ext(base)) + in.Ext
}

// inputs returns the paths of the point files of the distributed run, which merge does not read.
func (m *Manifest) inputs() []string {
	var paths []string
	for _, in := range m.Inputs {
		paths = append(paths, in.Path)
	}
	return paths
}

// shards returns the paths of the manifest and the shards.
func (m *Manifest) shards(manifest string) []string {
	paths := []string{manifest}
	for _, in := range m.Inputs {
		for _, s := range in.Shards {
			paths = append(paths, filepath.Join(filepath.Dir(manifest), s.File))
		}
	}
	return paths
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

// Kind identifies a manifest and its version. Each incompatible change of the manifest increments
// the number.
const Kind = "inpoly shards 1"

// Manifest lists the files of a run. The run writes the manifest last, after all listed files.
type Manifest struct {
	Kind    string   `json:"kind"`
	Version string   `json:"version"`
	Key     string   `json:"key"` // hash of the inputs, the flags and the division into shards
	Mesh    []string `json:"mesh"`
	Method  string   `json:"method"`
	Rule    string   `json:"rule"`
	Counts
	Inputs inputList `json:"inputs"`
}

// Counts are numbers of rows.
type Counts struct {
	Rows      int64 `json:"rows"`
	Written   int64 `json:"written"` // rows that were not dropped
	Inside    int64 `json:"inside"`
	Outside   int64 `json:"outside"`
	On        int64 `json:"on"`
	Uncertain int64 `json:"uncertain"`
	NonFinite int64 `json:"nonfinite_rows"`
	RowLike   int64 `json:"row_like_comments"`
	Ragged    int64 `json:"ragged_rows"`
	Verified  int64 `json:"verified,omitempty"`  // rows that were compared with the sum over all triangles
	Undecided int64 `json:"undecided,omitempty"` // verified rows whose side the sum over all triangles does not decide
}

// Add adds d to c.
func (c *Counts) Add(d Counts) {
	c.Rows += d.Rows
	c.Written += d.Written
	c.Inside += d.Inside
	c.Outside += d.Outside
	c.On += d.On
	c.Uncertain += d.Uncertain
	c.NonFinite += d.NonFinite
	c.RowLike += d.RowLike
	c.Ragged += d.Ragged
	c.Verified += d.Verified
	c.Undecided += d.Undecided
}

// Input is a point file and the shards of its output in their order. It has at least one shard.
type Input struct {
	Path       string    `json:"path"`
	Format     string    `json:"format"`                // format of the output
	Ext        string    `json:"ext"`                   // suffix of the output, with the dot
	HeaderLine int64     `json:"header_line,omitempty"` // line number of the header in a text, or 0 if there is no header
	Delimiter  string    `json:"delimiter,omitempty"`   // delimiter of a text
	Drops      bool      `json:"drops,omitempty"`       // true if the run could drop rows
	Head       []byte    `json:"head,omitempty"`        // head of the joined file, with space for the number of rows if Drops is set
	Warnings   []string  `json:"warnings,omitempty"`    // warnings about values that the output format cannot store
	Shards     shardList `json:"shards"`
}

// Shard is a file with the output for consecutive input rows.
type Shard struct {
	File   string `json:"file"` // name in the folder of the manifest
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Head   int64  `json:"head_bytes"`
	Tail   int64  `json:"tail_bytes"`
	Counts
}

// ShardName returns the file name of shard i of n. Shards are numbered from 0.
func ShardName(prefix string, i, n int, ext string) string {
	return fmt.Sprintf("%s-%05d-of-%05d%s", prefix, i, n, ext)
}

// ManifestName returns the file name of the manifest.
func ManifestName(prefix string) string { return prefix + "-manifest.json" }

// Read reads and checks the manifest at path.
func Read(path string) (*Manifest, error) {
	data, err := disk.ReadFile(path, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, disk.Reason(err))
	}
	m, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Parse parses and checks a manifest. It returns an error if a file name refers to another folder, or if
// two shards have the same file.
func Parse(data []byte) (*Manifest, error) {
	var m Manifest
	d := json.NewDecoder(bytes.NewReader(data))
	if err := d.Decode(&m); err != nil {
		return nil, fmt.Errorf("manifest of shards: %w", err)
	}
	if rest := bytes.TrimLeft(data[d.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, fmt.Errorf("manifest of shards: expected the end of the file after the manifest, found %s", quote.Word(rest[:min(len(rest), 20)]))
	}
	if m.Kind != Kind {
		return nil, fmt.Errorf("manifest of shards: the kind is %s, expected %q", quote.Word(m.Kind), Kind)
	}
	if len(m.Inputs) == 0 {
		return nil, errors.New("manifest of shards: the manifest has no inputs")
	}
	files := map[string]bool{}
	for i := range m.Inputs {
		for _, s := range m.Inputs[i].Shards {
			if files[s.File] {
				return nil, fmt.Errorf("manifest of shards: two shards have the file %s", quote.Word(s.File))
			}
			files[s.File] = true
		}
	}
	return &m, nil
}

// inputList is the list of inputs in JSON. It checks each input before it reads the next one, so that
// a list of invalid inputs takes no memory.
type inputList []Input

// UnmarshalJSON sets l to the inputs.
func (l *inputList) UnmarshalJSON(text []byte) error {
	return eachElement(text, func(d *json.Decoder) error {
		var in Input
		if err := d.Decode(&in); err != nil {
			return err
		}
		if err := in.check(); err != nil {
			return err
		}
		*l = append(*l, in)
		return nil
	})
}

// shardList is the list of shards of an input in JSON; see inputList.
type shardList []Shard

// UnmarshalJSON sets l to the shards.
func (l *shardList) UnmarshalJSON(text []byte) error {
	return eachElement(text, func(d *json.Decoder) error {
		var s Shard
		if err := d.Decode(&s); err != nil {
			return err
		}
		if err := s.check(); err != nil {
			return err
		}
		*l = append(*l, s)
		return nil
	})
}

// eachElement calls decode for each element of a list. It does nothing for null.
func eachElement(text []byte, decode func(d *json.Decoder) error) error {
	d := json.NewDecoder(bytes.NewReader(text))
	first, err := d.Token()
	if err != nil || first == nil {
		return err
	}
	if first != json.Delim('[') {
		return fmt.Errorf("expected a list, found %s", quote.Word(text[:min(len(text), 20)]))
	}
	for d.More() {
		if err := decode(d); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if the input is invalid. The shards must be valid.
func (in *Input) check() error {
	if len(in.Shards) == 0 {
		return fmt.Errorf("the input %s has no shards", in.Path)
	}
	if in.Ext != "" && (in.Ext[0] != '.' || strings.ContainsAny(in.Ext, `/\`)) {
		return fmt.Errorf("the input %s has the invalid suffix %s", in.Path, quote.Word(in.Ext))
	}
	if in.HeaderLine < 0 {
		return fmt.Errorf("the input %s has its header in line %d", in.Path, in.HeaderLine)
	}
	return nil
}

// check returns an error if the shard is invalid.
func (s *Shard) check() error {
	if s.File != filepath.Base(s.File) || strings.ContainsAny(s.File, `/\`) || s.File == "." || s.File == ".." {
		return fmt.Errorf("%s is not a name of a file in the folder of the manifest", quote.Word(s.File))
	}
	if s.Head < 0 || s.Tail < 0 || s.Bytes < 0 || s.Rows < 0 || s.Written < 0 || s.Head > s.Bytes || s.Tail > s.Bytes-s.Head {
		return plural.Errorf("the shard %s has invalid sizes: %d bytes with a head of %d and a tail of %d", s.File, s.Bytes, s.Head, s.Tail)
	}
	if sum, err := hex.DecodeString(s.SHA256); err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("the shard %s has the checksum %s: expected a SHA-256 of %d hexadecimal digits", s.File, quote.Word(s.SHA256), 2*sha256.Size)
	}
	return nil
}
