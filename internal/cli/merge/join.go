package merge

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"sync"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points"
)

// ErrJoin means that shards cannot be joined into one file. Join, Joinable and JoinAll return
// errors that wrap it.
var ErrJoin = errors.New("cannot be joined")

// isText reports whether files of a format are text without the number of rows.
func isText(format string) bool {
	f := formats.Named(format)
	return f.Output != "" && !f.Binary && !f.Joins
}

// Join writes the joined file of an input to w. A run without shards would write the same file. dir
// is the folder of the shards. Join compares each shard with the size and the checksum in the
// manifest.
//
// Join returns ErrJoin for several shards of a format that cannot be joined (LAZ and Parquet). It also
// returns an error if a shard is missing or differs from the manifest, or if w fails.
func (in *Input) Join(w io.Writer, dir string) error {
	if err := in.Joinable(); err != nil {
		return err
	}
	if len(in.Shards) == 1 {
		return in.Shards[0].copyTo(w, dir, 0, 0)
	}
	head, err := in.head(dir)
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

// Joinable returns an error that wraps ErrJoin if the shards cannot be joined.
func (in *Input) Joinable() error {
	if len(in.Shards) == 1 || isText(in.Format) {
		return nil
	}
	if _, ok := points.Joiner(in.Format); ok {
		return nil
	}
	return plural.Errorf("%s: %d shards in the format %s %w: read the shards as one data set, or repeat the run with a larger --shard-points",
		in.Path, len(in.Shards), in.Format, ErrJoin)
}

// head returns the bytes before the rows of the joined file.
func (in *Input) head(dir string) ([]byte, error) {
	joiner, ok := points.Joiner(in.Format)
	var sum Counts
	for _, s := range in.Shards {
		sum.Add(s.Counts)
	}
	// The header of a LAS file has the counts and the box of its points. If no point was dropped,
	// in.Head already has these values from the source.
	if !ok || !in.Drops || in.Format == "las" && sum.Written == sum.Rows {
		return in.Head, nil
	}
	heads := make([][]byte, len(in.Shards))
	rows := make([]int64, len(in.Shards))
	for i := range in.Shards {
		s := &in.Shards[i]
		var err error
		if heads[i], err = s.head(dir); err != nil {
			return nil, err
		}
		rows[i] = s.Written
	}
	return joiner.JoinHeads(heads, rows)
}

// head returns the bytes before the rows of the shard.
func (s *Shard) head(dir string) ([]byte, error) {
	f, err := disk.Open(filepath.Join(dir, s.File))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, s.Head))
	if err == nil && int64(len(head)) < s.Head {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return head, nil
}

// JoinAll writes the outputs of all inputs to w, one after the other. If there are several inputs,
// they must be texts with the same header. JoinAll writes the header, and the lines before the
// header, only for the first input. If the last line of an input has no line end, JoinAll adds one.
//
// JoinAll returns ErrJoin for several inputs that are not texts or have different headers. It also
// returns the errors of Join.
func (m *Manifest) JoinAll(w io.Writer, dir string) error {
	if len(m.Inputs) == 1 {
		return m.Inputs[0].Join(w, dir)
	}
	first := &m.Inputs[0]
	var header []byte
	for i := range m.Inputs {
		in := &m.Inputs[i]
		if !isText(in.Format) || in.Format != first.Format || in.Delimiter != first.Delimiter {
			return fmt.Errorf("%s (%s) and %s (%s) %w into one file: expected texts of one format with one delimiter", first.Path, first.Format, in.Path, in.Format, ErrJoin)
		}
		lines := in.HeaderLine
		if len(in.Head) > 0 {
			lines = 1
		}
		front, last, err := in.firstLines(dir, lines)
		if err != nil {
			return err
		}
		if i == 0 {
			header = last
			front = 0
		} else if !bytes.Equal(bytes.TrimRight(last, "\r\n"), bytes.TrimRight(header, "\r\n")) {
			return fmt.Errorf("%s has the header %s, but %s has %s: these files %w", first.Path, quote.Word(header), in.Path, quote.Word(last), ErrJoin)
		}
		ended := &lineEnder{w: w, skip: front}
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

// maxHeader is the largest size of the header line of a text. Package points refuses input rows longer than
// half of it, and the header also has the names of the answers.
const maxHeader = 1 << 21

// firstLines returns the number of bytes of the given number of lines at the beginning of the joined
// text, and the last one of these lines. They can span several shards. The text can end without a line
// end. Errors: there are fewer lines, or the last one is longer than maxHeader.
func (in *Input) firstLines(dir string, lines int64) (size int64, last []byte, err error) {
	left := lines
	r := bufio.NewReaderSize(nil, 1<<16)
	for i := 0; i < len(in.Shards) && left > 0; i++ {
		f, err := disk.Open(filepath.Join(dir, in.Shards[i].File))
		if err != nil {
			return 0, nil, err
		}
		r.Reset(f)
		for err == nil && left > 0 {
			var part []byte
			part, err = r.ReadSlice('\n')
			size += int64(len(part))
			if left == 1 {
				last = append(last, part...)
			}
			if bytes.HasSuffix(part, []byte("\n")) {
				left--
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				err = nil
			}
			if len(last) > maxHeader {
				err = fmt.Errorf("%s: the header in line %d has more than %d bytes", in.Path, lines, maxHeader)
			}
		}
		f.Close()
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, nil, err
		}
	}
	if left > 1 || left == 1 && len(last) == 0 {
		return 0, nil, plural.Errorf("%s: the manifest says that the header is in line %d, but the shards have only %d lines", in.Path, lines, lines-left)
	}
	return size, last, nil
}

// lineEnder is a writer that omits the first bytes and can complete the last line.
type lineEnder struct {
	w    io.Writer
	skip int64
	last byte // last byte that was written to w, or 0
	seen byte // last byte that was written or skipped
	crlf bool // the last line end is \r\n
}

func (l *lineEnder) Write(p []byte) (int, error) {
	switch at := bytes.LastIndexByte(p, '\n'); {
	case at > 0:
		l.crlf = p[at-1] == '\r'
	case at == 0:
		l.crlf = l.seen == '\r'
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

// end writes a line end if the last line has none. It uses the line end of the previous line, \n or
// \r\n.
func (l *lineEnder) end() error {
	if l.last == '\n' || l.last == 0 {
		return nil
	}
	end := "\n"
	if l.crlf {
		end = "\r\n"
	}
	_, err := io.WriteString(l.w, end)
	return err
}

// buffers has memory for copyTo. A manifest can list a million small shards.
var buffers = sync.Pool{New: func() any { b := make([]byte, 1<<18); return &b }}

// copyTo writes the shard without its first headBytes and its last tailBytes to w. It fails if the
// file does not match the manifest. It detects a wrong checksum only after it has written all
// bytes.
func (s *Shard) copyTo(w io.Writer, dir string, headBytes, tailBytes int64) error {
	path := filepath.Join(dir, s.File)
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	sum := sha256.New()
	if fi, err := f.Stat(); err != nil || fi.Size() != s.Bytes {
		if err == nil {
			err = plural.Errorf("%s: the file has %d bytes, but the manifest lists %d", path, fi.Size(), s.Bytes)
		}
		return err
	}
	for _, part := range []struct {
		w io.Writer
		n int64
	}{{sum, headBytes}, {io.MultiWriter(sum, w), s.Bytes - headBytes - tailBytes}, {sum, tailBytes}} {
		// The struct hides the method ReadFrom of the writer. If io.CopyBuffer finds ReadFrom, it
		// ignores the large buffer.
		only := struct{ io.Writer }{part.w}
		if n, err := io.CopyBuffer(only, io.LimitReader(f, part.n), *buffer); err != nil {
			return err
		} else if n != part.n {
			return fmt.Errorf("%s: %w", path, io.ErrUnexpectedEOF)
		}
	}
	if got := Checksum(sum); got != s.SHA256 {
		return fmt.Errorf("%s: the file has the SHA-256 %s, but the manifest lists %s", path, got, s.SHA256)
	}
	return nil
}

// Checksum returns the checksum of h as the manifest stores it.
func Checksum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
