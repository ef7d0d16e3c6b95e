package atomicfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/plural"
)

// ErrOtherRun means that a run with other inputs or options has left the output unfinished.
var ErrOtherRun = errors.New("another run has left this output unfinished")

// ErrLocked means that another process is writing the output.
var ErrLocked = disk.ErrLocked

// saveBytes is the default of Resumable.SaveEvery. A run writes 64 MiB in less than a second. Save
// takes a small part of this time.
const saveBytes = 64 << 20 // tuning

// Resumable is an output file that the next run can continue if this run is interrupted.
//
// The bytes go to path.part. path.journal has the last checkpoint that is on the disk: a number of
// bytes and the state of the writer after these bytes. Save replaces the journal atomically. Commit
// renames path.part and removes the journal, so path appears completely or not at all. If a process
// is killed at any time, the next process completes the output with the same bytes as an
// uninterrupted run. If two runs write the same output at the same time, the second run fails,
// except on systems without file locks (disk.File.Lock).
//
// Only the method Abort is safe for concurrent use.
type Resumable struct {
	// SaveEvery is the number of output bytes between two checkpoints on the disk.
	SaveEvery int64

	path    string      // path that the caller has passed
	target  string      // path after symbolic links are resolved
	old     fs.FileInfo // file that Commit replaces, or nil
	f       *disk.File  // open file path.part, which is locked
	created bool        // this run has created path.part
	renamed bool        // an earlier run has renamed path.part, so f is a new file
	size    int64       // number of bytes written to path.part
	journal journal
	saved   int64 // number of output bytes in the journal on the disk
}

// CreateResumable begins an output or continues the output of an earlier run. The key must identify
// everything that determines the bytes of the output, such as inputs and options.
//
// CreateResumable returns ErrOtherRun if the earlier run had another key, and ErrLocked if another
// process writes the output. It also fails if path is a directory, a device or an open file, if the
// file is not writable, if the journal is damaged or does not match the output, or if the file
// system fails. It refuses files at path.part and path.journal that another user can have planted
// (disk.OpenOwn).
func CreateResumable(path, key string) (*Resumable, error) {
	target, d, err := follow(path)
	if err != nil {
		return nil, err
	}
	if d != nil {
		return nil, fmt.Errorf("%s: output to an open file cannot be resumed", path)
	}
	old, err := existing(path, target)
	if err != nil {
		return nil, err
	}
	if old != nil && !old.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: only output to a regular file can be resumed", path)
	}
	r := &Resumable{SaveEvery: saveBytes, path: path, target: target, old: old, journal: journal{Version: journalVersion, Key: key}}
	if err := r.lock(); err != nil {
		return nil, err
	}
	if err := r.resume(key); err != nil {
		if r.created {
			err = errors.Join(err, r.removePart())
		}
		r.f.Close()
		return nil, err
	}
	return r, nil
}

func (r *Resumable) partPath() string        { return r.target + ".part" }
func (r *Resumable) journalPath() string     { return r.target + ".journal" }
func (r *Resumable) journalTempPath() string { return r.journalPath() + ".tmp" }

// ResumablePaths returns the paths of the files that a Resumable at path writes or removes besides
// its output.
func ResumablePaths(path string) ([]string, error) {
	target, _, err := follow(path)
	r := &Resumable{target: target}
	return []string{r.partPath(), r.journalPath(), r.journalTempPath()}, err
}

// lock opens or creates path.part and locks it. While path.part is locked, no other run changes
// path.part or the journal.
func (r *Resumable) lock() error {
	// lock must try again if another run renames path.part before this run locks it.
	const tries = 100
	perm := fs.FileMode(0o666)
	if r.old != nil {
		perm = 0o600 // nobody gets more access than before; rename sets the final permissions
	}
	for range tries {
		f, err := disk.OpenOwn(r.partPath(), os.O_WRONLY)
		r.created = errors.Is(err, fs.ErrNotExist)
		if r.created {
			f, err = disk.OpenFile(r.partPath(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		}
		switch {
		case r.created && errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return cannotError("create", r.path, err)
		}
		if err := f.Lock(); err != nil {
			f.Close()
			return fmt.Errorf("%s: %w", r.path, err)
		}
		locked, err := f.Stat()
		if err == nil {
			var named fs.FileInfo
			if named, err = disk.Lstat(r.partPath()); err == nil && os.SameFile(locked, named) {
				r.f, r.size = f, locked.Size()
				return nil
			}
		}
		f.Close()
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return cannotError("create", r.path, err)
		}
	}
	return fmt.Errorf("%s: %w", r.path, ErrLocked)
}

// resume begins a new output or continues the output of an earlier run. It removes the bytes after
// the last checkpoint.
func (r *Resumable) resume(key string) error {
	data, err := r.readJournal()
	switch {
	case errors.Is(err, fs.ErrNotExist) && r.size == 0:
		return r.writeJournal()
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%[1]s: %[2]s exists without a journal: remove %[2]s to start over", r.path, r.partPath())
	case err != nil:
		return cannotError("resume", r.path, err)
	}
	if err := r.journal.decode(data); err != nil {
		return fmt.Errorf("%s: not a journal (%w): remove it and %s to start over", r.journalPath(), err, r.partPath())
	}
	if r.journal.Version != journalVersion || r.journal.Key != key {
		return fmt.Errorf("%s: %w: repeat that run, or remove %s and %s to start over", r.path, ErrOtherRun, r.partPath(), r.journalPath())
	}
	if r.renamed = r.wasRenamed(); r.renamed {
		return r.awaitRename()
	}
	if r.journal.Size < 0 || r.journal.Size > r.size {
		return r.Mismatch(plural.Errorf("the file has %d bytes, but its journal says %d", r.size, r.journal.Size))
	}
	err = r.f.Truncate(r.journal.Size)
	if err == nil {
		_, err = r.f.Seek(r.journal.Size, io.SeekStart)
	}
	if err != nil {
		return cannotError("resume", r.path, err)
	}
	r.size, r.saved = r.journal.Size, r.journal.Size
	return nil
}

// maxJournal is the maximum size of a journal in bytes. Most journals have about a kilobyte. The
// journal of a LAZ output also has the points of an unfinished chunk.
const maxJournal = 64 << 20

func (r *Resumable) readJournal() ([]byte, error) {
	f, err := disk.OpenOwn(r.journalPath(), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxJournal+1))
}

// Mismatch returns the error for an output that cannot be resumed. The given error states how the
// journal differs from the output or from the inputs of the caller.
func (r *Resumable) Mismatch(err error) error {
	return fmt.Errorf("%s: cannot resume: %w: remove %s and %s to start over", r.path, err, r.partPath(), r.journalPath())
}

// wasRenamed reports whether an earlier run ended between renaming path.part and removing the
// journal. In this case r.f is a new file.
func (r *Resumable) wasRenamed() bool {
	fi, err := disk.Stat(r.target)
	return r.journal.Done && r.size == 0 && r.journal.Size > 0 && err == nil && fi.Size() == r.journal.Size
}

// awaitRename fails if an earlier run has renamed path.part and still has the lock on the renamed
// file. That run will soon remove the journal.
func (r *Resumable) awaitRename() error {
	f, err := disk.Open(r.target)
	if err == nil {
		defer f.Close()
		err = f.Lock()
	}
	if err != nil {
		return fmt.Errorf("%s: cannot resume: %w", r.path, err)
	}
	return nil
}

// Path returns the path of the output that was passed to CreateResumable.
func (r *Resumable) Path() string { return r.path }

// Begun reports whether the output has a checkpoint.
func (r *Resumable) Begun() bool { return r.journal.Begun }

// Done reports whether the output is complete and only Commit remains.
func (r *Resumable) Done() bool { return r.journal.Done }

// State decodes the state of the last checkpoint of an earlier run into v with json.Unmarshal.
func (r *Resumable) State(v any) error {
	state, _ := r.journal.State.(json.RawMessage)
	if err := json.Unmarshal(state, v); err != nil {
		return r.Mismatch(err)
	}
	return nil
}

// Write appends to the output.
func (r *Resumable) Write(p []byte) (int, error) {
	n, err := r.f.Write(p)
	r.size += int64(n)
	return n, err
}

// CanPatch returns true.
func (r *Resumable) CanPatch() bool { return true }

// Patch replaces the first bytes of the output.
func (r *Resumable) Patch(head []byte) error {
	_, err := r.f.WriteAt(head, 0)
	return err
}

// Due reports whether the next Checkpoint calls Save.
func (r *Resumable) Due() bool { return r.size-r.saved >= r.SaveEvery }

// Checkpoint records the given state and the number of bytes written. A later run can continue from
// this point. Checkpoint calls Save once for every SaveEvery bytes of output. encoding/json must be
// able to encode the state. The caller must not modify the state before the next checkpoint.
func (r *Resumable) Checkpoint(state any) error {
	r.journal.Begun, r.journal.Size, r.journal.State = true, r.size, state
	if !r.Due() {
		return nil
	}
	return r.Save()
}

// Finish records that the output is complete and calls Save.
func (r *Resumable) Finish(state any) error {
	r.journal.Begun, r.journal.Done, r.journal.Size, r.journal.State = true, true, r.size, state
	return r.Save()
}

// Save flushes the output to the disk and then writes the last checkpoint to the journal.
func (r *Resumable) Save() error {
	if err := r.f.Sync(); err != nil {
		return cannotError("write", r.path, err)
	}
	if err := r.writeJournal(); err != nil {
		return err
	}
	r.saved = r.journal.Size
	return nil
}

// writeJournal replaces the journal atomically.
func (r *Resumable) writeJournal() error {
	data, err := r.journal.encode()
	if err != nil {
		return fmt.Errorf("%s: %w", r.journalPath(), err)
	}
	if len(data) > maxJournal {
		return plural.Errorf("%s: the journal has %d bytes, but the maximum is %d", r.journalPath(), len(data), maxJournal)
	}
	// A killed run can have left this file. The name is fixed, so the next run removes the file. If
	// another user has planted a link, only the link is removed. OpenFile does not follow links.
	temp := r.journalTempPath()
	if err := removeTemp(temp); err != nil {
		return err
	}
	f, err := disk.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return cannotError("create", r.journalPath(), err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	fi, statErr := f.Stat()
	err = errors.Join(err, statErr, f.Close())
	if err == nil {
		err = move(fi, temp, r.journalPath())
	}
	if err != nil {
		return errors.Join(cannotError("write", r.journalPath(), err), removeTemp(temp))
	}
	return nil
}

// Commit gives the output its final name and removes the journal. Commit fails if the output is not
// complete.
func (r *Resumable) Commit() error {
	if !r.journal.Done {
		return fmt.Errorf("%s: cannot commit: the output is not complete", r.path)
	}
	defer r.f.Close()
	if !r.renamed {
		if err := r.rename(); err != nil {
			return cannotError("create", r.path, err)
		}
	}
	if err := removeTemp(r.journalPath()); err != nil {
		return err
	}
	if r.renamed { // this run uses its path.part only as a lock
		return r.removePart()
	}
	return nil
}

// Discard removes path.part and the journal, so the next run begins again. Call Abort afterward.
func (r *Resumable) Discard() error { return errors.Join(removeTemp(r.journalPath()), r.removePart()) }

// removePart removes path.part. If the system can remove open files, the file stays locked during
// the removal.
func (r *Resumable) removePart() error {
	if disk.CloseFirst {
		r.f.Close()
	}
	return removeTemp(r.partPath())
}

// rename gives path.part its final name, owner and permissions. If the system can rename open
// files, the file stays locked during the renaming. Then no other run can resume from path.part.
func (r *Resumable) rename() error {
	fi, err := r.f.Stat()
	if err != nil {
		return err
	}
	if r.old != nil {
		if err := r.f.CopyOwner(r.old); err != nil {
			return err
		}
	}
	if disk.CloseFirst {
		if err := r.f.Close(); err != nil {
			return err
		}
	}
	return move(fi, r.partPath(), r.target)
}

// Abort closes the file. The next run can use path.part and the journal, which stay on the disk.
// Abort can be called while another goroutine writes, and after Commit.
func (r *Resumable) Abort() { r.f.Close() }

// journal records the progress of a run.
type journal struct {
	Version int    `json:"version"`
	Key     string `json:"key"`
	Begun   bool   `json:"begun"`           // true if there is a checkpoint
	Done    bool   `json:"done"`            // true if the output is complete
	Size    int64  `json:"output"`          // number of output bytes at the checkpoint
	State   any    `json:"state,omitempty"` // argument of Checkpoint, or a json.RawMessage after decode
}

// journalVersion must change when the meaning of a journal or of its state changes.
const journalVersion = 3

// sealed is the content of a journal file: a journal and the SHA-256 checksum of its bytes.
type sealed struct {
	Journal json.RawMessage `json:"journal"`
	SHA256  string          `json:"sha256"`
}

func (j *journal) encode() ([]byte, error) {
	data, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	file, err := json.Marshal(sealed{data, hex.EncodeToString(sum[:])})
	return append(file, '\n'), err
}

func (j *journal) decode(file []byte) error {
	var s sealed
	if err := json.Unmarshal(file, &s); err != nil {
		return err
	}
	if sum := sha256.Sum256(s.Journal); s.SHA256 != hex.EncodeToString(sum[:]) {
		return errors.New("the checksum does not match the content")
	}
	var state json.RawMessage
	j.State = &state
	err := json.Unmarshal(s.Journal, j)
	j.State = state
	return err
}
