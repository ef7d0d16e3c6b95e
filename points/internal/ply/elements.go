package ply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/quote"
)

// copyElement copies the rows of e, the next element of the input, to w.
func (s *Source) copyElement(w io.Writer, e *plyfile.Element) error {
	var row int64
	var err error
	switch {
	case len(e.Properties) == 0:
	case s.head.ASCII:
		row, err = s.copyLines(w, e.Count)
	case e.Fixed():
		from := s.pos
		err = s.copyBytes(w, e.Count*e.MinSize())
		row = (s.pos - from) / e.MinSize()
	default:
		row, err = s.copyLists(w, e)
	}
	if err != nil {
		return fmt.Errorf("byte %d: row %d of %d of element %s: %w", s.pos, row, e.Count, quote.Word(e.Name), cutOff(err))
	}
	return nil
}

// cutOff returns an error that wraps io.ErrUnexpectedEOF if err means the end of the file.
// Otherwise it returns err.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

func (s *Source) copyBytes(w io.Writer, n int64) error {
	k, err := io.CopyN(w, s.br, n)
	s.pos += k
	return err
}

// copyLines copies the given number of nonblank lines to w, and the blank lines before them. It
// returns the number of copied nonblank lines.
func (s *Source) copyLines(w io.Writer, count int64) (n int64, err error) {
	blank := true
	for n < count {
		part, err := s.br.ReadSlice(s.head.Terminator())
		s.pos += int64(len(part))
		if _, err := w.Write(part); err != nil {
			return n, err
		}
		blank = blank && len(bytes.TrimSpace(part)) == 0
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err == io.EOF && !blank && n == count-1:
			return count, nil
		case err != nil:
			return n, err
		}
		if !blank {
			n++
		}
		blank = true
		s.copied++
	}
	return n, nil
}

// copyLists copies the rows of e to w. Each step copies all complete rows in the buffer of s.br.
func (s *Source) copyLists(w io.Writer, e *plyfile.Element) (n int64, err error) {
	for n < e.Count {
		window, err := s.br.Peek(s.br.Size())
		if len(window) == 0 {
			return n, err
		}
		used := 0
		for n < e.Count {
			k, err := e.RowSize(window[used:], s.head.BigEndian)
			if err != nil {
				return n, err
			}
			if k == 0 {
				break
			}
			used += k
			n++
		}
		if used == 0 {
			if err := s.copyLongRow(w, e); err != nil {
				return n, err
			}
			n++
			continue
		}
		if err := s.copyBytes(w, int64(used)); err != nil {
			return n, err
		}
	}
	return n, nil
}

// copyLongRow copies a row that is longer than the buffer of s.br.
func (s *Source) copyLongRow(w io.Writer, e *plyfile.Element) error {
	for i := range e.Properties {
		p := &e.Properties[i]
		n := int64(p.Kind.Size())
		if p.List {
			front, err := s.br.Peek(p.LengthKind.Size())
			if err != nil {
				return err
			}
			count := p.LengthKind.Int(front, s.head.BigEndian)
			if count < 0 {
				return p.NegativeLength(count)
			}
			n = int64(p.LengthKind.Size()) + count*n
		}
		if err := s.copyBytes(w, n); err != nil {
			return err
		}
	}
	return nil
}

// copyRest copies the elements after the vertices to w, and then the white space at the end of an
// ASCII file. If there are such elements, each shard copies both. If there are none, only the last
// shard copies the white space.
func (s *Source) copyRest(w io.Writer) error {
	elements := s.head.Elements[s.vertexAt+1:]
	more := slices.ContainsFunc(elements, func(e plyfile.Element) bool { return e.Count > 0 && len(e.Properties) > 0 })
	if !more && s.posRow < s.vertex.Count {
		return nil
	}
	if err := s.skipTo(s.vertex.Count); err != nil {
		return err
	}
	for i := range elements {
		if err := s.copyElement(w, &elements[i]); err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
	}
	return s.copyTrailing(w)
}

// Trailing implements table.Trailer.
func (s *Source) Trailing() int64 { return s.trailing }

// copyTrailing copies the white space at the end of an ASCII file to w. It does not copy other bytes after the
// last element.
func (s *Source) copyTrailing(w io.Writer) error {
	for {
		_, err := s.br.Peek(1)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: byte %d: %w", s.file, s.pos, err)
		}
		part, _ := s.br.Peek(s.br.Buffered())
		if !s.head.ASCII || len(bytes.TrimSpace(part)) > 0 {
			n, err := io.Copy(io.Discard, s.br)
			if s.trailing += n; err != nil {
				return fmt.Errorf("%s: byte %d: %w", s.file, s.pos, err)
			}
			return nil
		}
		if err := s.copyBytes(w, int64(len(part))); err != nil {
			return err
		}
	}
}
