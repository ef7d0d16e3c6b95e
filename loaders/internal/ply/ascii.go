package ply

import (
	"bytes"
	"errors"
	"math"

	"github.com/inpoly/inpoly/internal/plyfile"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// readASCII reads the body of an ASCII file. If every row has a line of its own, as it should,
// chunks of lines are read in parallel. Otherwise, also after an error, one pass over the
// words reads the body. Where rows are lines, both see the same rows.
func readASCII(s *soup.Source, b *soup.Builder, h *header) ([]*chunk, error) {
	chunks, err := readLines(s, b, h)
	if err == nil || !errors.Is(err, errNotLines) {
		return chunks, err
	}
	return readWords(s, b, h)
}

// readWords reads the body in one pass, wherever lines end.
func readWords(s *soup.Source, b *soup.Builder, h *header) ([]*chunk, error) {
	r := &rowReader{chunk: newChunk(b.Budget, h.vertices), text: s.Data, skip: scan.SkipSpace}
	at := h.body()
	for i := range h.elements {
		e := &h.elements[i]
		if len(e.Properties) == 0 {
			continue // rows of no words
		}
		for row := range e.Count {
			next, err := r.row(at, e)
			if err != nil {
				return nil, err
			}
			at = next
			const look = 1 << 12 // rows between two checks of the context
			if row%look == look-1 {
				if err := s.Err(); err != nil {
					return nil, err
				}
			}
		}
	}
	noteRest(b, s.Data[at:])
	return []*chunk{r.chunk}, s.Step(int64(len(s.Data) - h.body()))
}

// errNotLines reports that rows and lines differ, or that there is an error whose place a
// pass over the words will find.
var errNotLines = errors.New("rows are not lines")

// readLines reads chunks of lines in parallel.
func readLines(s *soup.Source, b *soup.Builder, h *header) ([]*chunk, error) {
	body := s.Data[h.body():]
	ends := scan.CutLines(body, s.ChunkSize)
	piece := func(i int) []byte {
		if i == 0 {
			return body[:ends[0]]
		}
		return body[ends[i-1]:ends[i]]
	}
	counts, err := soup.InOrder(len(ends), func(i int) (int64, error) { return countRows(piece(i)), s.Err() })
	if err != nil {
		return nil, err
	}
	first := make([]int64, len(ends)+1)
	for i, n := range counts {
		first[i+1] = first[i] + n
	}
	want := int64(0)
	for i := range h.elements {
		if e := &h.elements[i]; len(e.Properties) > 0 {
			want += e.Count
		}
	}
	if first[len(ends)] < want {
		return nil, errNotLines
	}
	rests, begun := make([][]byte, len(ends)), make([]*chunk, len(ends))
	chunks, err := soup.InOrder(len(ends), func(i int) (*chunk, error) {
		r := &rowReader{chunk: newChunk(b.Budget, h.vertices), text: piece(i), skip: scan.SkipBlank}
		begun[i] = r.chunk
		var err error
		if rests[i], err = r.lines(h, first[i]); err != nil {
			return nil, errNotLines
		}
		return r.chunk, s.Step(int64(len(r.text)))
	})
	if err != nil {
		for _, p := range begun {
			if p != nil {
				p.free()
			}
		}
		return nil, err
	}
	for _, rest := range rests {
		if len(rest) > 0 {
			noteRest(b, rest)
			break
		}
	}
	return chunks, nil
}

// countRows counts the lines that are not blank.
func countRows(text []byte) (n int64) {
	for i := 0; i < len(text); {
		i = scan.SkipSpace(text, i)
		if i == len(text) {
			break
		}
		n++
		i = scan.LineEnd(text, i)
	}
	return n
}

// noteRest notes text after the last row.
func noteRest(b *soup.Builder, rest []byte) {
	if rest = bytes.TrimSpace(rest); len(rest) > 0 {
		b.Note("text after the last element ignored: %q", scan.Excerpt(rest))
	}
}

// rowReader reads rows of an ASCII body.
type rowReader struct {
	*chunk
	text []byte
	skip func(b []byte, i int) int // skips the separators of words
}

// lines reads a chunk whose first line is the given row of the body, and returns the text
// after the last row.
func (r *rowReader) lines(h *header, row int64) ([]byte, error) {
	i := 0
	for k := range h.elements {
		e := &h.elements[k]
		if len(e.Properties) == 0 {
			continue
		}
		if row >= e.Count {
			row -= e.Count
			continue
		}
		for ; row < e.Count; row++ {
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
		row = 0
	}
	return bytes.TrimSpace(r.text[i:]), nil
}

// row reads the words of a row of e and returns the place after it.
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
			// Each word takes at least two bytes; the last word may take one.
			left := len(r.text) - next
			switch {
			case !(v >= 0) || v != math.Trunc(v):
				return i, soup.AtLine(scan.LineAt(r.text, i), soup.ErrSyntax, "a list of length %v", v)
			case v > float64((left+1)/2):
				return i, soup.AtLine(scan.LineAt(r.text, i), soup.ErrTruncated, "a list of length %v, but %d bytes are left", v, left)
			}
			i, count = next, int(v)
		}
		for range count {
			if role == skipped {
				i = r.skip(r.text, i)
				end := scan.WordEnd(r.text, i)
				if end == i {
					return i, r.missing(i, prop, "")
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
				r.scalar(role, v)
				continue
			}
			if err := r.index(role, v); err != nil {
				return i, r.placed(i, err)
			}
		}
	}
	if err := r.endRow(e); err != nil {
		return i, r.placed(r.skip(r.text, from), err)
	}
	return i, nil
}

// placed adds the line to an error without a place.
func (r *rowReader) placed(i int, err error) error {
	if located := (*soup.Error)(nil); errors.As(err, &located) {
		return err
	}
	return soup.AtLine(scan.LineAt(r.text, i), err, "")
}

// value reads a value of prop. If part is not empty, it reads the length of a list.
func (r *rowReader) value(i int, prop *plyfile.Property, part string) (float64, int, error) {
	i = r.skip(r.text, i)
	v, next, ok := scan.Number(r.text, i)
	if !ok {
		return 0, i, r.missing(i, prop, part)
	}
	return v, next, nil
}

// missing returns the error for a word at i, or the end of the file, in place of a value.
func (r *rowReader) missing(i int, prop *plyfile.Property, part string) error {
	word := r.text[i:scan.WordEnd(r.text, i)]
	if len(word) == 0 {
		return soup.AtLine(scan.LineAt(r.text, i), soup.ErrTruncated, "the file ends where %sproperty %s should follow", part, prop.Name)
	}
	return soup.AtLine(scan.LineAt(r.text, i), soup.ErrSyntax, "%q instead of %sproperty %s", scan.Excerpt(word), part, prop.Name)
}
