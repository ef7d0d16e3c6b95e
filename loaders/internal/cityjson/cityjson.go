// Package cityjson reads CityJSON 1.0, 1.1 and 2.0, and sequences of CityJSONFeature objects (CityJSON
// Specifications 2.0.1, https://www.cityjson.org/specs/).
//
// Each city object with surfaces or solids becomes a body, whose name is the key of the object. The
// names of semantic surfaces, such as RoofSurface, are ignored, because a solid is one body. The reader
// uses the geometries of the highest LoD of each object. If some of these are solids, it ignores the
// surfaces. It ignores an object of LoD 0 if a descendant has a higher LoD: the object is the outline of
// the same building. Points and lines are ignored. Notes count the ignored geometries. Appearances and
// attributes are ignored without a note.
//
// A coordinate is the float64 nearest to scale·v + translate, where scale and translate are the decimal
// numbers in the file.
package cityjson

import (
	"bytes"
	"errors"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// Format describes CityJSON.
func Format() soup.Format { return soup.Format{Name: "cityjson", Read: read} }

const hintUpgrade = "upgrade the file, for example with the command cjio: cjio old.json upgrade save new.city.json"

// reader holds the content of the file that was read so far.
type reader struct {
	jsontext.Cursor
	src  *soup.Source
	b    *soup.Builder
	path []step // place of the cursor in the current text

	texts     int  // number of texts in the file, before the current one
	float     bool // coordinates are numbers without a transform, which CityJSON 1.0 allows
	transform *transform
	templates templates

	root   root
	table  table
	stored int // number of vertices in the file

	face     face
	faces    int // number of faces so far
	progress progress
	ignored  ignored
}

// ignored has numbers for notes.
type ignored struct {
	points, lines, unknown, empty int // geometries without surfaces
	lowerLoD, besides, withoutLoD int // geometries: of a lower LoD, surfaces beside solids, without a valid LoD
	outlines, wholes              int // objects of LoD 0 with parts, and solids with parts that are solids
	rings, singular               int
}

func read(src *soup.Source, b *soup.Builder) error {
	if scan.UTF16Order(src.Data) != nil || bytes.HasPrefix(src.Data, []byte("\xef\xbb\xbf")) {
		if err := src.PlainText(); err != nil {
			return err
		}
	}
	r := &reader{src: src, b: b}
	r.Text = src.Data
	b.CountNonPlanar = true
	for {
		more, err := r.nextText()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if err := r.readText(); err != nil {
			return err
		}
		r.texts++
	}
	b.StoredVertices = r.stored
	r.note()
	return nil
}

// nextText skips the white space and the record marks (RFC 7464) before the next text. It returns false
// at the end of the file.
func (r *reader) nextText() (bool, error) {
	const recordMark = 0x1e
	for {
		c, err := r.Peek()
		switch {
		case err != nil && r.texts == 0:
			return false, r.fail(len(r.Text), soup.ErrTruncated, "the file has no JSON text")
		case err != nil:
			return false, nil
		case c != recordMark:
			return true, nil
		}
		r.At++
	}
}

// readText reads a text: a CityJSON object, or a CityJSONFeature.
func (r *reader) readText() error {
	r.path = r.path[:0]
	if r.Text[r.At] != '{' {
		return r.fail(r.At, soup.ErrSyntax, "expected a JSON object").WithHint("inpoly reads CityJSON and glTF from JSON texts")
	}
	start := r.At
	defer r.table.release(r.b.Budget)
	if err := r.readRoot(); err != nil {
		return r.placed(err)
	}
	end := r.At
	if err := r.checkRoot(start); err != nil {
		return err
	}
	if err := r.readVertices(); err != nil {
		return r.placed(err)
	}
	if err := r.addObjects(); err != nil {
		return r.placed(err)
	}
	r.At = end
	return r.progress.end(r.src, end)
}

// placed adds the place of the cursor to an error without a place, and to a syntax error.
func (r *reader) placed(err error) error {
	var syntax *jsontext.Error
	switch {
	case errors.As(err, &syntax):
		kind := soup.ErrSyntax
		if errors.Is(err, jsontext.ErrCut) {
			kind = soup.ErrTruncated
		}
		return r.fail(syntax.At, kind, "%w", syntax.Err)
	case r.src.Err() != nil:
		return r.src.Err()
	}
	var e *soup.Error
	if errors.As(err, &e) && (e.Path != "" || e.Offset >= 0) {
		return err
	}
	hint := ""
	if e != nil {
		hint, err = e.Hint, e.Err
	}
	return r.fail(r.At, err, "").WithHint(hint)
}

// note adds the notes of the file.
func (r *reader) note() {
	n, b := &r.ignored, r.b
	b.NoteCount("ignored %d geometries of points", n.points)
	b.NoteCount("ignored %d geometries of lines", n.lines)
	b.NoteCount("ignored %d geometries of unknown types of extensions", n.unknown)
	b.NoteCount("ignored %d empty geometries", n.empty)
	b.NoteCount("ignored %d geometries of objects that have a higher LoD", n.lowerLoD)
	b.NoteCount("ignored %d geometries of surfaces of objects that have solids of the same LoD", n.besides)
	b.NoteCount("number of geometries without a valid LoD, which counts as the lowest one: %d", n.withoutLoD)
	b.NoteCount("ignored %d objects of LoD 0: objects below have a higher LoD", n.outlines)
	b.NoteCount("number of objects with solids whose parts also have solids, all of which were read: %d", n.wholes)
	b.NoteCount("ignored %d rings of fewer than three corners", n.rings)
	b.NoteCount("ignored %d instances of templates with singular matrices", n.singular)
}

// progress reports the bytes that were read and built. Each byte counts half when it is read, and half
// when the objects of its text are built.
type progress struct {
	read     int   // end of the bytes that count half
	reported int64 // number of bytes that were reported
}

// leastStep is the number of bytes between two reports (tuning).
const leastStep = 1 << 20

// step reports that the bytes before end were read.
func (p *progress) step(src *soup.Source, end int) error {
	if end-p.read < leastStep {
		return nil
	}
	n := int64(end-p.read) / 2
	p.read, p.reported = end, p.reported+n
	return src.Step(n)
}

// end reports that the text that ends at end was read and built.
func (p *progress) end(src *soup.Source, end int) error {
	p.read = end
	n := int64(end) - p.reported
	if n < leastStep && end < len(src.Data) {
		return nil
	}
	p.reported += n
	return src.Step(n)
}
