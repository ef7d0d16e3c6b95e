package cityjson

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/decimal"
	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// root has members of the current text.
type root struct {
	kind, version string
	typed         bool  // the text has a type
	vertices      int   // place of the list of vertices, or −1
	objects       bool  // the text has city objects
	first         int32 // index of the first vertex of the text
	count         int   // number of vertices of the text
}

var rootMembers = []string{"type", "version", "transform", "vertices", "CityObjects", "geometry-templates", "metadata"}

// readRoot reads the members of a text, except its vertices.
func (r *reader) readRoot() error {
	r.root = root{vertices: -1}
	return r.members(rootMembers, func(key string) (err error) {
		if r.texts > 0 && (key == "transform" || key == "geometry-templates") {
			return r.fail(r.At, soup.ErrSyntax, "only the first text of a sequence can have the member %s", key)
		}
		switch key {
		case "type":
			r.root.kind, err = r.text()
			r.root.typed = true
		case "version":
			r.root.version, err = r.text()
		case "transform":
			err = r.readTransform()
		case "vertices":
			r.root.vertices = r.At
			err = r.skip()
		case "CityObjects":
			r.root.objects = true
			err = r.readObjects()
		case "geometry-templates":
			err = r.readTemplates()
		case "metadata":
			err = r.metadata()
		}
		return err
	})
}

// checkRoot checks which members a text has. The text begins at byte start.
func (r *reader) checkRoot(start int) error {
	r.path = r.path[:0]
	want := "CityJSON"
	if r.texts > 0 {
		want = "CityJSONFeature"
	}
	switch kind := r.root.kind; {
	case kind == "CityJSONFeature" && r.texts == 0:
		return r.fail(start, soup.ErrSyntax, "the file begins with a CityJSONFeature: expected the CityJSON object with its transform").
			WithHint("put the first line of the sequence, which has the type CityJSON, before the features")
	case !r.root.typed:
		return r.fail(start, soup.ErrSyntax, "the object has no member type: expected the type %s", want).WithHint("inpoly reads CityJSON and glTF from JSON texts")
	case kind != want:
		return r.fail(start, soup.ErrSyntax, "the object has the type %s, must be %s", quote.Word(kind), want)
	}
	if r.texts == 0 {
		if err := r.checkVersion(start); err != nil {
			return err
		}
	}
	switch {
	case !r.root.objects:
		return r.fail(start, soup.ErrSyntax, "the member CityObjects is missing")
	case r.root.vertices < 0:
		return r.fail(start, soup.ErrSyntax, "the member vertices is missing")
	}
	return nil
}

// checkVersion checks the version and whether the transform is missing.
func (r *reader) checkVersion(start int) error {
	version := r.root.version
	if version == "" {
		return r.fail(start, soup.ErrSyntax, "the member version is missing")
	}
	var minor string // version without the number of the patch
	if parts := strings.SplitN(version, ".", 3); len(parts) > 1 {
		minor = parts[0] + "." + parts[1]
	}
	switch minor {
	case "1.0", "1.1", "2.0":
	default:
		return r.fail(start, soup.ErrUnsupported, "the file has version %s of CityJSON, must be 1.0, 1.1 or 2.0", quote.Word(version)).WithHint(hintUpgrade)
	}
	if r.transform == nil && minor != "1.0" {
		return r.fail(start, soup.ErrSyntax, "the member transform is missing")
	}
	r.float = r.transform == nil
	return nil
}

// readTransform reads the transform.
func (r *reader) readTransform() error {
	var scale, translate []number
	err := r.members([]string{"scale", "translate"}, func(key string) (err error) {
		if key == "scale" {
			scale, err = r.numbers(3)
		} else {
			translate, err = r.numbers(3)
		}
		return err
	})
	if err != nil {
		return err
	}
	if scale == nil || translate == nil {
		return r.fail(r.At, soup.ErrSyntax, "scale or translate is missing")
	}
	r.transform = &transform{}
	for i := range r.transform {
		r.transform[i] = newAxis(scale[i], translate[i])
	}
	return nil
}

// numbers reads a list of n numbers.
func (r *reader) numbers(n int) ([]number, error) {
	at := r.At
	var list []number
	err := r.list(func(k int) error {
		at := r.At
		word, err := r.word()
		if err != nil {
			return err
		}
		if k >= n {
			return r.fail(at, soup.ErrSyntax, "the list has more than %d numbers", n)
		}
		x, ok := parseNumber(word)
		if !ok {
			return r.badNumber(at, word)
		}
		list = append(list, x)
		return nil
	})
	if err == nil && len(list) < n {
		err = r.fail(at, soup.ErrSyntax, "the list has %d numbers, must have %d", len(list), n)
	}
	return list, err
}

// badNumber returns the error for a number at byte i that parseNumber refuses.
func (r *reader) badNumber(i int, word []byte) error {
	if c := word[len(word)-1]; c == 'N' || c == 'y' {
		return r.fail(i, soup.ErrNotFinite, "the number %s", word)
	}
	return r.fail(i, soup.ErrTooLarge, "the number %s has more than %d digits, or an exponent beyond %d", quote.Word(word), maxDigits, maxExponent)
}

// metadata reads the coordinate reference system and adds a note if it is known to be geographic.
func (r *reader) metadata() error {
	return r.members([]string{"referenceSystem"}, func(string) error {
		if c, err := r.Peek(); err != nil || c != '"' {
			return cmp.Or(err, r.skip())
		}
		system, err := r.text()
		if err == nil && r.texts == 0 && isGeographic(system) {
			r.b.Note("the coordinates are degrees and heights (%s): volumes and distances are not those of the objects", quote.Line(system))
		}
		return err
	})
}

// geographicCodes has codes of EPSG for geographic systems that city models use: WGS 84, ETRS89, NAD83,
// NAD27, JGD2000, JGD2011, GDA94, GDA2020 and CGCS2000, in two and three dimensions.
var geographicCodes = []int{4326, 4979, 9518, 4258, 4937, 4269, 4955, 4617, 4267, 4612, 6668, 6697, 4283, 7844, 7843, 4490, 4480}

// isGeographic reports whether a name denotes a geographic coordinate reference system. A name is a
// URL such as http://www.opengis.net/def/crs/EPSG/0/4979, or a URN such as
// urn:ogc:def:crs:EPSG::4979.
func isGeographic(system string) bool {
	upper := strings.ToUpper(system)
	if strings.HasSuffix(upper, "CRS84") || strings.HasSuffix(upper, "CRS84H") {
		return true
	}
	code, err := strconv.Atoi(upper[strings.LastIndexAny(upper, "/:")+1:])
	return err == nil && strings.Contains(upper, "EPSG") && slices.Contains(geographicCodes, code)
}

// readVertices appends the vertices of the text.
func (r *reader) readVertices() error {
	r.root.first = int32(len(r.b.Vertices))
	r.At, r.path = r.root.vertices, append(r.path[:0], step{[]byte("vertices"), -1})
	read := r.integer
	if r.float {
		read = func(int) (float64, error) { return r.real() }
	}
	err := r.list(func(int) error {
		at := r.At
		v, err := r.vertex(read)
		if err != nil {
			return err
		}
		if _, err := r.b.AddVertex(v); err != nil {
			return r.fail(at, err, "the vertex is (%g, %g, %g)", v.X, v.Y, v.Z)
		}
		return nil
	})
	r.root.count = len(r.b.Vertices) - int(r.root.first)
	r.stored += r.root.count
	return err
}

// vertex reads a list of three coordinates. The given function reads the coordinate of an axis.
func (r *reader) vertex(read func(axis int) (float64, error)) (v r3.Vector, err error) {
	if err := r.expect(jsontext.List); err != nil {
		return v, err
	}
	at := r.At
	n := 0
	err = r.List(func(k int) (err error) {
		n++
		switch k {
		case 0:
			v.X, err = read(0)
		case 1:
			v.Y, err = read(1)
		case 2:
			v.Z, err = read(2)
		default:
			_, err = r.Skip()
		}
		return err
	})
	if err == nil && n != 3 {
		err = r.fail(at, soup.ErrSyntax, "the vertex has %d coordinates, must have 3", n)
	}
	return v, err
}

// integer reads an integer and applies the transform.
func (r *reader) integer(axis int) (float64, error) {
	a := &r.transform[axis]
	if v, n, ok := decimal.ParseInt(r.Text[r.At:]); ok && r.ends(r.At+n) {
		r.At += n
		return a.apply(v), nil
	}
	at := r.At
	word, err := r.word()
	if err != nil {
		return 0, err
	}
	v, ok := parseNumber(word)
	if !ok {
		return 0, r.badNumber(at, word)
	}
	p := power(v.places)
	if v.m.QuoRem(&v.m, p, p); p.Sign() != 0 {
		return 0, r.fail(at, soup.ErrSyntax, "the coordinate is %s, must be an integer", quote.Word(word))
	}
	return a.exact(&v.m), nil
}

// ends reports whether a number that ends before byte i is complete.
func (r *reader) ends(i int) bool {
	return i < len(r.Text) && (r.Text[i] == ',' || r.Text[i] == ']' || r.Text[i] <= ' ')
}

// real reads a number.
func (r *reader) real() (float64, error) {
	word, err := r.word()
	if err != nil {
		return 0, err
	}
	x, _, _ := decimal.Parse(word)
	return x, nil
}
