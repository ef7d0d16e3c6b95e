package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/par"
	"github.com/inpoly/inpoly/internal/pointio"
)

type byteRange struct {
	lo, hi int64
	lines  int64 // number of line ends in the range
	first  int64 // offset of the first line end in the bytes [lo−1, hi), or −1 if there is none
	quoted bool
	err    error
}

// splitText splits a text file into at most n parts that begin at rows. ok is false if the text has
// a double quote. A row can then contain line ends, and only reading from the beginning finds the
// rows.
func splitText(path string, size int64, n int) (parts []part, ok bool, err error) {
	list := make([]byteRange, n)
	if err := par.Blocks(context.Background(), n, 1, 0, func(_, i, _ int) {
		list[i].lo, list[i].hi = pointio.ShardRange(size, i+1, n)
		list[i].err = list[i].inspect(path)
	}); err != nil {
		return nil, false, err
	}
	var lines int64
	starts, before := []int64{0}, []int64{0} // offset of each part, and number of lines before each part
	for i := range list {
		s := &list[i]
		if s.err != nil {
			return nil, false, s.err
		}
		if s.quoted {
			return nil, false, nil
		}
		// Part i begins after the first line end of its range. This line end can be the byte before
		// the range.
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

// inspect reads the range and the byte before the range. It sets lines, first and quoted.
func (s *byteRange) inspect(path string) error {
	f, err := disk.Open(path)
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
			s.lines-- // this line end belongs to the previous range
		}
		s.quoted = s.quoted || bytes.IndexByte(b, '"') >= 0
		at += int64(n)
	}
	return nil
}
