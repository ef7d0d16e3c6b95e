package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/points"
)

// query is the main command: the points of args[1] against the mesh of args[0].
func (a *app) query(ctx context.Context, f *flags, args []string) error {
	opt, err := f.options()
	if err != nil {
		return err
	}
	if err := f.checkOutput(args[0]); err != nil {
		return err
	}
	in, err := a.openPoints(f, args)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := f.matchOutput(in.Format()); err != nil {
		return err
	}
	for _, w := range in.Warnings() {
		a.warn("%s: %s", in.Name(), w)
	}
	bar := a.newProgress()
	defer bar.done()
	opt.Progress = bar.stage
	_, shards, _ := parseShard(f.shard) // openPoints has refused what is none
	opt.ExpectedPoints = expected(in, shards)
	solid, err := a.openSolid(ctx, args[0], opt)
	bar.done()
	if err != nil {
		return err
	}
	report := solid.Report()
	a.warnReport(args[0], report)
	if f.strict && report.Defects() {
		return strictError{fmt.Sprintf("%s has defects: nothing was answered", inputName(args[0]))}
	}
	q := newQuestion(solid, f)
	sum, err := a.stream(ctx, in, q, f, bar)
	bar.done()
	if err != nil {
		return err
	}
	a.warnPoints(report.Diagnosis.Box, in, sum, f.shard == "")
	return a.finish(args, f, solid, q, in, sum)
}

// checkOutput refuses values of --out and --stats that cannot be meant: above
// all the mesh would be lost.
func (f *flags) checkOutput(mesh string) error {
	if f.stats != "" && f.stats != "json" {
		return usageError{fmt.Errorf("--stats %q: want json", f.stats)}
	}
	if !onlyStdout(f.out) && isPacked(f.out) {
		return usageError{hinted{fmt.Errorf("--out %s: output is not compressed", f.out), "pipe standard output through gzip or zstd"}}
	}
	if onlyStdout(f.out) {
		return nil
	}
	if hasSuffix(f.out, meshSuffixes) {
		return usageError{fmt.Errorf("--out %s: the output is points, and this is the name of a mesh", f.out)}
	}
	out, errOut := os.Stat(f.out)
	in, errIn := os.Stat(mesh)
	if errOut == nil && errIn == nil && out.Mode().IsRegular() && os.SameFile(out, in) {
		return usageError{fmt.Errorf("--out %s: this is the mesh", f.out)}
	}
	return nil
}

// matchOutput refuses an array under the name of a text and the other way
// round.
func (f *flags) matchOutput(format string) error {
	npy := strings.HasSuffix(strings.ToLower(f.out), ".npy")
	if onlyStdout(f.out) || npy == (format == "npy") || !npy && !hasSuffix(f.out, pointSuffixes) {
		return nil
	}
	return usageError{fmt.Errorf("--out %s: the output has the format of the points, which is %s", f.out, format)}
}

// openPoints opens the point file.
func (a *app) openPoints(f *flags, args []string) (*points.Reader, error) {
	var opt points.Options
	var err error
	if opt.Shard, opt.Shards, err = parseShard(f.shard); err != nil {
		return nil, usageError{fmt.Errorf("--shard: %w", err)}
	}
	if opt.Columns, err = parseColumns(f.columns); err != nil {
		return nil, usageError{fmt.Errorf("--columns: %w", err)}
	}
	if hasSuffix(args[1], meshSuffixes) && hasSuffix(args[0], pointSuffixes) {
		return nil, usageError{hinted{fmt.Errorf("%s looks like a point file and %s like a mesh", args[0], args[1]), "the order is: inpoly mesh points"}}
	}
	if args[1] == "-" {
		return points.NewReader(stdinName, a.in, opt)
	}
	in, err := points.Open(args[1], opt)
	if errors.Is(err, points.ErrFormat) && hasSuffix(args[1], meshSuffixes) {
		err = hinted{err, "the order is: inpoly mesh points"}
	}
	return in, err
}

// openSolid opens the mesh.
func (a *app) openSolid(ctx context.Context, path string, opt inpoly.Options) (*inpoly.Solid, error) {
	if path == "-" {
		return inpoly.OpenReader(ctx, stdinName, a.in, opt)
	}
	solid, err := inpoly.Open(ctx, path, opt)
	if errors.Is(err, loaders.ErrUnknownFormat) && hasSuffix(path, pointSuffixes) {
		err = hinted{err, "the order is: inpoly mesh points"}
	}
	return solid, err
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
func (a *app) stream(ctx context.Context, in *points.Reader, q *question, f *flags, bar *progress) (points.Summary, error) {
	job := points.Job{Columns: q.columns, Answer: q.answer, Workers: f.workers, Progress: bar.points}
	out := a.out
	if !onlyStdout(f.out) {
		file, err := a.createOutput(f.out)
		if err != nil {
			return points.Summary{}, err
		}
		defer a.dropOutput()
		out = file
	}
	sum, err := job.Run(ctx, in, out)
	if err == nil && q.sample != nil {
		err = q.sample.verify(ctx, q.solid, f.tolerance, f.workers)
	}
	if err != nil || onlyStdout(f.out) {
		return sum, err
	}
	return sum, a.commitOutput()
}

// finish prints the summary and the statistics and applies --strict.
func (a *app) finish(args []string, f *flags, solid *inpoly.Solid, q *question, in *points.Reader, sum points.Summary) error {
	s := newStatistics(args[0], solid, f, q, in, sum)
	a.note("%s", s.summary(inputName(args[0]), in))
	if f.stats == "json" {
		if err := s.print(a.err); err != nil {
			return err
		}
	}
	switch {
	case !f.strict:
	case s.Uncertain > 0:
		return strictError{fmt.Sprintf("%s uncertain", count(s.Uncertain, "point"))}
	case sum.RowLike.Count > 0:
		return strictError{fmt.Sprintf("%s like rows of points", count(sum.RowLike.Count, "comment line"))}
	case sum.Ragged.Count > 0:
		return strictError{fmt.Sprintf("%s of another width", count(sum.Ragged.Count, "row"))}
	}
	return nil
}
