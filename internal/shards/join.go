package shards

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// ErrJoin is wrapped by errors about shards that cannot become one file.
var ErrJoin = errors.New("cannot be joined")

// texts are the formats whose rows need no head that counts them.
var texts = []string{"text", "csv", "jsonl"}

// Join writes to w what one machine would have written for in, from the shards in the
// folder dir. Each is compared with its size and checksum. It fails with an error that wraps
// ErrJoin for several shards of a format that has no such rows (Parquet).
func (in *Input) Join(w io.Writer, dir string) error {
	if err := in.Joinable(); err != nil {
		return err
	}
	if len(in.Shards) == 1 {
		return in.Shards[0].copyTo(w, dir, 0, 0)
	}
	head, err := in.whole(dir)
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for i := range in.Shards {
		s := &in.Shards[i]
		tail := s.Tail
		if i == len(in.Shards)-1 {
			tail = 0
		}
		if err := s.copyTo(w, dir, s.Head, tail); err != nil {
			return err
		}
	}
	return nil
}

// Joinable returns an error that wraps ErrJoin if Join cannot be done.
func (in *Input) Joinable() error {
	if len(in.Shards) == 1 || slices.Contains(texts, in.Format) || slices.Contains([]string{"npy", "ply", "las"}, in.Format) {
		return nil
	}
	return fmt.Errorf("%s: %d shards of %s %w: read them together as one data set, or run with a larger --shard-points",
		in.Path, len(in.Shards), in.Format, ErrJoin)
}

// whole returns the head of the joined file, whose shards are joinable.
func (in *Input) whole(dir string) ([]byte, error) {
	if slices.Contains(texts, in.Format) {
		return in.Head, nil
	}
	var sum Counts
	for _, s := range in.Shards {
		sum.Add(s.Counts)
	}
	switch in.Format {
	case "npy":
		if in.Drops {
			return npyHead(in.Head, sum.Written)
		}
	case "ply":
		if in.Drops {
			return plyHead(in.Head, sum.Written)
		}
	case "las":
		if in.Drops && sum.Written != sum.Rows {
			return lasHead(in.Head, sum.Written, in.Shards, dir)
		}
	}
	return in.Head, nil
}

// JoinAll writes the outputs of all inputs, one behind the other. They must be texts with
// the same header, which only the first keeps, with what is before it; a last line without
// an end gets that of the line before. Several inputs of other formats are an error that wraps ErrJoin.
func (m *Manifest) JoinAll(w io.Writer, dir string) error {
	if len(m.Inputs) == 1 {
		return m.Inputs[0].Join(w, dir)
	}
	first := &m.Inputs[0]
	var header []byte
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if !slices.Contains(texts, in.Format) || in.Format != first.Format || in.Delimiter != first.Delimiter {
			return fmt.Errorf("%s (%s) and %s (%s) %w to one file: want texts of one kind", first.Path, first.Format, in.Path, in.Format, ErrJoin)
		}
		lines := in.HeaderLine
		if len(in.Head) > 0 {
			lines = 1
		}
		front, err := in.front(dir, lines)
		if err != nil {
			return err
		}
		last := lastLine(front)
		if i == 0 {
			header = last
			front = nil
		} else if !bytes.Equal(bytes.TrimRight(last, "\r\n"), bytes.TrimRight(header, "\r\n")) {
			return fmt.Errorf("%s has the header %q, %s %q: they %w", first.Path, header, in.Path, last, ErrJoin)
		}
		ended := &lineEnder{w: w, skip: int64(len(front))}
		if err := in.Join(ended, dir); err != nil {
			return err
		}
		if i < len(m.Inputs)-1 {
			if err := ended.end(); err != nil {
				return err
			}
		}
	}
	return nil
}

// front returns the first lines of the joined text, which may be those of several shards.
func (in *Input) front(dir string, lines int64) (front []byte, err error) {
	for i := range in.Shards {
		if lines == 0 {
			break
		}
		more, err := in.Shards[i].front(dir, lines)
		if err != nil {
			return nil, err
		}
		front = append(front, more...)
		lines -= int64(bytes.Count(more, []byte("\n")))
	}
	return front, nil
}

// front returns the first lines of the shard, all if it has fewer.
func (s *Shard) front(dir string, lines int64) (front []byte, err error) {
	f, err := os.Open(filepath.Join(dir, s.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReader(f)
	for range lines {
		line, err := r.ReadBytes('\n')
		front = append(front, line...)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return front, nil
}

// lastLine returns the last line of whole lines.
func lastLine(b []byte) []byte {
	return b[bytes.LastIndexByte(bytes.TrimSuffix(b, []byte("\n")), '\n')+1:]
}

// lineEnder passes writes on but for the first bytes, and knows whether a line is open, and how
// the one before it ended.
type lineEnder struct {
	w        io.Writer
	skip     int64
	last     byte // of what was written
	seen     byte // the last one, written or not
	returned bool // the last line end is \r\n
}

func (l *lineEnder) Write(p []byte) (int, error) {
	switch at := bytes.LastIndexByte(p, '\n'); {
	case at > 0:
		l.returned = p[at-1] == '\r'
	case at == 0:
		l.returned = l.seen == '\r'
	}
	if len(p) > 0 {
		l.seen = p[len(p)-1]
	}
	k := min(l.skip, int64(len(p)))
	l.skip -= k
	if k == int64(len(p)) {
		return len(p), nil
	}
	l.last = p[len(p)-1]
	n, err := l.w.Write(p[k:])
	return n + int(k), err
}

// end ends an open line, as the one before it.
func (l *lineEnder) end() error {
	if l.last == '\n' || l.last == 0 {
		return nil
	}
	end := "\n"
	if l.returned {
		end = "\r\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}

// copyTo writes the shard without its first head and last tail bytes. It fails if the file
// is not what the manifest says, after it has written what it is.
func (s *Shard) copyTo(w io.Writer, dir string, head, tail int64) error {
	path := filepath.Join(dir, s.File)
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := sha256.New()
	if fi, err := f.Stat(); err != nil || fi.Size() != s.Bytes {
		if err == nil {
			err = fmt.Errorf("%s: %d bytes, but the manifest says %d", path, fi.Size(), s.Bytes)
		}
		return err
	}
	for _, part := range []struct {
		w io.Writer
		n int64
	}{{sum, head}, {io.MultiWriter(sum, w), s.Bytes - head - tail}, {sum, tail}} {
		if n, err := io.CopyBuffer(only{part.w}, io.LimitReader(f, part.n), make([]byte, 1<<18)); err != nil {
			return err
		} else if n != part.n {
			return fmt.Errorf("%s: %w", path, io.ErrUnexpectedEOF)
		}
	}
	if got := Sum(sum); got != s.SHA256 {
		return fmt.Errorf("%s: its SHA-256 is %s, but the manifest says %s", path, got, s.SHA256)
	}
	return nil
}

// only hides all methods of a writer but Write, so that copying goes through a large
// buffer.
type only struct{ io.Writer }

// Sum returns a checksum as the manifest has it.
func Sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
