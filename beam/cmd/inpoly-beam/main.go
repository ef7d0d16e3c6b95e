// Command inpoly-beam decides which points lie inside a solid. It computes the same answers as the
// command inpoly. Apache Beam runs it on any number of machines. See the README of the module.
//
//	inpoly-beam --mesh part.stl --points 'scans/*.csv' --out answers/part
//	inpoly merge answers/part-manifest.json --out-dir merged
//
// Each element of the pipeline is a shard, which is a range of the rows of a file. A worker reads
// the range, computes the answers with the code of inpoly, and writes one output file. Only a
// result of a few hundred bytes passes through the engine. The last step renames all files and
// writes the manifest.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/spf13/pflag"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/points"

	// Flags can select the file systems and engines of these packages.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"
)

//go:embed help.txt
var help string

func main() { os.Exit(start(os.Args[1:])) }

func start(args []string) int {
	if isWorker(args) {
		return work(args)
	}
	c, set := newCommand()
	switch err := set.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		if _, err := fmt.Print(help); err != nil {
			return term.ExitError
		}
		return term.ExitDone
	case err != nil:
		return report(term.Usage(err))
	case c.version:
		fmt.Println("inpoly-beam", version())
		return term.ExitDone
	}
	// The flag set has parsed the flags of Beam. This call marks them as parsed.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return report(err)
	}
	if err := term.CheckRules(set, append(answer.Rules, answer.FormatRule(points.OutputFormats()))); err != nil {
		return report(err)
	}
	beam.Init() // Init also sets up the log of Beam
	if !c.verbose {
		discardLogs()
	}
	undo, err := ownTemp()
	if err != nil {
		return report(err)
	}
	defer undo()
	return term.RunUntilSignal(func(ctx context.Context) int { return report(c.run(ctx, set.Args())) }, func() {
		fmt.Fprintln(os.Stderr, "inpoly-beam: interrupted: to answer the remaining shards, run the same command again")
	})
}

// ownTemp creates a folder for the temporary files of this process, because Beam leaves some of its
// temporary files behind. The returned function removes the folder.
func ownTemp() (undo func(), err error) {
	dir, err := disk.MkdirTemp("", "inpoly-beam-")
	if err != nil {
		return nil, err
	}
	undo = func() { disk.RemoveAll(dir) }
	if err := os.Setenv("TMPDIR", dir); err != nil {
		undo()
		return nil, err
	}
	return undo, nil
}

// discardLogs discards the log of the engine in this process.
func discardLogs() {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	beamlog.SetLogger(noLog{})
}

type noLog struct{}

func (noLog) Log(context.Context, beamlog.Severity, int, string) {}

// report prints an error and returns the exit code for the error.
func report(err error) int {
	if err == nil {
		return term.ExitDone
	}
	hint := ""
	if term.ExitCode(err) == term.ExitUsage {
		hint = "see inpoly-beam --help"
	}
	(&term.Terminal{Err: os.Stderr}).Fail("inpoly-beam", err, hint)
	return term.ExitCode(err)
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v += " " + s.Value
		}
	}
	return v
}

type command struct {
	term.Terminal
	flags        answer.Flags
	mesh, points []string
	out          string
	shardPoints  int64
	processes    int
	tries        int
	silence      time.Duration
	verbose      bool
	version      bool
}

// newCommand returns a command and its flag set, which includes the flags of Beam.
func newCommand() (*command, *pflag.FlagSet) {
	c := &command{Terminal: term.Terminal{Err: os.Stderr}}
	set := pflag.NewFlagSet("inpoly-beam", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	c.flags.DefineAll(set)
	set.StringArrayVar(&c.mesh, "mesh", nil, "")
	set.StringArrayVar(&c.points, "points", nil, "")
	set.StringVarP(&c.out, "out", "o", "", "")
	set.Int64Var(&c.shardPoints, "shard-points", 4_000_000, "")
	set.IntVar(&c.processes, "processes", 1, "")
	set.IntVar(&c.tries, "tries", 3, "")
	set.DurationVar(&c.silence, "silence", 30*time.Second, "")
	c.QuietFlag(set)
	set.BoolVar(&c.verbose, "verbose", false, "")
	set.BoolVar(&c.version, "version", false, "")
	set.AddGoFlagSet(flag.CommandLine)
	return c, set
}
