package points

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// ErrOtherRun says that the journal beside an output belongs to a run with other inputs
// or options.
var ErrOtherRun = errors.New("an unfinished output of another run")

// errLocked says that another run writes the output.
var errLocked = errors.New("another run is writing it")

// journalBytes is how much output is written between two notes in the journal: less than
// a second of work, and so much that waiting for the disk costs little. A choice.
const journalBytes = 64 << 20

// Resumable is an output file that an interrupted run leaves such that the next one can
// go on with it. The rows go to path.part; path.journal, replaced as a whole after each
// 64 MiB that are on the disk, says up to where they count. Commit renames the first and
// removes the second, so that path itself is there whole or not at all. A process that is
// killed at any moment leaves something that resumes to the same bytes. A second run at
// the same time is refused where the system has locks (not on Windows).
type Resumable struct {
	path  string // as the caller has it
	real  string // after symbolic links
	perm  fs.FileMode
	f     *os.File // path.part; nil if that was done before
	size  int64    // bytes in it that count or are being written
	every int64    // bytes from note to note
	state journal
	noted int64 // output bytes of the note on the disk
}

// journal is a note of how far a run has come.
type journal struct {
	Version int            `json:"version"`
	Key     string         `json:"key"`
	Begun   bool           `json:"begun"` // there are rows
	Done    bool           `json:"done"`  // the output is whole
	Input   table.Position `json:"input"`
	Output  int64          `json:"output"`
	Sink    []byte         `json:"sink,omitempty"`
	Summary summaryNote    `json:"summary"`
}

// journalVersion changes with the meaning of a journal.
const journalVersion = 1

// summaryNote is a Summary without times; Box is nil where it is empty, as JSON knows no
// infinity.
type summaryNote struct {
	Rows      int64         `json:"rows"`
	Kept      int64         `json:"kept"`
	Sides     [4]int64      `json:"sides"`
	Comments  int64         `json:"comments"`
	NonFinite Tally         `json:"nonfinite"`
	RowLike   Tally         `json:"rowlike"`
	Ragged    Tally         `json:"ragged"`
	Box       *[2]r3.Vector `json:"box,omitempty"`
}

// note returns what a journal keeps of sum.
func (sum *Summary) note() summaryNote {
	n := summaryNote{Rows: sum.Rows, Kept: sum.Kept, Sides: sum.Sides,
		Comments: sum.Comments, NonFinite: sum.NonFinite, RowLike: sum.RowLike, Ragged: sum.Ragged}
	if sum.Min.X <= sum.Max.X {
		n.Box = &[2]r3.Vector{sum.Min, sum.Max}
	}
	return n
}

// summary is the inverse of note.
func (n *summaryNote) summary() Summary {
	sum := Summary{Rows: n.Rows, Kept: n.Kept, Sides: n.Sides, Resumed: n.Rows, Counts: table.NoCounts()}
	sum.Comments, sum.NonFinite, sum.RowLike, sum.Ragged = n.Comments, n.NonFinite, n.RowLike, n.Ragged
	if n.Box != nil {
		sum.Min, sum.Max = n.Box[0], n.Box[1]
	}
	return sum
}

// CreateResumable begins the output path, or goes on with it. key must differ for
// everything that decides the bytes of the output: mesh, points, options; a file that
// was begun with another key is an error (ErrOtherRun). Only a regular file, or one that
// is not there yet, can be resumed.
func CreateResumable(path, key string) (*Resumable, error) {
	real, err := follow(path)
	if err != nil {
		return nil, err
	}
	r := &Resumable{path: path, real: real, every: journalBytes, state: journal{Version: journalVersion, Key: key}}
	_, open := descriptorAt(real)
	fi, err := os.Stat(path)
	switch {
	case open:
		return nil, fmt.Errorf("%s: is an open file: output to it cannot be resumed", path)
	case err == nil && fi.IsDir():
		return nil, fmt.Errorf("%s: is a directory", path)
	case err == nil && !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is no regular file: output to it cannot be resumed", path)
	case err == nil:
		r.perm = fi.Mode().Perm()
	}
	data, err := os.ReadFile(r.journalPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, r.start()
	case err != nil:
		return nil, cannotWrite(path, "resume", err)
	}
	if err := json.Unmarshal(data, &r.state); err != nil {
		return nil, fmt.Errorf("%s: not a journal (%w): remove it and %s to begin anew", r.journalPath(), err, r.partPath())
	}
	if r.state.Version != journalVersion || r.state.Key != key {
		return nil, fmt.Errorf("%s: %w: repeat that run, or remove %s and %s to begin anew", path, ErrOtherRun, r.partPath(), r.journalPath())
	}
	return r, r.goOn()
}

// partPath and journalPath are the files beside the output.
func (r *Resumable) partPath() string    { return r.real + ".part" }
func (r *Resumable) journalPath() string { return r.real + ".journal" }

// start begins a new output. The journal comes first: a .part without one belongs to
// somebody else.
func (r *Resumable) start() error {
	if _, err := os.Lstat(r.partPath()); err == nil {
		return fmt.Errorf("%s: there is %s without a journal: remove it to begin anew", r.path, r.partPath())
	}
	if err := r.writeJournal(); err != nil {
		return err
	}
	f, err := os.OpenFile(r.partPath(), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		os.Remove(r.journalPath())
		return cannotWrite(r.path, "create", err)
	}
	if err := lock(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: %w", r.path, err)
	}
	r.f = f
	return nil
}

// goOn opens the file of an earlier run and cuts off what does not count.
func (r *Resumable) goOn() error {
	flags := os.O_WRONLY
	if r.state.Output == 0 {
		flags |= os.O_CREATE // the journal is older
	}
	f, err := os.OpenFile(r.partPath(), flags, 0o666)
	if errors.Is(err, fs.ErrNotExist) && r.state.Done {
		// All that was left to do was to remove the journal.
		if fi, err := os.Stat(r.real); err == nil && fi.Size() == r.state.Output {
			return nil
		}
	}
	if err != nil {
		return fmt.Errorf("%s: cannot resume: %w: remove %s to begin anew", r.path, err, r.journalPath())
	}
	if err := lock(f); err != nil {
		f.Close()
		return fmt.Errorf("%s: cannot resume: %w", r.path, err)
	}
	fi, err := f.Stat()
	if err == nil && fi.Size() < r.state.Output {
		err = fmt.Errorf("%s has %d bytes, its journal tells of %d: remove both to begin anew", r.partPath(), fi.Size(), r.state.Output)
	}
	if err == nil {
		err = f.Truncate(r.state.Output)
	}
	if err == nil {
		_, err = f.Seek(r.state.Output, 0)
	}
	if err != nil {
		f.Close()
		return fmt.Errorf("%s: cannot resume: %w", r.path, err)
	}
	r.f, r.size, r.noted = f, r.state.Output, r.state.Output
	return nil
}

// begun reports whether an earlier run has left rows.
func (r *Resumable) begun() bool { return r.state.Begun }

// Write appends to the output.
func (r *Resumable) Write(p []byte) (int, error) {
	n, err := r.f.Write(p)
	r.size += int64(n)
	return n, err
}

// CanPatch returns true.
func (r *Resumable) CanPatch() bool { return true }

// Patch replaces the first bytes.
func (r *Resumable) Patch(head []byte) error {
	_, err := r.f.WriteAt(head, 0)
	return err
}

// advance notes that the rows before next are written, now and then on the disk.
func (r *Resumable) advance(next table.Position, sink table.Resumer, sum *Summary) error {
	state, err := sink.State()
	if err != nil {
		return fmt.Errorf("%s: %w", r.path, err)
	}
	r.state.Begun, r.state.Input, r.state.Output, r.state.Sink, r.state.Summary = true, next, r.size, state, sum.note()
	if r.size-r.noted < r.every {
		return nil
	}
	return r.save()
}

// finish notes that the output is whole.
func (r *Resumable) finish(sum *Summary) error {
	r.state.Begun, r.state.Done, r.state.Output, r.state.Summary = true, true, r.size, sum.note()
	return r.save()
}

// save brings the output to the disk, and then the note of it.
func (r *Resumable) save() error {
	if err := r.f.Sync(); err != nil {
		return cannotWrite(r.path, "write", err)
	}
	if err := r.writeJournal(); err != nil {
		return err
	}
	r.noted = r.state.Output
	return nil
}

// writeJournal replaces the journal as a whole.
func (r *Resumable) writeJournal() error {
	data, err := json.Marshal(&r.state)
	if err != nil {
		return fmt.Errorf("%s: %w", r.journalPath(), err)
	}
	temp := r.journalPath() + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return cannotWrite(r.journalPath(), "create", err)
	}
	_, err = f.Write(append(data, '\n'))
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(temp, r.journalPath())
	}
	if err != nil {
		os.Remove(temp)
		return cannotWrite(r.journalPath(), "write", err)
	}
	return nil
}

// Commit gives the file its name and removes the journal. The Job that wrote it must have
// ended well.
func (r *Resumable) Commit() error {
	if !r.state.Done {
		return fmt.Errorf("%s: not complete: nothing is renamed", r.path)
	}
	if r.f != nil {
		if r.perm != 0 {
			if err := r.f.Chmod(r.perm); err != nil {
				return cannotWrite(r.path, "create", err)
			}
		}
		if err := r.f.Close(); err != nil {
			return cannotWrite(r.path, "write", err)
		}
		if err := os.Rename(r.partPath(), r.real); err != nil {
			return cannotWrite(r.path, "create", err)
		}
	}
	if err := os.Remove(r.journalPath()); err != nil {
		return cannotWrite(r.journalPath(), "remove", err)
	}
	return nil
}

// Abort closes the file and keeps what is needed to go on. It may be called while another
// goroutine writes, and after Commit.
func (r *Resumable) Abort() {
	if r.f != nil {
		r.f.Close()
	}
}
