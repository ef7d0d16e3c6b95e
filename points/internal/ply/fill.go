package ply

import (
	"fmt"
	"io"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/internal/records"
	"github.com/inpoly/inpoly/points/table"
)

// rowBounds has the bounds of the rows of a block, if the rows can differ in length.
type rowBounds struct {
	start []int32 // index of the first byte of each row
	end   []int32 // index after the last value of each row, if the file is ASCII
}

// Fill implements table.Source. In an ASCII file, the line end of the last row can be missing.
// After the last row, Fill checks the rest of the file, unless a sink of Passthrough copies it.
func (s *Source) Fill(b *table.Block) error {
	b.Start()
	if s.posRow < s.next {
		if err := s.skipTo(s.next); err != nil {
			return err
		}
	}
	if s.next == s.end {
		if s.passthrough {
			return io.EOF
		}
		if err := s.copyRest(io.Discard); err != nil {
			return err
		}
		return io.EOF
	}
	b.First = s.next
	n, err := s.fill(b, s.end-s.next)
	if err != nil {
		return s.rowError(s.next, err)
	}
	s.next += n
	b.Next = table.Position{Row: s.next}
	if !s.fixed {
		b.Next.Offset = s.pos
	}
	return nil
}

// rowError adds the file name and the row number to an error. For an ASCII file, it adds the line
// number instead of the row number.
func (s *Source) rowError(row int64, err error) error {
	if s.head.ASCII {
		return fmt.Errorf("%s: line %d: %w", s.file, s.line+row+1, cutOff(err))
	}
	if s.fixed {
		return fmt.Errorf("%s: row %d of %d: %w", s.file, row, s.vertex.Count, cutOff(err))
	}
	return fmt.Errorf("%s: row %d of %d, before byte %d: %w", s.file, row, s.vertex.Count, s.pos, cutOff(err))
}

// fill reads up to the given number of rows into b.Raw. It returns the number of rows that it has
// read.
func (s *Source) fill(b *table.Block, most int64) (n int64, err error) {
	switch {
	case s.fixed:
		n, err = s.fillFixed(b, most)
	case s.head.ASCII:
		n, err = s.fillLines(b, most)
	default:
		n, err = s.fillLists(b, most)
	}
	s.posRow += n
	return n, err
}

// skipTo moves the input to the beginning of the row with the given number.
func (s *Source) skipTo(row int64) error {
	if s.fixed && s.posRow < row {
		// Rows of fixed size are skipped only by the source of a shard. Its input is a file, which
		// can seek.
		s.seek(s.start+row*s.row, row)
	}
	var scratch table.Block
	for s.posRow < row {
		scratch.Start()
		if _, err := s.fill(&scratch, row-s.posRow); err != nil {
			return s.rowError(s.posRow, err)
		}
	}
	return nil
}

// fillFixed implements Source.fill for rows of equal size.
func (s *Source) fillFixed(b *table.Block, most int64) (int64, error) {
	n := min(most, max(1, int64(s.block)/s.row))
	want := int(n * s.row)
	if cap(b.Raw) < want {
		b.Raw = make([]byte, want)
	}
	b.Raw = b.Raw[:want]
	k, err := io.ReadFull(s.br, b.Raw)
	s.pos += int64(k)
	return n, err
}

// consume appends the peeked bytes to b.Raw and discards them from s.br.
func (s *Source) consume(b *table.Block, window []byte) error {
	if len(b.Raw)+len(window) > max(maxRow, s.br.Size()) {
		return plural.Errorf("the row has more than %d bytes", maxRow)
	}
	b.Raw = append(b.Raw, window...)
	s.pos += int64(len(window))
	_, err := s.br.Discard(len(window))
	return err
}

// fillLines implements Source.fill for an ASCII file, in which each row is a line.
func (s *Source) fillLines(b *table.Block, most int64) (int64, error) {
	had := len(b.Raw)
	n, err := records.FillLines(s.br, b, most, s.head.Terminator())
	s.pos += int64(len(b.Raw) - had)
	return n, err
}

// fillLists implements Source.fill for binary rows that differ in length. It stores the row bounds.
func (s *Source) fillLists(b *table.Block, most int64) (int64, error) {
	m := resetBounds(b)
	for {
		window, err := s.br.Peek(s.br.Size())
		if len(window) == 0 {
			return 0, err
		}
		if len(b.Raw) > 0 {
			return 1, s.fillLongRow(b, window)
		}
		used := 0
		for int64(len(m.start)) < most {
			k, err := s.vertex.RowSize(window[used:], s.head.BigEndian)
			if err != nil && used == 0 {
				return 0, err
			}
			if err != nil || k == 0 {
				break // the next call of fillLists returns the error
			}
			m.start = append(m.start, int32(used))
			used += k
		}
		if used > 0 {
			return int64(len(m.start)), s.consume(b, window[:used])
		}
		m.start = append(m.start, 0)
		if err := s.consume(b, window); err != nil {
			return 0, err
		}
	}
}

// fillLongRow reads the rest of a row that is longer than the buffer of s.br.
func (s *Source) fillLongRow(b *table.Block, window []byte) error {
	for {
		had := len(b.Raw)
		if k, err := s.vertex.RowSize(append(b.Raw, window...), s.head.BigEndian); err != nil {
			return err
		} else if k > 0 {
			return s.consume(b, window[:k-had])
		}
		if err := s.consume(b, window); err != nil {
			return err
		}
		var err error
		if window, err = s.br.Peek(s.br.Size()); len(window) == 0 {
			return err
		}
	}
}

// resetBounds empties the row bounds of a block and returns them.
func resetBounds(b *table.Block) *rowBounds {
	m, ok := b.Source.(*rowBounds)
	if !ok {
		m = &rowBounds{}
		b.Source = m
	}
	m.start, m.end = m.start[:0], m.end[:0]
	return m
}

func (s *Source) rowAt(b *table.Block, k int) []byte {
	if s.fixed {
		at := k * int(s.row)
		return b.Raw[at : at+int(s.row)]
	}
	m := b.Source.(*rowBounds)
	if k+1 < len(m.start) {
		return b.Raw[m.start[k]:m.start[k+1]]
	}
	return b.Raw[m.start[k]:]
}

// findLines stores the bounds of the rows of a block of an ASCII file.
func (s *Source) findLines(b *table.Block) *rowBounds {
	m := resetBounds(b)
	m.start, m.end = records.FindLines(b.Raw, s.head.Terminator(), m.start, m.end)
	return m
}
