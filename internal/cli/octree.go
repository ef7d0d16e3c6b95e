package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/points"
)

// checkTrust returns an error if --trust-copc is combined with a flag that needs all points.
func (r *run) checkTrust() error {
	switch {
	case !r.trust:
		return nil
	case r.Keep == "":
		return term.WithHint(term.Usagef("--trust-copc requires --keep, because without it all points are written"), "inpoly part.stl cloud.copc.laz --keep inside --trust-copc --out in.laz")
	case r.resume || r.expect != "" || r.Verify > 0 || r.proof != "":
		return term.Usagef("--trust-copc cannot be combined with --resume, --expect, --verify or --proof: the skipped points have no results")
	}
	return nil
}

// skipNodes skips the nodes of a COPC file whose points --keep drops. It returns the reasons if the
// file has no usable nodes.
func (r *run) skipNodes(ctx context.Context) (doubts []string, err error) {
	var reason string
	if r.skipped, reason, err = r.SkipNodes(ctx, r.solids, r.in); reason != "" {
		doubts = []string{reason + ": --trust-copc has no effect"}
	}
	return doubts, err
}

// repeat reads all points again, after a point outside of the box of its node was found. The first run
// has written nothing.
func (r *run) repeat(ctx context.Context, opt points.Options) (sum points.Summary, err error) {
	r.in.Close()
	r.skipped = answer.Skipped{}
	if r.points == "-" {
		return sum, fmt.Errorf("%s cannot be read twice: omit --trust-copc, or give the points as a file", r.in.Name())
	}
	if r.in, err = points.Open(r.points, opt); err != nil {
		return sum, err
	}
	r.query, r.sample = answer.NewQuery(r.solids, &r.Flags), answer.NewSample(&r.Flags)
	return r.stream(ctx)
}

// copySpool copies the temporary file of the output to w.
func copySpool(w io.Writer, f *disk.Temporary) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.Copy(w, f); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}
