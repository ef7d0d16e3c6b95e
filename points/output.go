package points

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/atomicfile"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
)

// Patchable is a writer whose first bytes can be replaced after all other bytes are written.
type Patchable interface {
	io.Writer
	// CanPatch reports whether Patch works. It returns false for a pipe.
	CanPatch() bool
	// Patch replaces the first len(head) bytes of the output with head.
	Patch(head []byte) error
}

// File is an output file that appears completely or not at all. While one goroutine uses a File,
// other goroutines can call only Abort.
type File interface {
	Patchable
	// Commit closes the file and gives it its final name. If Commit fails for a File from Create,
	// it removes the file.
	Commit() error
	// Abort closes the file. A File from Create is removed. The rows of a File from CreateResumable
	// stay on the disk, and the next run can continue. After Commit, Abort does nothing.
	Abort()
}

// ErrOtherRun is the error of CreateResumable if a run with another key has left the output
// unfinished.
var ErrOtherRun = atomicfile.ErrOtherRun

// Create begins an output file. Before Commit, the file has no name. On systems without unnamed
// files, it has a temporary name. Commit replaces an existing file and copies its permissions, and
// its owner and group as far as the system permits. Commit does not copy the bits setuid and
// setgid, access control lists and extended attributes. If path is a symbolic link, Commit replaces
// or creates the target of the link. If path is a device, a named pipe or an open file
// (/dev/stdout, /dev/fd/3), the File writes to it directly.
//
// Create fails if path is a directory, if the existing file is not writable, or if the folder of
// the file is missing or not writable.
func Create(path string) (File, error) {
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// CreateResumable begins or continues an output file. If the Job that writes the file is
// interrupted, the next call continues the same output. The rows are in path.part. The journal
// path.journal records which rows of path.part are valid. A new journal replaces the old one after
// every 64 MiB of output. Commit renames path.part and removes the journal. If a process is killed
// at any time, the next process completes the output with the same bytes as an uninterrupted run.
// The key must identify everything that determines the output: mesh, points and options.
//
// CreateResumable returns ErrOtherRun if the key of the unfinished output differs. It also fails if
// path is not a regular file or is not writable, if another process is writing the output, or if the
// journal is damaged. It refuses links at path.part and path.journal. If other users can write to
// the folder, it also refuses their files there.
func CreateResumable(path, key string) (File, error) {
	f, err := atomicfile.CreateResumable(path, key)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// output is the destination of a running Job.
type output struct {
	sink  table.Sink
	to    io.Writer             // destination of the sink
	w     io.Writer             // writer that Run received
	spool *disk.Temporary       // temporary file, or nil
	part  *atomicfile.Resumable // the writer w if it is a Resumable, or nil
	rows  int64                 // argument of Sink.Begin: the number of rows, or −1 if unknown

	next   table.Position // position in the input after the last block
	behind bool           // blocks were written after the last checkpoint
	failed bool           // the sink has failed, so part can end within a block
}

// newOutput returns an output that writes to w. If the header must be patched and w is not
// patchable, newOutput creates a temporary file.
func (j *Job) newOutput(r *Reader, sink table.Sink, w io.Writer) (*output, error) {
	o := &output{sink: sink, to: w, w: w, rows: r.Rows()}
	if j.Drops {
		o.rows = -1
	}
	if part, ok := w.(*atomicfile.Resumable); ok {
		if _, ok := sink.(table.Resumer); !ok {
			return nil, fmt.Errorf("%s: output in the format %s cannot be resumed: use another format", part.Path(), cmp.Or(j.Format, r.Format()))
		}
		o.part = part
	}
	if p, ok := sink.(table.HeaderPatcher); !ok || !p.NeedsPatch(o.rows) || canPatch(w) {
		return o, nil
	}
	f, err := disk.CreateTemporary("")
	if err != nil {
		return nil, fmt.Errorf("create a temporary file for the output: %w", err)
	}
	o.spool, o.to = f, f
	return o, nil
}

// canPatch reports whether the first bytes of w can be replaced.
func canPatch(w io.Writer) bool {
	p, ok := w.(Patchable)
	return ok && p.CanPatch()
}

// begin writes the bytes before the rows. If an earlier run has begun the output, begin continues
// that run and returns its counts.
func (o *output) begin(r *Reader) (Summary, error) {
	if o.part != nil && o.part.Begun() {
		return o.resume(r)
	}
	sum := Summary{Counts: table.NoCounts()}
	if err := o.sink.Begin(o.to, o.rows); err != nil {
		return sum, o.writeError(err)
	}
	return sum, nil
}

// resume continues after the last checkpoint of an earlier run. It returns the counts of the
// earlier run. If the earlier run is complete, resume does nothing else.
func (o *output) resume(r *Reader) (Summary, error) {
	var state checkpoint
	if err := o.part.State(&state); err != nil {
		return Summary{Counts: table.NoCounts()}, err
	}
	sum := state.Summary.summary()
	if o.complete() {
		return sum, nil
	}
	size := int64(-1)
	if r.size > 0 && r.compression == "" {
		size = r.size
	}
	if err := state.check(size); err != nil {
		return sum, o.part.Mismatch(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.src.SeekTo(state.Input); err != nil {
		return sum, err
	}
	if err := o.sink.(table.Resumer).Resume(o.rows, state.Sink); err != nil {
		return sum, fmt.Errorf("%s: %w", o.part.Path(), err)
	}
	return sum, nil
}

// complete reports whether an earlier run has written the whole output.
func (o *output) complete() bool { return o.part != nil && o.part.Done() }

// writeError adds "write" to an error of the sink. It does not change an error that wraps
// table.ErrCannotHold.
func (o *output) writeError(err error) error {
	if errors.Is(err, table.ErrCannotHold) {
		return err
	}
	if o.spool != nil {
		return fmt.Errorf("write to a temporary file: %w", err)
	}
	return fmt.Errorf("write: %w", err)
}

// write writes a block and adds its rows to sum.
func (o *output) write(b *slot, sum *Summary) error {
	if err := o.sink.Write(o.to, &b.Block); err != nil {
		o.failed = true
		return o.writeError(err)
	}
	sum.add(b)
	o.next, o.behind = b.Next, true
	if o.part == nil || !o.part.Due() {
		return nil
	}
	return o.checkpoint(sum)
}

// checkpoint records the state after the last block.
func (o *output) checkpoint(sum *Summary) error {
	state, err := o.sink.(table.Resumer).State()
	if err != nil {
		o.failed = true
		return fmt.Errorf("%s: %w", o.part.Path(), err)
	}
	o.behind = false
	return o.part.Checkpoint(&checkpoint{o.next, state, sum.saved()})
}

// finish writes the bytes after the rows and patches the header. If there is a temporary file,
// finish copies it to w. finish fails if the file of r has changed.
func (o *output) finish(ctx context.Context, r *Reader, sum *Summary) error {
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
	if err := r.unchanged(); err != nil { // some sinks read the end of the input
		return err
	}
	switch {
	case o.part != nil:
		return o.part.Finish(&checkpoint{Summary: sum.saved()})
	case o.spool == nil:
		return nil
	}
	if _, err := o.spool.Seek(0, io.SeekStart); err != nil {
		return o.writeError(err)
	}
	stop := context.AfterFunc(ctx, func() { o.spool.File.Close() })
	defer stop()
	_, err := io.Copy(o.w, o.spool)
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

// stop returns the error of Run. err is an error of the stream if streamed is false, and an error of
// finish if it is true. If the file of r has changed, stop returns an error that says so. stop then
// removes the rows of a Resumable, because they can come from two versions of the file. Otherwise,
// stop saves the rows of an unfinished stream.
func (o *output) stop(ctx context.Context, r *Reader, sum *Summary, streamed bool, err error) error {
	changed := r.unchanged()
	if changed != nil && ctx.Err() == nil {
		err = changed
	}
	switch {
	case o.part != nil && changed != nil:
		err = errors.Join(err, o.part.Discard())
	case o.part != nil && !streamed:
		if o.behind && !o.failed && o.checkpoint(sum) != nil {
			return err
		}
		_ = o.part.Save() // if Save fails, the next run continues from an older checkpoint
	}
	return err
}

func (o *output) patch(head []byte) error {
	if o.spool != nil {
		_, err := o.spool.WriteAt(head, 0)
		return err
	}
	if !canPatch(o.w) {
		return errors.New("cannot replace the header of the output, because the output is not a file")
	}
	return o.w.(Patchable).Patch(head)
}

func (o *output) close() {
	if o.spool != nil {
		o.spool.Close()
	}
}

// checkpoint is the state of a Job between two blocks. The journal of the output contains it.
type checkpoint struct {
	Input   table.Position `json:"input"`
	Sink    []byte         `json:"sink,omitempty"`
	Summary savedSummary   `json:"summary"`
}

// check returns an error if c cannot be a checkpoint of an input of the given size. The size −1
// means unknown.
func (c *checkpoint) check(size int64) error {
	switch {
	case c.Input.Offset < 0 || c.Input.Row < 0:
		return fmt.Errorf("the journal has an invalid position in the point file: byte %d, row %d", c.Input.Offset, c.Input.Row)
	case size >= 0 && c.Input.Offset > size:
		return plural.Errorf("the point file has %d bytes, but the journal continues at byte %d", size, c.Input.Offset)
	}
	return nil
}

// savedSummary is the part of a Summary that is stored as JSON. It has no times. Without finite
// points, Box is nil, because the box would be infinite and JSON has no infinity.
type savedSummary struct {
	Rows      int64         `json:"rows"`
	Kept      int64         `json:"kept"`
	Sides     [4]int64      `json:"sides"`
	Comments  int64         `json:"comments"`
	NonFinite table.Tally   `json:"nonfinite"`
	RowLike   table.Tally   `json:"rowlike"`
	Ragged    table.Tally   `json:"ragged"`
	Box       *[2]r3.Vector `json:"box,omitempty"`
}

// saved returns the part of sum that is stored in a checkpoint.
func (sum *Summary) saved() savedSummary {
	s := savedSummary{Rows: sum.Rows, Kept: sum.Kept, Sides: sum.Sides,
		Comments: sum.Comments, NonFinite: sum.NonFinite, RowLike: sum.RowLike, Ragged: sum.Ragged}
	if sum.Min.X <= sum.Max.X {
		s.Box = &[2]r3.Vector{sum.Min, sum.Max}
	}
	return s
}

// summary converts s to a Summary whose times are 0.
func (s *savedSummary) summary() Summary {
	sum := Summary{Rows: s.Rows, Kept: s.Kept, Sides: s.Sides, Resumed: s.Rows, Counts: table.NoCounts()}
	sum.Comments, sum.NonFinite, sum.RowLike, sum.Ragged = s.Comments, s.NonFinite, s.RowLike, s.Ragged
	if s.Box != nil {
		sum.Min, sum.Max = s.Box[0], s.Box[1]
	}
	return sum
}
