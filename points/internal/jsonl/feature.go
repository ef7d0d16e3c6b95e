package jsonl

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/inpoly/inpoly/internal/jsontext"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/table"
)

// features is the part of a Source that reads features of GeoJSON (RFC 7946, section 3.2).
type features struct {
	isGeo bool
	top   *node // parent of the keys of the answers: the root, or the node of "properties"
}

// place is the place in a feature at which the answers are inserted.
type place uint8

const (
	inObject place = iota // after the last member of "properties", or of the object of JSON Lines
	instead               // instead of the null of "properties"
	missing               // after the last member of the feature, which has no "properties"
)

// feature has the results of parseMember for a feature.
type feature struct {
	isFeature  bool
	geometry   bool
	properties bool
	place      place
	last       int  // index in the line at which the answers are inserted
	empty      bool // "properties" has no members
	flat       bool // the coordinates have two numbers
}

// NewFeatures returns a Source whose rows are features of GeoJSON: each line of r is a feature. The
// fields are x, y and z (the coordinates of a Point), the members of "properties", and other
// members. The sample decides which members become fields. If the sample is nil, it is the first
// lines of r.
func NewFeatures(file string, sample, r io.Reader, opt Options) (*Source, error) {
	s := &Source{file: file, hi: math.MaxInt64, block: opt.Block, features: features{isGeo: true}}
	from := sample
	if sample == nil {
		from = r
	}
	all, err := s.readSchema(from)
	if err != nil {
		return nil, err
	}
	if s.r = r; sample == nil {
		s.r = all
	}
	s.fields = []table.Field{{Name: "x", Type: table.Float64}, {Name: "y", Type: table.Float64}, {Name: "z", Type: table.Float64}}
	s.top = s.root.child([]byte("properties"))
	if s.top == nil {
		s.top = &node{name: "properties", field: -1}
	}
	for _, c := range s.top.order {
		c.cutName(len("properties."))
	}
	s.fields = s.top.addFields(s.fields)
	for _, c := range s.root.order {
		switch c.name {
		case "type", "geometry", "bbox", "properties":
			continue
		}
		s.fields = (&node{order: []*node{c}}).addFields(s.fields)
	}
	if opt.Columns == [3]string{} && opt.Find == nil {
		opt.Columns = [3]string{"1", "2", "3"}
		for _, f := range s.fields {
			if f.Name == "1" || f.Name == "2" || f.Name == "3" { // names have priority over numbers
				opt.Columns = [3]string{"x", "y", "z"}
			}
		}
	}
	opt.Shard, opt.Shards, opt.Bytes = 0, 0, [2]int64{}
	return s, s.choose(-1, opt)
}

// cutName removes the first bytes of the names of n and of its descendants.
func (n *node) cutName(bytes int) {
	n.name = n.name[bytes:]
	for _, c := range n.order {
		c.cutName(bytes)
	}
}

func featureError(file string, number int64, reason string, err error) error {
	reason = strings.ReplaceAll(reason, "of the line", "of the feature")
	if err == nil {
		return fmt.Errorf("%s: feature %d: %s", file, number, reason)
	}
	return fmt.Errorf("%s: feature %d: %s: %w", file, number, reason, err)
}

// parseMember parses a member of a feature. It returns false for a foreign member, which it does
// not parse.
func (s *Source) parseMember(text []byte, start int, m *member, f *feature, row []cell, strange *bool, depth int, visit func(*node, int) func(*member) error) (done bool, err error) {
	twice := func(was bool) error {
		if was {
			return fmt.Errorf("the key %s occurs twice", quote.Word(m.Raw))
		}
		return nil
	}
	value := text[m.start:m.end]
	switch string(m.Text()) {
	case "type":
		if string(value) != `"Feature"` {
			return true, fmt.Errorf("the type is %s: expected \"Feature\"", quote.Word(value))
		}
		err, f.isFeature = twice(f.isFeature), true
	case "geometry":
		if err, f.geometry = twice(f.geometry), true; err == nil {
			err = s.parseGeometry(text, start, m, f, row, strange, depth)
		}
	case "properties":
		if err, f.properties = twice(f.properties), true; err != nil {
			return true, err
		}
		switch m.kind {
		case jsontext.Null:
			f.place, f.last = instead, m.start
		case jsontext.Object:
			_, f.last, err = scanObject(text, m.start, depth+1, visit(s.top, depth+1))
			f.empty = f.last == m.start+1
		default:
			err = fmt.Errorf("the properties are %s: expected an object or null", quote.Word(value))
		}
	case "bbox":
	default:
		return false, nil
	}
	return true, err
}

// parseGeometry finds the coordinates of a Point. A null has no coordinates.
func (s *Source) parseGeometry(text []byte, start int, m *member, f *feature, row []cell, strange *bool, depth int) error {
	if m.kind == jsontext.Null {
		return nil
	}
	if m.kind != jsontext.Object {
		return fmt.Errorf("the geometry is %s: expected an object or null", quote.Word(text[m.start:m.end]))
	}
	kind, list := "", member{}
	_, _, err := scanObject(text, m.start, depth+1, func(m *member) error {
		switch string(m.Text()) {
		case "type":
			kind = string(text[m.start:m.end])
		case "coordinates":
			if list.Raw != nil {
				return fmt.Errorf("the key \"coordinates\" occurs twice")
			}
			list = *m
		case "bbox":
		default:
			*strange = true // a foreign member, which has no column
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case kind != `"Point"`:
		return fmt.Errorf("the geometry has the type %s: expected \"Point\". The command ogr2ogr -explodecollections splits a MultiPoint or a GeometryCollection of points into features", quote.Word(strings.Trim(kind, `"`)))
	case list.kind != jsontext.List || list.Raw == nil:
		return fmt.Errorf("a Point needs a list of coordinates")
	}
	n := 0
	for i := skipBlanks(text, list.start+1); text[i] != ']'; n++ {
		end, kind, err := scanValue(text, i, depth+2)
		if err != nil {
			return err
		}
		if kind != jsontext.Number {
			return fmt.Errorf("the coordinates have %s: expected numbers", quote.Word(text[i:end]))
		}
		if n < 3 {
			row[n] = cell{int32(start + i), int32(start + end)}
		} else {
			*strange = true // a fourth number has no column
		}
		if i = skipBlanks(text, end); text[i] == ',' {
			i = skipBlanks(text, i+1)
		}
	}
	if f.flat = n == 2; n == 1 {
		return fmt.Errorf("the coordinates have one number: expected x, y and z")
	}
	return nil
}

// finishFeature checks a feature and stores where its answers are inserted. It returns the index of
// this place in the line.
func (s *Source) finishFeature(r *blockRows, f *feature, last int) (int, error) {
	if !f.isFeature {
		return 0, fmt.Errorf("there is no \"type\": expected a Feature")
	}
	if f.flat {
		for _, k := range s.axes {
			if k == 2 {
				return 0, fmt.Errorf("the coordinates have two numbers and no z: add a height to each point, or name a property that has the height, such as --columns x,y,height")
			}
		}
	}
	if f.properties {
		last = f.last
	} else {
		f.place = missing
	}
	r.places = append(r.places, f.place)
	return last, nil
}

// insertObject appends the answers as an object, for a feature without properties.
func (p *passthrough) insertObject(dst []byte, b *table.Block, k int, at place) []byte {
	if at == missing {
		dst = append(dst, `,"properties":`...)
	}
	from := len(dst)
	dst = p.answers.answers(dst, b, k, p.answers.keys)
	dst[from] = '{' // instead of the comma
	return append(dst, '}')
}
