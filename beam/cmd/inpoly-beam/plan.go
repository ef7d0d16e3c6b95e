package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
)

type plan struct {
	inputs   []string
	parts    []part
	expected int64    // estimated total number of points
	notes    []string // warnings
}

// expand returns the files that match the patterns. It returns each file once.
func expand(ctx context.Context, patterns []string) (paths []string, err error) {
	seen := map[string]bool{}
	for _, pattern := range patterns {
		list, err := glob(ctx, pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range list {
			whole, err := absolute(path)
			if err != nil {
				return nil, err
			}
			if !seen[whole] {
				seen[whole] = true
				paths = append(paths, path)
			}
		}
	}
	return paths, nil
}

// newPlan inspects the point files and splits them into shards of about shardPoints points.
func newPlan(ctx context.Context, paths []string, f *answer.Flags, severalSolids bool, shardPoints int64) (*plan, error) {
	p := &plan{inputs: paths}
	for i, path := range p.inputs {
		if err := readable(path); err != nil {
			return nil, err
		}
		text, bytes, err := stamp(ctx, path)
		if err != nil {
			return nil, err
		}
		in, err := inspect(ctx, path, bytes, f, severalSolids)
		if err != nil {
			return nil, err
		}
		for _, w := range in.warnings {
			p.notes = append(p.notes, path+": "+w)
		}
		p.expected += max(1, in.rows)
		list, note, err := in.split(f, shardPoints)
		if err != nil {
			return nil, err
		}
		if note != "" {
			p.notes = append(p.notes, path+": "+note)
		}
		for k := range list {
			list[k].Input, list[k].Path, list[k].Ext, list[k].Stamp, list[k].First = i, path, in.ext, text, k == 0
			list[k].Index = len(p.parts)
			p.parts = append(p.parts, list[k])
		}
	}
	return p, nil
}

// readable returns an error for a local file that can be read only once, such as a named pipe.
func readable(path string) error {
	if remote(path) {
		return nil
	}
	if fi, err := disk.Stat(path); err == nil && !fi.Mode().IsRegular() && !fi.IsDir() {
		return fmt.Errorf("%s: not a regular file, so its shards cannot be read", path)
	}
	return nil // openPart reports other problems
}

// tooMany returns the error for more than maxShards shards.
func tooMany(shards int, shardPoints int64) error {
	return term.Usagef("%d shards of %d points exceed the limit of %d shards: increase --shard-points", shards, shardPoints, maxShards)
}

// key returns a checksum of everything that affects the bytes of the shards.
func (p *plan) key(t *task) string {
	h := sha256.New()
	flags := t.Flags
	flags.Workers, flags.MaxMemory, flags.Strict = 0, "", false
	fmt.Fprintf(h, "%s\n%s\n%q\n%s\n", t.Version, mustJSON(flags), t.Mesh, t.Solids)
	h.Write(mustJSON(p.parts)) // with the sizes and modification times of the point files
	return hex.EncodeToString(h.Sum(nil))
}

// input describes a point file.
type input struct {
	path     string
	size     int64  // in bytes
	rows     int64  // number of rows, or an estimate
	packed   bool   // whether the file is compressed
	from, to string // input format and output format
	ext      string // suffix of the output
	warnings []string
	opt      points.Options
	columns  []table.Column
}

// inspect opens a point file and checks that the output format can store the fields and answers.
func inspect(ctx context.Context, path string, size int64, f *answer.Flags, severalSolids bool) (*input, error) {
	opt, err := f.PointOptions()
	if err != nil {
		return nil, err
	}
	in := &input{path: path, size: size, opt: opt, columns: f.AnswerColumns(severalSolids, nil)}
	r, done, err := openPart(ctx, &part{Path: path}, opt)
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := r.Sink(f.Format, in.columns); err != nil {
		return nil, err
	}
	in.packed, in.from, in.warnings = r.Compression() != "", r.Format(), r.Warnings()
	in.to = outputFormat(r, f.Format)
	in.ext = extension(path, in.to)
	if in.rows = r.Rows(); in.rows >= 0 {
		return in, nil
	}
	in.rows, err = guessRows(ctx, path, size)
	if in.packed {
		in.rows *= 3 // numbers in a text usually compress to a third
	}
	return in, err
}

// outputFormat returns the format of the output. formatFlag is empty without the flag --format.
func outputFormat(r *points.Reader, formatFlag string) string {
	if l := r.Layout(); formatFlag == "" || l != nil && l.Delimiter == ',' && formatFlag == "csv" {
		return r.Format()
	}
	return formatFlag
}

// extension returns the suffix of the output for the point file at path.
func extension(path, format string) string {
	if format != "text" {
		return "." + format
	}
	name := base(path)
	if ext := filepath.Ext(name); strings.EqualFold(ext, ".gz") || strings.EqualFold(ext, ".zst") {
		name = strings.TrimSuffix(name, ext)
	}
	if ext := filepath.Ext(name); ext != "" {
		return ext
	}
	return ".txt"
}

// guessRows estimates the number of rows of a text from its first MiB.
func guessRows(ctx context.Context, path string, size int64) (rows int64, err error) {
	err = withFS(ctx, path, func(f filesystem.Interface) error {
		r, err := f.OpenRead(ctx, path)
		if err != nil {
			return err
		}
		defer r.Close()
		front, err := io.ReadAll(io.LimitReader(r, 1<<20))
		lines := max(1, bytes.Count(front, []byte("\n")))
		if len(front) > 0 {
			rows = int64(math.Ceil(float64(size) / float64(len(front)) * float64(lines)))
		}
		return err
	})
	return rows, err
}

// split splits the file into shards of about shardPoints rows. The note explains why a large file
// stays one shard, or why its shards are slow to read.
func (in *input) split(f *answer.Flags, shardPoints int64) (list []part, note string, err error) {
	whole := []part{{}}
	n := int((in.rows + shardPoints - 1) / shardPoints)
	if n <= 1 {
		return whole, "", nil
	}
	switch {
	case in.packed:
		return whole, "compressed, so it is one shard", nil
	case remote(in.path):
		return whole, "not a local file, so it is one shard: use files of about --shard-points rows", nil
	case (in.to == "las" || in.to == "laz") && in.from != "las" && in.from != "laz":
		return whole, "converted to " + strings.ToUpper(in.to) + ", whose grid depends on the whole file, so it is one shard", nil
	case n > maxShards:
		return nil, "", tooMany(n, shardPoints)
	case in.from == "text":
		list, ok, err := splitText(in.path, in.size, n)
		if ok || err != nil {
			return list, "", err
		}
		for k := range n {
			lo, hi := pointio.ShardRange(in.size, k+1, n)
			if lo < hi {
				list = append(list, part{Lo: lo, Hi: hi})
			}
		}
		return list, "has quoted fields, so each shard reads everything before it", nil
	}
	if reason, err := in.indivisible(f); reason != "" || err != nil {
		return whole, reason, err
	}
	for k := range n {
		list = append(list, part{Shard: k + 1, Shards: n})
	}
	return list, "", nil
}

// indivisible returns the reason why the file cannot be split into shards, or "". It returns an
// error if the system cannot open the file.
func (in *input) indivisible(f *answer.Flags) (reason string, err error) {
	var system syscall.Errno
	if in.from != "parquet" { // a Parquet file can be split into shards, but not into ranges of bytes
		opt := in.opt
		opt.Bytes = [2]int64{0, 1}
		r, err := points.Open(in.path, opt)
		if errors.As(err, &system) {
			return "", err
		}
		if err != nil {
			return "its rows have no fixed size, so it is one shard", nil
		}
		r.Close()
	}
	opt := in.opt
	opt.Shard, opt.Shards = 1, 2
	r, err := points.Open(in.path, opt)
	if errors.As(err, &system) {
		return "", err
	}
	if err == nil {
		defer r.Close()
		_, err = r.Sink(f.Format, in.columns)
	}
	if err != nil {
		return "one shard: " + strings.TrimPrefix(err.Error(), in.path+": "), nil
	}
	return "", nil
}

// openPart opens the rows of a shard. The returned function closes the file.
func openPart(ctx context.Context, p *part, opt points.Options) (r *points.Reader, done func(), err error) {
	opt.Shard, opt.Shards = p.Shard, p.Shards
	if p.Hi > 0 {
		opt.Bytes = [2]int64{p.Lo, p.Hi}
	}
	if remote(p.Path) {
		return openRemote(ctx, p.Path, opt)
	}
	if r, err = points.Open(p.Path, opt); err != nil {
		return nil, nil, err
	}
	if p.Seek {
		if err := r.Source().SeekTo(table.Position{Offset: p.Lo, Row: p.Line}); err != nil {
			r.Close()
			return nil, nil, err
		}
	}
	return r, func() { r.Close() }, nil
}

// openRemote opens a remote file. If the format supports streams, it reads the file as a stream.
// Otherwise it reads a local copy.
func openRemote(ctx context.Context, path string, opt points.Options) (r *points.Reader, done func(), err error) {
	fsys, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	in, err := fsys.OpenRead(ctx, path)
	if err != nil {
		fsys.Close()
		return nil, nil, withName(path, err)
	}
	stop := func() { in.Close(); fsys.Close() }
	if r, err = points.NewReader(path, in, opt); err == nil {
		return r, func() { r.Close(); stop() }, nil
	}
	stop()
	if !strings.Contains(err.Error(), "plain file") { // formats that cannot be read as a stream fail with "plain file"
		return nil, nil, err
	}
	copied, remove, err := download(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if r, err = points.Open(copied, opt); err != nil {
		remove()
		return nil, nil, withName(path, err)
	}
	return r, func() { r.Close(); remove() }, nil
}
