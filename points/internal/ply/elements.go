package ply

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// copyElement copies the rows of e, which come next, to w.
func (s *Source) copyElement(w io.Writer, e *element) error {
	var row int64
	var err error
	switch {
	case len(e.props) == 0:
	case s.head.ascii:
		row, err = s.copyLines(w, e.count)
	case e.fixed():
		from := s.pos
		err = s.copyBytes(w, e.count*e.size())
		row = (s.pos - from) / e.size()
	default:
		row, err = s.copyLists(w, e)
	}
	if err != nil {
		return fmt.Errorf("byte %d: row %d of %d of element %s: %w", s.pos, row, e.count, quote(e.name), cutOff(err))
	}
	return nil
}

// cutOff makes the end of a file an error.
func cutOff(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("the file is cut off: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// copyBytes copies the next n bytes to w.
func (s *Source) copyBytes(w io.Writer, n int64) error {
	k, err := io.CopyN(w, s.br, n)
	s.pos += k
	return err
}

// copyLines copies the next lines that are not blank to w, and returns how many.
func (s *Source) copyLines(w io.Writer, count int64) (n int64, err error) {
	blank := true
	for n < count {
		part, err := s.br.ReadSlice(s.head.term())
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

// copyLists copies the rows of e to w, as many at a time as br holds.
func (s *Source) copyLists(w io.Writer, e *element) (n int64, err error) {
	for n < e.count {
		window, err := s.br.Peek(s.br.Size())
		if len(window) == 0 {
			return n, err
		}
		used := 0
		for n < e.count {
			k, err := s.rowLength(e, window[used:])
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
			if err := s.copyLong(w, e); err != nil {
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

// copyLong copies a row that is longer than br.
func (s *Source) copyLong(w io.Writer, e *element) error {
	for i := range e.props {
		p := &e.props[i]
		n := int64(p.kind.size())
		if p.list {
			front, err := s.br.Peek(p.length.size())
			if err != nil {
				return err
			}
			count := p.length.int(front, s.head.big)
			if count < 0 {
				return fmt.Errorf("property %s: a list of length %d", quote(p.name), count)
			}
			n = int64(p.length.size()) + count*n
		}
		if err := s.copyBytes(w, n); err != nil {
			return err
		}
	}
	return nil
}

// rowLength returns the bytes of the binary row of e at the front of b, or 0 if b does
// not hold all of it.
func (s *Source) rowLength(e *element, b []byte) (int, error) {
	at := int64(0)
	for i := range e.props {
		p := &e.props[i]
		if !p.list {
			at += int64(p.kind.size())
			continue
		}
		size := int64(p.length.size())
		if at+size > int64(len(b)) {
			return 0, nil
		}
		n := p.length.int(b[at:], s.head.big)
		if n < 0 {
			return 0, fmt.Errorf("property %s: a list of length %d", quote(p.name), n)
		}
		at += size + n*int64(p.kind.size())
	}
	if at > int64(len(b)) {
		return 0, nil
	}
	return int(at), nil
}

// after copies what follows the rows to w: the other elements, and white space at the
// end of a text. A shard that is not the last one reads on only if there are elements.
func (s *Source) after(w io.Writer) error {
	elements := s.head.elements[s.head.vertex+1:]
	more := false
	for i := range elements {
		more = more || elements[i].count > 0 && len(elements[i].props) > 0
	}
	if !more && s.here < s.vertex.count {
		return nil
	}
	if err := s.skipTo(s.vertex.count); err != nil {
		return err
	}
	for i := range elements {
		if err := s.copyElement(w, &elements[i]); err != nil {
			return fmt.Errorf("%s: %w", s.file, err)
		}
	}
	return s.trailing(w)
}

// trailing refuses anything behind the last element, but for white space in a text.
func (s *Source) trailing(w io.Writer) error {
	for {
		_, err := s.br.Peek(1)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: byte %d: %w", s.file, s.pos, err)
		}
		part, _ := s.br.Peek(s.br.Buffered())
		if !s.head.ascii || len(bytes.TrimSpace(part)) > 0 {
			return fmt.Errorf("%s: byte %d: there is more behind the last element than the header says", s.file, s.pos)
		}
		if err := s.copyBytes(w, int64(len(part))); err != nil {
			return err
		}
	}
}
