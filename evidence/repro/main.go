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
	{Name: "P1", Figure: "figures 7–10", Title: "octahedral spheres and regular grids", Source: muth2006, Run: runP1, Repeated: true, Plain: true},
	{Name: "P2", Figure: "tables 1 and 2", Title: "the costs and the evaluation alone", Source: muth2006, Run: runP2},
	{Name: "P3", Figure: "figures 12–15", Title: "open-cell foams and regular grids", Source: muth2006, Run: runP3, Repeated: true, Plain: true},
	{Name: "P4", Figure: "§2.1.3, eq. 27", Title: "errors against bounds", Source: muth2006, Run: runP4},
	{Name: "R1", Figure: "figure 2", Title: "radial-distance sort and linked cells", Source: leszczynski2004, Run: runR1, Repeated: true},
	{Name: "R2", Figure: "tables 1–3", Title: "wide ranges of size in the plane", Source: leszczynski2004, Run: runR2},
	{Name: "V1", Figure: "figures 12–13", Title: "neighbor lists in the plane", Source: muth2007, Run: runV1, Repeated: true},
	{Name: "V2", Figure: "figure 14", Title: "neighbor lists in space, one size", Source: muth2007, Run: runV2},
	{Name: "V3", Figure: "figure 16", Title: "neighbor lists in space, fractured particles", Source: muth2007, Run: runV3},
	{Name: "V4", Figure: "eqs. 3–4, figure 10", Title: "numbers of tests and the matrix of neighbors", Source: muth2007, Run: runV4},
	{Name: "S1", Figure: "figure 11", Title: "closest features in coherent motion", Source: schinner1999, Run: runS1, Repeated: true},
	{Name: "S2", Figure: "figure 6", Title: "the reversal tower", Source: schinner1999, Run: runS2, Repeated: true},
	{Name: "S3", Figure: "§5", Title: "two threads", Source: schinner1999, Run: runS3, Repeated: true},
	{Name: "S4", Figure: "§1", Title: "heaps of round and of angular particles", Source: schinner1999, Run: runS4},
	{Name: "H1", Figure: "figure 4", Title: "levels of a hierarchical grid", Source: ogarko2012, Run: runH1, Repeated: true},
	{Name: "H2", Figure: "figure 5", Title: "wide ranges of size against one size", Source: ogarko2012, Run: runH2},
	{Name: "H3", Figure: "§4.3", Title: "levels of a hierarchical grid, smaller volume fractions", Source: ogarko2012, Run: runH3},
}

// rising lists the names of the experiments by increasing cost at size paper. The command "all" uses
// this order.
var rising = []string{"R2", "S1", "S3", "S2", "S4", "P4", "V1", "V4", "V3", "R1", "V2", "P2", "H2", "H3", "H1", "P1", "P3"}

type flags struct {
	size, out, cache string
	threads          int
	processes        int
	again, noasm     bool
}

// command returns the root command.
func command() *cobra.Command {
	f := flags{threads: 1}
	root := &cobra.Command{
		Use:           "repro [experiment ...]",
		Short:         "Repeat the papers' experiments and compare",
		Example:       "  repro list\n  repro P1 --size paper --out results\n  repro all --size small\n  repro report --from results\n  repro draw ../../docs/results/[A-Z]*.csv",
		Args:          cobra.MinimumNArgs(1),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(c *cobra.Command, args []string) error {
			chosen, err := chosenExperiments(args)
			if err != nil {
				return err
			}
			return f.run(c.Context(), chosen)
		},
	}
	all := &cobra.Command{Use: "all", Short: "Run all experiments, the cheap ones first", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		all, err := chosenExperiments(nil)
		if err != nil {
			return err
		}
		return f.run(c.Context(), all)
	}}
	for _, c := range []*cobra.Command{root, all} {
		f.addMeasurement(c)
		f.addProcesses(c)
		c.Flags().StringVar(&f.out, "out", "results", "folder for results, one folder an experiment")
		c.Flags().BoolVar(&f.again, "again", false, "repeat experiments whose results are there")
	}
	pack := f.packCommand()
	f.addPacking(pack)
	root.AddCommand(
		&cobra.Command{Use: "list", Short: "List the experiments", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
			for _, e := range experiments {
				fmt.Fprintf(c.OutOrStdout(), "%s  %-16s %s (%s)\n", e.Name, e.Figure, e.Title, e.Source)
			}
			return nil
		}},
		all,
		pack,
		f.measureCommand(),
		f.stepsCommand(),
		f.verifyCommand(),
		reportCommand(),
		drawCommand(),
	)
	return root
}

// addPacking adds the flags of a command that makes packings.
func (f *flags) addPacking(c *cobra.Command) {
	c.Flags().StringVar(&f.size, "size", "small", "small, paper, or tiny (a smoke test)")
	c.Flags().StringVar(&f.cache, "cache", "", "folder for packings (default: in the cache folder of the user)")
}

// addMeasurement adds the flags of a command that measures in its own process.
func (f *flags) addMeasurement(c *cobra.Command) {
	f.addPacking(c)
	c.Flags().IntVar(&f.threads, "threads", 1, "threads of everything that is timed")
}

// addProcesses adds the flags of a command that starts other processes.
func (f *flags) addProcesses(c *cobra.Command) {
	c.Flags().IntVar(&f.processes, "processes", 0, "processes that measure the times that matter (default: 5 with --size paper, else 1)")
	c.Flags().BoolVar(&f.noasm, "noasm", false, "also measure P1 and P3 without assembly (always with --size paper); needs the command go")
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
	if f.processes < 0 {
		return nil, errors.New("--processes must be at least 1, or 0 for the default")
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
	commit()
	for _, e := range chosen {
		r, err := f.newRun()
		if err != nil {
			return err
		}
		dir := filepath.Join(f.out, e.Name)
		if !f.again && f.complete(dir, e, r) {
			fmt.Fprintf(os.Stderr, "%s: skipped, because its results exist\n", e.Name)
			continue
		}
		r.progress = newProgress(e.Name)
		start := time.Now()
		if f.again {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
		}
		if err := f.ask(ctx, e, r, dir); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		r.meter = newLoadMeter()
		res, err := e.run(ctx, r)
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
