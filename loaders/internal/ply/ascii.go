package ply

import (
	"bytes"
	"errors"
	"math"
	"slices"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// readASCII reads the body of an ASCII file. It reads chunks of lines in parallel if every row has
// a line of its own. If readLines returns errNotLines, readASCII reads the words of the body in one
// pass.
func readASCII(s *soup.Source, b *soup.Builder, h *header) ([]*soup.Part, error) {
	parts, err := readLines(s, b, h)
	if errors.Is(err, errNotLines) {
		return readWords(s, b, h)
	}
	return parts, err
}

// readWords reads the body in one pass. It treats line ends as white space.
func readWords(s *soup.Source, b *soup.Builder, h *header) ([]*soup.Part, error) {
	r := &rowReader{chunk: newChunk(b.Budget, h), text: s.Data, skip: scan.SkipSpace}
	at := h.body()
	for i := range h.elements {
		e := &h.elements[i]
		for row := range e.Count {
			var err error
			if at, err = r.row(at, e); err != nil {
				return nil, err
			}
			if err := s.Check(int(row)); err != nil {
				return nil, err
			}
		}
	}
	noteRest(b, s.Data[at:])
	return []*soup.Part{r.Part}, s.Step(int64(len(s.Data) - h.body()))
}

// errNotLines means that some row is not exactly one line, or that readLines found an error at an
// unknown place. In both cases readWords reads the body again and finds the place.
var errNotLines = errors.New("rows are not lines")

// readLines reads the body as chunks of lines in parallel.
func readLines(s *soup.Source, b *soup.Builder, h *header) ([]*soup.Part, error) {
	body := s.Data[h.body():]
	spans := scan.CutLines(body, s.ChunkSize)
	piece := func(i int) []byte { return body[spans[i].From:spans[i].To] }
	counts, err := soup.InOrder(len(spans), func(_, i int) (int64, error) { return countRows(piece(i)), s.Err() })
	if err != nil {
		return nil, err
	}
	first := make([]int64, len(spans)+1)
	for i, n := range counts {
		first[i+1] = first[i] + n
	}
	rows := int64(0)
	for i := range h.elements {
		rows += h.elements[i].Count
	}
	if first[len(spans)] < rows {
		return nil, errNotLines
	}
	rests, parts := make([][]byte, len(spans)), make([]*soup.Part, len(spans))
	_, err = soup.InOrder(len(spans), func(_, i int) (struct{}, error) {
		r := &rowReader{chunk: newChunk(b.Budget, h), text: piece(i), skip: scan.SkipBlank}
		parts[i] = r.Part
		var err error
		if rests[i], err = r.lines(h, first[i]); err != nil {
			return struct{}{}, errNotLines
		}
		return struct{}{}, s.Step(int64(len(r.text)))
	})
	if err != nil {
		for _, p := range parts {
			if p != nil {
				p.Free()
			}
		}
		return nil, err
	}
	if i := slices.IndexFunc(rests, func(rest []byte) bool { return len(rest) > 0 }); i >= 0 {
		noteRest(b, rests[i])
	}
	return parts, nil
}

// countRows counts the lines that are not blank.
func countRows(text []byte) (n int64) {
	for i := scan.SkipSpace(text, 0); i < len(text); i = scan.SkipSpace(text, scan.LineEnd(text, i)) {
		n++
	}
	return n
}

// noteRest adds a note if there is text after the last row.
func noteRest(b *soup.Builder, rest []byte) {
	if rest = bytes.TrimSpace(rest); len(rest) > 0 {
		b.Note("text after the last element was ignored: %s", quote.Word(rest))
	}
}

type rowReader struct {
	*chunk
	text soup.Text
	skip func(b []byte, i int) int // function that skips white space between words
}

// lines reads the lines of r.text and returns the text after the last row of the body. The first
// line holds row rowIndex of the body, counted from 0.
func (r *rowReader) lines(h *header, rowIndex int64) ([]byte, error) {
	i := 0
	for k := range h.elements {
		e := &h.elements[k]
		if rowIndex >= e.Count {
			rowIndex -= e.Count
			continue
		}
		for ; rowIndex < e.Count; rowIndex++ {
			if i = scan.SkipSpace(r.text, i); i == len(r.text) {
				return nil, nil
			}
			var err error
			if i, err = r.row(i, e); err != nil {
				return nil, err
			}
			if i = scan.SkipBlank(r.text, i); i < len(r.text) && r.text[i] != '\n' {
				return nil, errNotLines
			}
		}
		rowIndex = 0
	}
	return bytes.TrimSpace(r.text[i:]), nil
}

// row reads the row of element e at position i. It returns the position after the row.
func (r *rowReader) row(i int, e *element) (int, error) {
	from := i
	for k := range e.Properties {
		prop, role := &e.Properties[k], e.roles[k]
		count := 1
		if prop.List {
			i = r.skip(r.text, i)
			v, next, err := r.value(i, prop, "the length of ")
			if err != nil {
				return i, err
			}
			// Each word needs at least two bytes, but the last word of the file can end without a
			// separator.
			left := len(r.text) - next
			switch {
			case !(v >= 0) || v != math.Trunc(v):
				return i, r.text.Fail(i, soup.ErrSyntax, "the length of a list is %v, must be an integer of at least 0", v)
			case v > float64((left+1)/2):
				return i, r.text.Fail(i, soup.ErrTruncated, "a list declares %v elements, but only %d bytes are left", v, left)
			}
			i, count = next, int(v)
		}
		for range count {
			if role == skipped {
				i = r.skip(r.text, i)
				end := scan.WordEnd(r.text, i)
				if end == i {
					return i, r.text.Expected(i, "property "+prop.Name)
				}
				i = end
				continue
			}
			v, next, err := r.value(i, prop, "")
			if err != nil {
				return i, err
			}
			i = next
			if !prop.List {
				r.xyz[role-coordinateX] = v
				continue
			}
			if err := r.index(role, v); err != nil {
				return i, r.place(i, err)
			}
		}
	}
	if err := r.endRow(e); err != nil {
		return i, r.place(r.skip(r.text, from), err)
	}
	return i, nil
}

// place adds the line of byte i to err, if err has no place.
func (r *rowReader) place(i int, err error) error {
	if soup.Placed(err) {
		return err
	}
	return r.text.Fail(i, err, "")
}

// value reads a number at position i: a value of prop, or the length of its list.
func (r *rowReader) value(i int, prop *plyfile.Property, part string) (float64, int, error) {
	i = r.skip(r.text, i)
	v, next, ok := scan.Number(r.text, i)
	if !ok {
		return 0, i, r.text.Expected(i, part+"property "+prop.Name)
	}
	return v, next, nil
}
