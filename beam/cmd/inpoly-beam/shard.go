package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/merge"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/table"
	"github.com/inpoly/inpoly/side"
)

const ( // tuning
	// atOnce is the number of shards that a process computes at the same time. With two shards,
	// goroutines that are idle near the end of one shard work on the other shard.
	atOnce = 2
	// inProgress is the number of shards in progress in a process. At most atOnce of these shards are
	// computed at a time. The other shards wait for the disk.
	inProgress = 2 * atOnce
)

var slots = make(chan struct{}, atOnce)

// answered counts the rows that this process has classified, for the progress line.
var answered atomic.Int64

// resultSuffix is the suffix of files that store a shardResult.
const resultSuffix = ".receipt"

// shardFile returns the path of the output file of a shard.
func (t *task) shardFile(p *part) string { return join(t.Parts, fmt.Sprintf("%05d%s", p.Index, p.Ext)) }

// resultFile returns the path of the file that stores the result of shard i.
func (t *task) resultFile(i int) string { return join(t.Parts, fmt.Sprintf("%05d%s", i, resultSuffix)) }

// createParts creates the local folder of the shards. It fails if another user can have created the
// folder or a link of its name, because the driver trusts the results in this folder.
func (t *task) createParts() error {
	if remote(t.Parts) {
		return nil
	}
	if err := disk.MkdirAll(t.Parts, 0o777); err != nil {
		return err
	}
	fi, err := disk.Lstat(t.Parts)
	if err == nil && !fi.IsDir() {
		err = fmt.Errorf("%s: is not a folder: remove it to start over", t.Parts)
	}
	if err == nil {
		err = disk.CheckOwn(t.Parts, fi)
	}
	return err
}

// filesWith returns the files in the local shard folder whose names end in the given suffix. It
// ignores errors, because its callers only report progress and clean up.
func (t *task) filesWith(suffix string) (names []string) {
	list, _ := disk.ReadDir(t.Parts)
	for _, f := range list {
		if strings.HasSuffix(f.Name(), suffix) {
			names = append(names, filepath.Join(t.Parts, f.Name()))
		}
	}
	return names
}

// run computes a shard and writes its file, unless an earlier try has finished the shard. Several
// workers can compute the same shard concurrently. Each worker writes the same bytes to its own
// temporary file and renames the file at the end.
func (t *task) run(ctx context.Context, p *part, q *answer.Query) (*shardResult, error) {
	if r := t.finished(ctx, p); r != nil {
		return r, nil
	}
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	release := sync.OnceFunc(func() { <-slots })
	defer release()
	opt, err := t.Flags.PointOptions()
	if err != nil {
		return nil, err
	}
	if err := unchanged(ctx, p.Path, p.Stamp); err != nil {
		return nil, err
	}
	in, done, err := openPart(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	defer done()
	r := &shardResult{Index: p.Index, Input: p.Input, Format: outputFormat(in, t.Flags.Format)}
	if l := in.Layout(); l != nil && r.Format == "text" {
		r.HeaderLine, r.Delimiter = l.HeaderLine, string(l.Delimiter)
	}
	if err := t.readHeaders(ctx, p, r, q, opt); err != nil {
		return nil, err
	}
	err = t.write(ctx, p, func(w *hashingFile) error {
		var before int64
		var verified answer.Verified
		sample := answer.NewSample(&t.Flags)
		answer := q.Sampled(sample)
		job := points.Job{
			Columns: q.Columns, Format: t.Flags.Format, Drops: q.Drops(), Workers: t.Flags.Workers,
			Answer: func(ctx context.Context, b *table.Block) error {
				err := answer(ctx, b)
				answered.Add(int64(len(b.Points)))
				return err
			},
			Progress: func(int64, int64) { before = w.n },
		}
		sum, err := job.Run(ctx, in, w)
		if err == nil {
			err = unchanged(ctx, p.Path, p.Stamp) // the file can change while it is read
		}
		if err == nil && sample != nil {
			verified, err = sample.Verify(ctx, q.Solids.Solid(0), t.Flags.Tolerance, t.Flags.Workers)
			err = withName(p.Path, err)
		}
		if err != nil {
			return err
		}
		if before == 0 {
			before = r.Shard.Head // the shard has no rows, so Progress was not called
		}
		r.Shard.Tail = w.n - before
		r.Shard.Bytes = w.n
		r.Shard.Counts = countsOf(&sum, verified)
		r.Warnings = sum.Warnings
		release()
		return nil
	}, &r.Shard)
	if err != nil {
		return nil, err
	}
	return r, writeWhole(ctx, t.resultFile(p.Index), mustJSON(r))
}

func countsOf(sum *points.Summary, v answer.Verified) merge.Counts {
	return merge.Counts{
		Rows: sum.Rows, Written: sum.Kept,
		Inside: sum.Sides[side.Inside], Outside: sum.Sides[side.Outside], On: sum.Sides[side.OnSurface], Uncertain: sum.Sides[side.Unknown],
		NonFinite: sum.NonFinite.Count, RowLike: sum.RowLike.Count, Ragged: sum.Ragged.Count,
		Verified: int64(v.Points), Undecided: int64(v.Undecided),
	}
}

// finished returns the stored result of a shard. It returns nil if no earlier try has stored a
// result, or if the file of the shard does not match it.
func (t *task) finished(ctx context.Context, p *part) *shardResult {
	r, err := t.result(ctx, p.Index)
	if err != nil || !matches(ctx, t.shardFile(p), &r.Shard) {
		return nil
	}
	return r
}

// matches reports whether a file has the size and the checksum of a shard. It does not compare the
// checksum of a remote file.
func matches(ctx context.Context, name string, s *merge.Shard) bool {
	if remote(name) {
		_, size, err := stamp(ctx, name)
		return err == nil && size == s.Bytes
	}
	sum, n, err := checksum(name)
	return err == nil && n == s.Bytes && sum == s.SHA256
}

func (t *task) result(ctx context.Context, i int) (*shardResult, error) {
	name := t.resultFile(i)
	data, err := readAll(ctx, name)
	if err != nil {
		return nil, err
	}
	r := &shardResult{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Index != i {
		return nil, fmt.Errorf("%s: the file has the result of the wrong shard: %d", name, r.Index)
	}
	return r, nil
}

// results reads the results of the given parts, which must be finished.
func (t *task) results(ctx context.Context, parts []part) (list []*shardResult, err error) {
	for i := range parts {
		r, err := t.result(ctx, parts[i].Index)
		if err != nil {
			return nil, fmt.Errorf("the engine reports that all shards are finished, but not all results can be read: %w", err)
		}
		list = append(list, r)
	}
	return list, nil
}

func checksum(path string) (sum string, n int64, err error) {
	f, err := disk.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	n, err = io.CopyBuffer(struct{ io.Writer }{h}, f, make([]byte, 1<<18))
	return merge.Checksum(h), n, err
}

// readHeaders records the header length of a shard. For the first shard of a file, it also records
// the header of the complete output.
func (t *task) readHeaders(ctx context.Context, p *part, r *shardResult, q *answer.Query, opt points.Options) error {
	if r.Format == "text" || r.Format == "jsonl" || r.Format == "parquet" {
		return nil // these formats have no header
	}
	one, _, err := readHeader(ctx, p, t.Flags.Format, q, opt)
	if err != nil {
		return err
	}
	r.Shard.Head = int64(len(one))
	if p.First {
		r.Head, r.Drops, err = readHeader(ctx, &part{Path: p.Path}, t.Flags.Format, q, opt)
	}
	return err
}

// readHeader returns the bytes before the first row of a shard. It also reports whether the number
// of rows is unknown. Then the header has room for any number of rows.
func readHeader(ctx context.Context, p *part, format string, q *answer.Query, opt points.Options) (header []byte, open bool, err error) {
	in, done, err := openPart(ctx, p, opt)
	if err != nil {
		return nil, false, err
	}
	defer done()
	sink, err := in.Sink(format, q.Columns)
	if err != nil {
		return nil, false, err
	}
	rows := in.Rows()
	if q.Drops() {
		rows = -1
	}
	var buf bytes.Buffer
	err = sink.Begin(&buf, rows)
	return buf.Bytes(), rows < 0, err
}

// write creates the file of a shard and records its checksum. If writeRows fails, write creates no
// file.
func (t *task) write(ctx context.Context, p *part, writeRows func(w *hashingFile) error, s *merge.Shard) error {
	name := t.shardFile(p)
	path := name
	if remote(name) {
		dir, err := disk.MkdirTemp("", "inpoly-beam-")
		if err != nil {
			return err
		}
		defer disk.RemoveAll(dir)
		path = filepath.Join(dir, base(name))
	} else if err := disk.MkdirAll(t.Parts, 0o777); err != nil {
		return err
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Abort()
	w := &hashingFile{f: f, hash: sha256.New()}
	if err := writeRows(w); err != nil {
		return w.explain(name, err)
	}
	if err := f.Commit(); err != nil {
		return withName(name, err)
	}
	s.SHA256 = merge.Checksum(w.hash)
	if w.patched {
		if s.SHA256, _, err = checksum(path); err != nil {
			return err
		}
	}
	if path == name {
		return nil
	}
	local, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer local.Close()
	return upload(ctx, name, local)
}

// hashingFile counts and hashes the bytes that are written to a file. It implements
// points.Patchable.
type hashingFile struct {
	f       *atomicfile.File
	hash    hash.Hash
	n       int64
	patched bool
	err     error // last error of Write or Patch
}

func (w *hashingFile) Write(p []byte) (int, error) {
	n, err := w.f.Write(p)
	w.hash.Write(p[:n])
	w.n += int64(n)
	if err != nil {
		w.err = err
	}
	return n, err
}

func (w *hashingFile) CanPatch() bool { return w.f.CanPatch() }

func (w *hashingFile) Patch(head []byte) error {
	w.patched = true
	err := w.f.Patch(head)
	if err != nil {
		w.err = err
	}
	return err
}

// explain returns the last error of Write or Patch, with the name of the output. If there is none,
// it returns the given error.
func (w *hashingFile) explain(name string, err error) error {
	if w.err == nil {
		return err
	}
	return fmt.Errorf("write %s: %w", name, disk.Reason(w.err))
}
