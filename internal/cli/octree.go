package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/cli/answer"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/points"
)

// skipNodes skips the nodes of a COPC file whose points --keep drops. It returns the reasons if the
// file has no usable nodes.
func (r *run) skipNodes(ctx context.Context) (doubts []string, err error) {
	var reason string
	if r.skipped, reason, err = r.SkipNodes(ctx, r.Solids, r.in); reason != "" {
		doubts = []string{reason + ": --trust-copc has no effect"}
	}
	return doubts, err
}

// repeat reads all points again, after a point outside of the box of its node was found. The first run
// has written nothing.
func (r *run) repeat(ctx context.Context, opt points.Options) (sum points.Summary, err error) {
	r.in.Close()
	r.skipped = answer.Skipped{}
	if r.Input == "-" {
		return sum, fmt.Errorf("%s cannot be read twice: omit --trust-copc, or give the points as a file", r.in.Name())
	}
	if r.in, err = points.Open(r.Input, opt); err != nil {
		return sum, err
	}
	r.query, r.sample = answer.NewQuery(r.Solids, &r.Flags.Flags), answer.NewSample(&r.Flags.Flags)
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
