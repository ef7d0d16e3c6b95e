package vtk

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// array is an array of a piece. Its values are not decoded yet.
type array struct {
	section, name string
	at            int // position of its tag
	kind          number
	form          form
	from, to      int  // span of the values; for an appended array only the start is known
	step          bool // the array belongs to a time step
}

// form is the place and the encoding of values.
type form uint8

const (
	ascii form = iota
	base64
	appended
)

// array reads an element DataArray.
func (d *document) array(p *piece, section, name string, t tag) error {
	a := array{section: section, name: name, at: t.at, step: d.x.attr("TimeStep") != ""}
	if first := p.find(section, name); first != nil {
		if !a.step || !first.step {
			return d.x.text.Fail(t.at, soup.ErrSyntax, "a second array %s", strings.TrimSpace(section+" "+name))
		}
		d.repeated = true
		return d.x.skip(t)
	}
	kind, ok := xmlNumbers[d.x.attr("type")]
	if !ok {
		return d.x.text.Fail(t.at, soup.ErrUnsupported, "an array of the type %s", quote.Word(d.x.attr("type")))
	}
	a.kind = kind
	if parts := d.x.attr("NumberOfComponents"); section == "Points" && parts != "" && parts != "3" {
		return d.x.text.Fail(t.at, soup.ErrSyntax, "points have %s components, must have 3", quote.Word(parts))
	}
	var err error
	switch format := d.x.attr("format"); format {
	case "", "ascii": // ascii is the default of VTK
		a.from, a.to, err = d.x.content(t)
	case "binary":
		a.form = base64
		a.from, a.to, err = d.x.content(t)
	case "appended":
		a.form = appended
		text := d.x.attr("offset")
		n, length, ok := decimal.ParseInt([]byte(text))
		if !ok || length < len(text) || n < 0 || n > int64(len(d.x.text)) {
			return d.x.text.Fail(t.at, soup.ErrSyntax, "an appended array has the offset %s", quote.Word(text))
		}
		a.from = int(n)
		err = d.x.skip(t)
	default:
		return d.x.text.Fail(t.at, soup.ErrUnsupported, "an array in the format %s", quote.Word(format))
	}
	if err != nil {
		return err
	}
	if err := d.b.Budget.Reserve(arrayBytes); err != nil {
		return err
	}
	p.arrays = append(p.arrays, a)
	return nil
}

// find returns an array of a piece, or nil.
func (p *piece) find(section, name string) *array {
	for i := range p.arrays {
		if a := &p.arrays[i]; a.section == section && a.name == name {
			return a
		}
	}
	return nil
}

// path returns the path of errors in a piece.
func (d *document) path(p *piece, what string) string {
	if len(d.pieces) == 1 {
		return what
	}
	return fmt.Sprintf("piece %d %s", p.index, what)
}

// open returns the values of an array of a piece.
func (d *document) open(p *piece, section, name string) (values, error) {
	a := p.find(section, name)
	if a == nil {
		return nil, d.x.text.Fail(p.at, soup.ErrSyntax, "the piece lacks the array %s", strings.TrimSpace(section+" "+name))
	}
	if a.form == ascii {
		return &textValues{text: d.x.text, at: a.from, end: a.to, previous: a.from}, nil
	}
	in := &stream{base64: a.form == base64 || !d.raw, at: a.from, text: d.x.text[:a.to]}
	if a.form == appended {
		if d.appended < 0 || a.from > d.appendedEnd-d.appended {
			return nil, d.x.text.Fail(a.at, soup.ErrTruncated, "the values of the array are beyond the end of the appended data")
		}
		in.at, in.text = d.appended+a.from, d.x.text[:d.appendedEnd]
	}
	in.place = place{d.path(p, strings.TrimSpace(section+" "+name)), int64(in.at)}
	v := &binaryValues{place: in.place, in: in, kind: a.kind, order: d.order}
	return v, d.openBinary(v)
}

// openBinary reads the header of an array.
func (d *document) openBinary(v *binaryValues) error {
	lz4 := false
	switch d.compressor {
	case "":
		return d.openPlain(v)
	case "vtkZLibDataCompressor":
	case "vtkLZ4DataCompressor":
		lz4 = true
	default:
		return v.fail(soup.ErrUnsupported, "arrays are compressed by %s", quote.Word(d.compressor)).
			WithHint("save the file with the compression ZLib or LZ4, for example with ParaView")
	}
	z := &d.packed
	z.release(d.b.Budget)
	*z = blocks{place: v.place, src: d.s, in: v.in, lz4: lz4, zlib: z.zlib, seen: z.seen}
	v.packed = z
	return z.open(d.order, d.width)
}

// openPlain reads the header of an array without compression, which is the number of bytes.
func (d *document) openPlain(v *binaryValues) error {
	n, err := v.in.word(d.order, d.width)
	if err != nil {
		return err
	}
	if left := v.in.left(); n > left {
		return v.fail(soup.ErrTruncated, "%d bytes of numbers do not fit in the %d bytes that follow", n, left)
	}
	v.left = n
	return nil
}

// integers reads n integers from an array of a piece. Each integer must be from least to 2^31 − 1.
func (d *document) integers(p *piece, section, name string, dst *[]int32, n int64, least float64) error {
	if n == 0 {
		return nil
	}
	v, err := d.open(p, section, name)
	if err != nil {
		return err
	}
	if err := d.reader.integers(v, dst, n, least, name+" of "+section); err != nil {
		return err
	}
	return d.close(v)
}

// overlap bounds the number of decoded bytes, as a multiple of the size of the file. Without this bound,
// arrays that share their bytes could take very long. The types of cells are decoded twice (tuning).
const overlap = 8

// close ends the reading of an array.
func (d *document) close(v values) error {
	if v.rest() {
		d.longer++
	}
	return d.charge(v)
}

// charge counts the bytes of an array that were decoded. It refuses a file whose arrays share too many
// bytes.
func (d *document) charge(v values) error {
	if b, ok := v.(*binaryValues); ok {
		d.decoded += int64(b.in.at) - b.offset
	}
	if d.decoded > overlap*int64(len(d.x.text)) {
		return soup.AtPath("", soup.ErrTooLarge, "the arrays of the file share their bytes, and have more than %d times the size of the file together", overlap)
	}
	return nil
}
