package points

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

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
	f     *os.File // path.part, with the lock
	fresh bool     // this run has made it
	ended bool     // it is empty: an earlier run has renamed its own
	size  int64    // bytes in it that count or are being written
	every int64    // bytes from note to note
	state journal
	noted int64 // output bytes of the note on the disk
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
	if err := r.take(); err != nil {
		return nil, err
	}
	if err := r.goOn(key); err != nil {
		if r.fresh {
			err = errors.Join(err, r.removePart())
		}
		r.f.Close()
		return nil, err
	}
	return r, nil
}

// partPath and journalPath are the files beside the output.
func (r *Resumable) partPath() string    { return r.real + ".part" }
func (r *Resumable) journalPath() string { return r.real + ".journal" }

// take opens path.part, or makes it, and locks it: from then on no other run changes it
// or the journal.
func (r *Resumable) take() error {
	// The run that had the lock may have renamed the file in between; that many in a row
	// have not ended one by one.
	const tries = 100
	for range tries {
		f, err := os.OpenFile(r.partPath(), os.O_WRONLY, 0)
		r.fresh = errors.Is(err, fs.ErrNotExist)
		if r.fresh {
			f, err = os.OpenFile(r.partPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		}
		switch {
		case r.fresh && errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return cannotWrite(r.path, "create", err)
		}
		if err := lock(f); err != nil {
			f.Close()
			return fmt.Errorf("%s: %w", r.path, err)
		}
		mine, err := f.Stat()
		if err == nil {
			var there fs.FileInfo
			if there, err = os.Stat(r.partPath()); err == nil && os.SameFile(mine, there) {
				r.f, r.size = f, mine.Size()
				return nil
			}
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotWrite(r.path, "create", err)
		}
	}
	return fmt.Errorf("%s: %w", r.path, errLocked)
}

// goOn begins a new output, or goes on with that of an earlier run and cuts off what does
// not count.
func (r *Resumable) goOn(key string) error {
	data, err := os.ReadFile(r.journalPath())
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.size == 0:
		return r.writeJournal()
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is %s without a journal: remove it to begin anew", r.path, r.partPath())
	case err != nil:
		return cannotWrite(r.path, "resume", err)
	}
	if err := r.state.decode(data); err != nil {
		return fmt.Errorf("%s: not a journal (%w): remove it and %s to begin anew", r.journalPath(), err, r.partPath())
	}
	if r.state.Version != journalVersion || r.state.Key != key {
		return fmt.Errorf("%s: %w: repeat that run, or remove %s and %s to begin anew", r.path, ErrOtherRun, r.partPath(), r.journalPath())
	}
	if r.ended = r.renamed(); r.ended {
		return r.lockRenamed()
	}
	if err := r.state.check(-1, r.size); err != nil {
		return r.misfit(err)
	}
	err = r.f.Truncate(r.state.Output)
	if err == nil {
		_, err = r.f.Seek(r.state.Output, io.SeekStart)
	}
	if err != nil {
		return cannotWrite(r.path, "resume", err)
	}
	r.size, r.noted = r.state.Output, r.state.Output
	return nil
}

// misfit says that the journal is not of this output, or of these points.
func (r *Resumable) misfit(err error) error {
	return fmt.Errorf("%s: cannot resume %s: %w: remove it and %s to begin anew", r.path, r.partPath(), err, r.journalPath())
}

// renamed reports whether all that is left to do is to remove the journal: path.part,
// which holds the lock, is a new one.
func (r *Resumable) renamed() bool {
	fi, err := os.Stat(r.real)
	return r.state.Done && r.size == 0 && r.state.Output > 0 && err == nil && fi.Size() == r.state.Output
}

// lockRenamed fails if the run that has renamed its file is just removing the journal.
func (r *Resumable) lockRenamed() error {
	f, err := os.Open(r.real)
	if err == nil {
		defer f.Close()
		err = lock(f)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot resume: %w", r.path, err)
	}
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
	data, err := r.state.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", r.journalPath(), err)
	}
	temp := r.journalPath() + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return cannotWrite(r.journalPath(), "create", err)
	}
	_, err = f.Write(data)
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
	defer r.f.Close()
	if !r.ended {
		if err := r.rename(); err != nil {
			return cannotWrite(r.path, "create", err)
		}
	}
	if err := os.Remove(r.journalPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return cannotWrite(r.journalPath(), "remove", err)
	}
	if r.ended { // by an earlier run: this one has only locked
		return r.removePart()
	}
	return nil
}

// removePart removes path.part, with the lock where the system can.
func (r *Resumable) removePart() error {
	if closeFirst {
		r.f.Close()
	}
	if err := os.Remove(r.partPath()); err != nil {
		return cannotWrite(r.partPath(), "remove", err)
	}
	return nil
}

// rename gives the file its name and permissions. The lock is kept, so that no other run
// takes the file for one to go on with.
func (r *Resumable) rename() error {
	if r.perm != 0 {
		if err := r.f.Chmod(r.perm); err != nil {
			return err
		}
	}
	if closeFirst {
		if err := r.f.Close(); err != nil {
			return err
		}
	}
	return os.Rename(r.partPath(), r.real)
}

// Abort closes the file and keeps what is needed to go on. It may be called while another
// goroutine writes, and after Commit.
func (r *Resumable) Abort() { r.f.Close() }
