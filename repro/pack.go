package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
)

// packCommand returns the command that makes packings ahead.
func (f *flags) packCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pack",
		Short: "Make the packings of H1 to H3 that the cache does not have yet",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := f.newRun()
			if err != nil {
				return err
			}
			return r.pack(c.Context(), c.OutOrStdout())
		},
	}
}

// pack makes all packings, and tells how long each took when it was made.
func (r *Run) pack(ctx context.Context, out io.Writer) error {
	packings := append(r.packingsH1(), r.packingsH3()...)
	fraction, counts, systems := r.relative2012()
	for _, n := range counts {
		packings = append(packings, r.scaled("mono", 1, n, fraction))
		for _, s := range systems {
			if rec := r.scaled(s.kind, s.ratio, n, fraction); realizable(s.kind, s.ratio, n) && !slices.Contains(packings, rec) {
				packings = append(packings, rec)
			}
		}
	}
	for _, rec := range packings {
		p, err := r.packing(ctx, rec)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s s\n", rec, short(p.seconds))
	}
	return nil
}
