package main

import "context"

// runH3 is H1 with smaller volume fractions: Ogarko and Luding 2012, §4.3.
func runH3(ctx context.Context, r *Run) (*Result, error) {
	return r.levelExperiment(ctx, "H3", "H3-fractions", r.packingsH3())
}

// packingsH3 are the packings of H3.
func (r *Run) packingsH3() []packingSpec {
	return []packingSpec{r.packings2012("UV", 0.1), r.packings2012("UV", 0.4), r.packings2012("US", 0.1), r.packings2012("US", 0.4)}
}
