package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/inpoly/inpoly/internal/pointio"
)

// byteRange describes the bytes [lo, hi) of a text.
type byteRange struct {
	lo, hi int64
	lines  int64 // number of line ends
	first  int64 // position of the first line end, −1 if there is none
	quoted bool
	err    error
}

// splitText splits the text at path into n parts at row ends. If the file has no double quote, a row
// is a line: each part but the first begins after a line end, and the number of lines before it
// tells a worker where it is. If there are quotes, ok is false: then rows can only be found by
// reading from the front.
func splitText(path string, size int64, n int) (parts []part, ok bool, err error) {
	list := make([]byteRange, n)
	var busy sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range list {
		list[i].lo, list[i].hi = pointio.ShardRange(size, i+1, n)
		busy.Add(1)
		go func() {
			defer busy.Done()
			slots <- struct{}{}
			defer func() { <-slots }()
			list[i].err = list[i].inspect(path)
		}()
	}
	busy.Wait()
	var lines int64
	starts, before := []int64{0}, []int64{0}
	for i := range list {
		s := &list[i]
		if s.err != nil {
			return nil, false, s.err
		}
		if s.quoted {
			return nil, false, nil
		}
		// The range begins one byte early, to see a row that begins at its front.
		if i > 0 && s.first >= 0 && s.first+1 < size && s.first+1 > starts[len(starts)-1] {
			starts = append(starts, s.first+1)
			own := int64(1)
			if s.first < s.lo {
				own = 0
			}
			before = append(before, lines+own)
		}
		lines += s.lines
	}
	for k, lo := range starts {
		hi := size
		if k+1 < len(starts) {
			hi = starts[k+1]
		}
		parts = append(parts, part{Lo: lo, Hi: hi, Line: before[k], Seek: k > 0})
	}
	return parts, true, nil
}

// look reads the range and the byte before it.
func (s *byteRange) inspect(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s.first = -1
	from := max(0, s.lo-1)
	buf := make([]byte, 1<<18)
	for at := from; at < s.hi; {
		n, err := f.ReadAt(buf[:min(int64(len(buf)), s.hi-at)], at)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("%s: byte %d: %w", path, at, err)
		}
		b := buf[:n]
		if s.first < 0 {
			if k := bytes.IndexByte(b, '\n'); k >= 0 {
				s.first = at + int64(k)
			}
		}
		s.lines += int64(bytes.Count(b, []byte("\n")))
		if at == from && from < s.lo && b[0] == '\n' {
			s.lines-- // of the range before
		}
		s.quoted = s.quoted || bytes.IndexByte(b, '"') >= 0
		at += int64(n)
	}
	return nil
}
