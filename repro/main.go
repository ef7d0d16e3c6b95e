package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "repro:", err)
		stop()
		os.Exit(1)
	}
}

// experiments lists all experiments, grouped by paper.
var experiments = []Experiment{
	{"P1", "figures 7–10", "octahedral spheres and regular grids", muth2006, runP1},
	{"P2", "table 2", "the evaluation alone", muth2006, runP2},
	{"P3", "figures 12–15", "open-cell foams and regular grids", muth2006, runP3},
	{"P4", "§2.1.3, eq. 27", "errors against bounds", muth2006, runP4},
	{"R1", "figure 2", "radial-distance sort and linked cells", leszczynski2004, runR1},
	{"R2", "tables 1–3", "wide ranges of size in the plane", leszczynski2004, runR2},
	{"V1", "figures 12–13", "neighbor lists in the plane", muth2007, runV1},
	{"V2", "figure 14", "neighbor lists in space, one size", muth2007, runV2},
	{"V3", "figure 16", "neighbor lists in space, fractured particles", muth2007, runV3},
	{"S1", "figure 11", "closest features in coherent motion", schinner1999, runS1},
	{"S2", "figure 6", "the reversal tower", schinner1999, runS2},
	{"S3", "§5", "two threads", schinner1999, runS3},
	{"H1", "figure 4", "levels of a hierarchical grid, ν = .62", ogarko2012, runH1},
	{"H2", "figure 5", "wide ranges of size against one size", ogarko2012, runH2},
	{"H3", "§4.3", "levels of a hierarchical grid, ν = .1 and .4", ogarko2012, runH3},
}

// rising lists the names of the experiments by increasing cost at size paper. The command "all" uses
// this order.
var rising = []string{"R2", "S1", "S3", "S2", "P4", "V1", "V3", "R1", "V2", "P2", "H2", "H3", "H1", "P1", "P3"}

type flags struct {
	size, out, cache string
	threads          int
	again            bool
}

// command returns the root command.
func command() *cobra.Command {
	var f flags
	root := &cobra.Command{
		Use:           "repro [experiment ...]",
		Short:         "Repeat the papers' experiments and compare",
		Example:       "  repro list\n  repro P1 --size paper --out results\n  repro all --size small\n  repro report --from results\n  repro draw ../docs/results/*.csv",
		Args:          cobra.MinimumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, args []string) error {
			var chosen []Experiment
			for _, name := range args {
				e, err := find(name)
				if err != nil {
					return err
				}
				chosen = append(chosen, e)
			}
			return f.run(c.Context(), chosen)
		},
	}
	p := root.PersistentFlags()
	p.StringVar(&f.size, "size", "small", "small, paper, or tiny (a smoke test)")
	p.StringVar(&f.out, "out", "results", "folder for results, one folder an experiment")
	p.StringVar(&f.cache, "cache", "", "folder for packings (default: in the cache folder of the user)")
	p.IntVar(&f.threads, "threads", 1, "threads of everything that is timed")
	p.BoolVar(&f.again, "again", false, "repeat experiments whose results are there")
	root.AddCommand(
		&cobra.Command{Use: "list", Short: "List the experiments", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			for _, e := range experiments {
				fmt.Fprintf(c.OutOrStdout(), "%s  %-16s %s (%s)\n", e.Name, e.Figure, e.Title, e.Source)
			}
			return nil
		}},
		&cobra.Command{Use: "all", Short: "Run all experiments, the cheap ones first", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			var all []Experiment
			for _, name := range rising {
				e, err := find(name)
				if err != nil {
					return err
				}
				all = append(all, e)
			}
			return f.run(c.Context(), all)
		}},
		f.packCommand(),
		reportCommand(),
		drawCommand(),
	)
	return root
}

// newRun returns a Run with the options of the flags.
func (f *flags) newRun() (*Run, error) {
	size, err := parseSize(f.size)
	if err != nil {
		return nil, err
	}
	if f.threads < 1 {
		return nil, errors.New("--threads must be at least 1")
	}
	cache := f.cache
	if cache == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache folder for packings: %w; name a folder with --cache", err)
		}
		cache = filepath.Join(base, "inpoly-repro")
	}
	return &Run{Size: size, Threads: f.threads, Cache: cache}, nil
}

// run runs experiments and prints the time of each to standard error.
func (f *flags) run(ctx context.Context, chosen []Experiment) error {
	for _, e := range chosen {
		r, err := f.newRun()
		if err != nil {
			return err
		}
		dir := filepath.Join(f.out, e.Name)
		if !f.again && complete(dir, e, r) {
			fmt.Fprintf(os.Stderr, "%s: skipped, because its results exist\n", e.Name)
			continue
		}
		r.progress = newProgress(e.Name)
		start := time.Now()
		res, err := e.Run(ctx, r)
		r.progress.end()
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		took := time.Since(start)
		if err := write(dir, e, r, res, took); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", e.Name, took.Seconds())
	}
	return nil
}
