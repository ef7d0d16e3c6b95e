package points

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/inpoly/inpoly/points/table"
)

// Patchable is a writer of which the first bytes can be replaced at the end.
type Patchable interface {
	io.Writer
	// CanPatch reports whether Patch works for what is behind the writer.
	CanPatch() bool
	// Patch replaces the first bytes that were written.
	Patch(head []byte) error
}

// output is where a running Job writes.
type output struct {
	sink  table.Sink
	to    io.Writer  // where the sink writes
	w     io.Writer  // of the caller
	spool *os.File   // to, if that is not w
	part  *Resumable // w, if it is one
	rows  int64      // for the sink
}

// newOutput decides by which way the rows go to w.
func (j *Job) newOutput(r *Reader, sink table.Sink, w io.Writer) (*output, error) {
	o := &output{sink: sink, to: w, w: w, rows: r.Rows()}
	if j.Drops {
		o.rows = -1
	}
	if part, ok := w.(*Resumable); ok {
		if _, ok := sink.(table.Resumer); !ok {
			return nil, fmt.Errorf("%s: output in the format %s cannot be resumed: want another format, or a run without", part.path, j.formatOf(r))
		}
		o.part = part
	}
	if !needsPatch(sink, o.rows) || canPatch(w) {
		return o, nil
	}
	f, err := os.CreateTemp("", "inpoly-*.tmp")
	if err != nil {
		return nil, fmt.Errorf("temporary file for output that cannot be patched: %w", err)
	}
	// Without a name it cannot be left behind; systems that keep it are told later.
	if err := os.Remove(f.Name()); err != nil {
		defer os.Remove(f.Name())
	}
	o.spool, o.to = f, f
	return o, nil
}

// needsPatch reports whether the end of so many rows may tell what the beginning should
// have known.
func needsPatch(sink table.Sink, rows int64) bool {
	p, ok := sink.(table.HeaderPatcher)
	return ok && p.NeedsPatch(rows)
}

// formatOf returns the name of the output format.
func (j *Job) formatOf(r *Reader) string {
	if j.Format != "" {
		return j.Format
	}
	return r.Format()
}

// canPatch reports whether w can be patched.
func canPatch(w io.Writer) bool {
	p, ok := w.(Patchable)
	return ok && p.CanPatch()
}

// begin writes what comes before the rows, or goes on where an earlier run has stopped,
// and returns what that has done.
func (o *output) begin(r *Reader) (Summary, error) {
	sum := Summary{Counts: table.NoCounts()}
	if o.part != nil && o.part.begun() {
		state := &o.part.state
		sum = state.Summary.summary()
		if state.Done {
			return sum, nil
		}
		plain := int64(-1)
		if r.size > 0 && r.compression == "" {
			plain = r.size
		}
		if err := state.check(plain, o.part.size); err != nil {
			return sum, o.part.misfit(err)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if err := r.src.SeekTo(state.Input); err != nil {
			return sum, err
		}
		if err := o.sink.(table.Resumer).Resume(o.rows, state.Sink); err != nil {
			return sum, fmt.Errorf("%s: %w", o.part.path, err)
		}
		return sum, nil
	}
	if err := o.sink.Begin(o.to, o.rows); err != nil {
		return sum, o.writeError(err)
	}
	return sum, nil
}

// complete reports whether an earlier run has done everything.
func (o *output) complete() bool { return o.part != nil && o.part.state.Done }

// writeError words an error of a writer; one about the rows is left as it is.
func (o *output) writeError(err error) error {
	if errors.Is(err, table.ErrCannotHold) {
		return err
	}
	if o.spool != nil {
		return fmt.Errorf("write to a temporary file: %w", err)
	}
	return fmt.Errorf("write: %w", err)
}

// write writes a block and counts it.
func (o *output) write(b *slot, sum *Summary) error {
	if err := o.sink.Write(o.to, &b.Block); err != nil {
		return o.writeError(err)
	}
	sum.add(b)
	if o.part == nil {
		return nil
	}
	return o.part.advance(b.Next, o.sink.(table.Resumer), sum)
}

// finish writes what comes after the rows, and what the beginning should have known.
func (o *output) finish(ctx context.Context, sum *Summary) error {
	if err := o.sink.End(o.to); err != nil {
		return o.writeError(err)
	}
	if p, ok := o.sink.(table.HeaderPatcher); ok {
		if head := p.FinalHeader(); head != nil {
			if err := o.patch(head); err != nil {
				return o.writeError(err)
			}
		}
	}
	switch {
	case o.part != nil:
		return o.part.finish(sum)
	case o.spool == nil:
		return nil
	}
	if _, err := o.spool.Seek(0, io.SeekStart); err != nil {
		return o.writeError(err)
	}
	if _, err := io.Copy(o.w, &interrupted{o.spool, ctx}); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// interrupted is a reader that ends with its context.
type interrupted struct {
	r   io.Reader
	ctx context.Context
}

func (i *interrupted) Read(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.r.Read(p)
}

// patch replaces the first bytes of the output.
func (o *output) patch(head []byte) error {
	if o.spool != nil {
		_, err := o.spool.WriteAt(head, 0)
		return err
	}
	if !canPatch(o.w) {
		return errors.New("the beginning of the output has changed, and it is no file")
	}
	return o.w.(Patchable).Patch(head)
}

// stop notes how far an unfinished run has come.
func (o *output) stop() {
	if o.part != nil {
		// An older note remains good, so that an error only costs time.
		_ = o.part.save()
	}
}

// close frees the temporary file.
func (o *output) close() {
	if o.spool != nil {
		o.spool.Close()
	}
}
