package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/ask"
	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points"
)

// query is the main command: the points of the last argument against the meshes of
// the others.
func (a *app) query(ctx context.Context, f *flags, args []string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	meshes := args[:len(args)-1]
	if err := f.checkOutput(args); err != nil {
		return err
	}
	if err := f.FitsVerify(len(meshes)); err != nil {
		return usageError{err}
	}
	in, err := a.openPoints(f, args)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, w := range in.Warnings() {
		a.warn("%s: %s", in.Name(), w)
	}
	// What the format of the output cannot hold is said before the mesh is read.
	if f.Format, err = f.outputFormat(in); err != nil {
		return err
	}
	if _, err := in.Sink(f.Format, f.AnswerColumns(len(meshes) > 1 || f.Body != "", nil)); err != nil {
		return err
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress = bar.stage
	_, shards, _ := parseShard(f.shard) // openPoints has refused what is none
	opt.ExpectedPoints = expected(in, shards)
	s, err := a.openSolids(ctx, meshes, f.Body != "", opt)
	bar.done()
	if err != nil {
		return err
	}
	a.warnMeshes(s)
	if f.Strict && s.Report().Defects() {
		return strictError{fmt.Sprintf("%s has defects: nothing was answered", s.Name)}
	}
	q := newQuestion(s, f)
	sum, err := a.stream(ctx, args, in, q, f, bar)
	bar.done()
	if err != nil {
		return err
	}
	a.warnPoints(s.Box(), in, sum, f.shard == "" && f.bytes == "")
	return a.finish(f, q, in, sum)
}

// checkOutput refuses values of --out and --stats that cannot be meant: above
// all an input would be lost.
func (f *flags) checkOutput(args []string) error {
	if f.stats != "" && f.stats != "json" {
		return usageError{fmt.Errorf("--stats %q: want json", f.stats)}
	}
	if f.resume && (onlyStdout(f.out) || args[len(args)-1] == "-" || args[0] == "-") {
		return usageError{hinted{errors.New("--resume wants meshes and points in files, and --out"), "inpoly part.stl points.csv --out sides.csv --resume"}}
	}
	if f.resume && f.Verify > 0 {
		return usageError{errors.New("--verify with --resume: the answers of the interrupted run could not be verified: want one of them")}
	}
	if !onlyStdout(f.out) && isPacked(f.out) {
		return usageError{hinted{fmt.Errorf("--out %s: output is not compressed", f.out), "pipe standard output through gzip or zstd"}}
	}
	if onlyStdout(f.out) {
		return nil
	}
	if hasSuffix(f.out, meshSuffixes) && !hasSuffix(f.out, []string{".ply"}) {
		return usageError{fmt.Errorf("--out %s: the output is points, and this is the name of a mesh", f.out)}
	}
	out, err := os.Stat(f.out)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, path := range args[:len(args)-1] {
		if in, err := os.Stat(path); err == nil && os.SameFile(out, in) {
			return usageError{fmt.Errorf("--out %s: this is the mesh", f.out)}
		}
	}
	return nil
}

// outputSuffixes tell the format of the output by its name. otherSuffixes are those of
// texts, which only points that are text can be written to without --format, and
// of formats that are not written.
var (
	outputSuffixes = []struct{ suffix, format string }{
		{".npy", "npy"}, {".ply", "ply"}, {".las", "las"}, {".parquet", "parquet"}, {".jsonl", "jsonl"}, {".ndjson", "jsonl"}, {".csv", "csv"},
	}
	otherSuffixes = []string{".tsv", ".txt", ".xyz", ".dat", ".pts", ".asc"}
	notWritten    = []string{".laz", ".json", ".pcd", ".xlsx", ".npz", ".vtk", ".e57"}
)

// outputFormat returns the format of the output, "" for that of the points. A text with
// commas or semicolons is a CSV as it is.
func (f *flags) outputFormat(in *points.Reader) (string, error) {
	if f.Format != "" || onlyStdout(f.out) {
		return f.Format, nil
	}
	l := in.Layout()
	for _, o := range outputSuffixes {
		if hasSuffix(f.out, []string{o.suffix}) && !(o.format == "csv" && l != nil && (l.Delimiter == ',' || l.Delimiter == ';')) {
			return o.format, nil
		}
	}
	if hasSuffix(f.out, notWritten) || l == nil && hasSuffix(f.out, otherSuffixes) {
		return "", usageError{hinted{fmt.Errorf("--out %s: the points are %s, and nothing tells that something else is wanted", f.out, in.Format()),
			"--format csv, npy, ply, las, parquet or jsonl says what to write"}}
	}
	return "", nil
}

// openPoints opens the point file, which is the last of args.
func (a *app) openPoints(f *flags, args []string) (*points.Reader, error) {
	opt, err := f.PointOptions()
	if err != nil {
		return nil, usageError{err}
	}
	if opt.Shard, opt.Shards, err = parseShard(f.shard); err != nil {
		return nil, usageError{fmt.Errorf("--shard: %w", err)}
	}
	if opt.Bytes, err = parseBytes(f.bytes); err != nil {
		return nil, usageError{fmt.Errorf("--bytes: %w", err)}
	}
	if f.shard != "" && f.bytes != "" {
		return nil, usageError{errors.New("--shard and --bytes: want one of them")}
	}
	path := args[len(args)-1]
	exchanged := hinted{fmt.Errorf("%s looks like a point file and %s like a mesh", args[0], path), "the order is: inpoly mesh points"}
	if hasSuffix(path, onlyMeshes) && hasSuffix(args[0], pointSuffixes) {
		return nil, usageError{exchanged}
	}
	if path == "-" {
		return points.NewReader(stdinName, a.in, opt)
	}
	in, err := points.Open(path, opt)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && hasSuffix(path, onlyMeshes) {
		err = hinted{err, "the order is: inpoly mesh points"}
	}
	return in, err
}

// openSolid opens one mesh.
func (a *app) openSolid(ctx context.Context, path string, opt inpoly.Options) (*inpoly.Solid, error) {
	if path == "-" {
		return inpoly.Read(ctx, stdinName, a.in, opt)
	}
	s, err := inpoly.Open(ctx, path, opt)
	return s, hintOrder(err, path)
}

// expected guesses the number of points, at least 1: exactly for arrays, for text
// from its size; 0 if that is not known.
func expected(in *points.Reader, shards int) int64 {
	if n := in.Rows(); n >= 0 {
		return max(1, n)
	}
	return textRows(in.Size(), len(in.Fields()), in.Compression() != "", shards)
}

// textRows guesses how many rows a part of a text of so many bytes has, 0 if it
// has no known size.
func textRows(size int64, columns int, packed bool, shards int) int64 {
	if size <= 0 {
		return 0
	}
	const column = 10 // bytes: eight digits with sign or point, and a delimiter
	bytes := float64(size)
	if packed {
		bytes *= 8 / math.Log2(10) // a digit has that many bits
	}
	return int64(math.Ceil(bytes / float64(column*columns*max(1, shards))))
}

// stream answers all points, writes them and verifies some of them. An output file
// that fails this is not kept.
func (a *app) stream(ctx context.Context, args []string, in *points.Reader, q *question, f *flags, bar *progress) (points.Summary, error) {
	job := points.Job{
		Columns: q.Columns, Format: f.Format, Answer: q.Sampled(q.sample), Drops: q.Drops(), Workers: f.Workers,
		Progress: func(done, total int64) { bar.points(done, total, q.Rows()) },
	}
	out := a.out
	if !onlyStdout(f.out) {
		file, err := a.openOutput(f, args, q.Solids)
		if err != nil {
			return points.Summary{}, err
		}
		defer a.dropOutput()
		out = file
	}
	sum, err := job.Run(ctx, in, out)
	if err == nil && q.sample != nil {
		q.verified, err = q.sample.Verify(ctx, q.Solids.Solid(0), f.Tolerance, f.Workers)
	}
	if err != nil || onlyStdout(f.out) {
		return sum, err
	}
	return sum, a.commitOutput()
}

// openOutput begins the output file, or goes on with it.
func (a *app) openOutput(f *flags, args []string, s *ask.Solids) (io.Writer, error) {
	if !f.resume {
		return a.createOutput(f.out)
	}
	key, err := f.runKey(args, s)
	if err != nil {
		return nil, err
	}
	file, err := atomicfile.CreateResumable(f.out, key)
	if err != nil {
		return nil, err
	}
	a.setOutput(file)
	return file, nil
}

// finish prints the summary and the statistics and applies --strict.
func (a *app) finish(f *flags, q *question, in *points.Reader, sum points.Summary) error {
	s := newStatistics(f, q, in, sum)
	a.note("%s", s.summary(q.Solids.Name, in))
	if f.stats == "json" {
		if err := printLine(a.err, s); err != nil {
			return err
		}
	}
	switch {
	case !f.Strict:
	case s.Uncertain > 0:
		return strictError{fmt.Sprintf("%s uncertain", plural.Count(s.Uncertain, "point"))}
	case sum.RowLike.Count > 0:
		return strictError{fmt.Sprintf("%s like rows of points", plural.Count(sum.RowLike.Count, "comment line"))}
	case sum.Ragged.Count > 0:
		return strictError{fmt.Sprintf("%s of another width", plural.Count(sum.Ragged.Count, "row"))}
	}
	return nil
}
