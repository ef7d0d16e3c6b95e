// Package geojson reads point clouds in GeoJSON (RFC 7946): a FeatureCollection, or a sequence of
// features, one in each line or after each record mark (RFC 8142). The rows are the features. The
// geometry of a feature must be a Point, or null for a point without coordinates. A conversion reads
// the coordinates as x, y and z, and the members of "properties" as other columns.
//
// Source.Passthrough writes the features with the answers in "properties", each feature in one line.
// The other members of the FeatureCollection, such as "crs", stay before and after the features. Only
// white space changes.
//
// Package jsonl parses the rows. The memory does not depend on the size of the file. The rows of a
// shard are the features that begin in its part of the file. The reader finds them by reading all
// features before them.
package geojson

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/inpoly/inpoly/internal/pointio"
	"github.com/inpoly/inpoly/internal/quote"
	"github.com/inpoly/inpoly/points/internal/jsonl"
	"github.com/inpoly/inpoly/points/table"
)

// Options select the rows, and the fields of x, y and z.
type Options = pointio.Options

// lines is a reader that returns each feature in a line.
type lines struct {
	scanner
	collection bool
	lo, hi     int64 // features that begin at the offsets [lo, hi)
	prefix     []byte
	suffix     []byte
	out        []byte // a feature
	read       int    // bytes of out that are read
	number     int64
	ended      bool
	err        error
}

// newLines reads the text before the first feature.
func newLines(r io.Reader, lo, hi int64) (*lines, error) {
	l := &lines{scanner: scanner{br: bufio.NewReaderSize(r, Head)}, lo: lo, hi: hi}
	if head, _ := l.br.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = l.br.Discard(len(head))
		l.pos = int64(len(head))
	}
	head, _ := l.br.Peek(l.br.Size())
	switch kind := Detect(head); kind {
	case Collection:
		l.collection = true
		return l, l.open()
	case Feature:
		return l, nil
	default:
		return nil, fmt.Errorf("%w: GeoJSON of the type %s: expected a FeatureCollection of Points, or features in lines. The command ogr2ogr -explodecollections writes one from any points", table.ErrFormat, quote.Word(kind))
	}
}

// open reads the members of the collection up to "features".
func (l *lines) open() error {
	if _, err := l.next(&l.prefix); err != nil {
		return cutOff(err)
	}
	l.take(&l.prefix)
	for {
		key, err := l.key(&l.prefix)
		if err != nil {
			return err
		}
		c, err := l.next(&l.prefix)
		switch {
		case err != nil:
			return cutOff(err)
		case key == "features" && c == '[':
			l.take(&l.prefix)
			return nil
		case key == "features":
			return l.errorf("the features are not a list")
		}
		if l.prefix, err = l.value(l.prefix, maxOther); err != nil {
			return err
		}
		if len(l.prefix) > maxOther {
			return l.tooLong()
		}
		if c, err = l.next(&l.prefix); err != nil {
			return cutOff(err)
		}
		if c != ',' {
			return l.errorf("expected a comma and the member \"features\", found %s", quote.Word([]byte{c}))
		}
		l.take(&l.prefix)
	}
}

func (l *lines) Read(p []byte) (int, error) {
	for l.read == len(l.out) {
		if l.err != nil {
			return 0, l.err
		}
		l.out, l.read = l.out[:0], 0
		if l.err = l.feature(); l.err != nil && !errors.Is(l.err, io.EOF) {
			l.err = fmt.Errorf("feature %d: %w", l.number+1, l.err)
		}
	}
	n := copy(p, l.out[l.read:])
	l.read += n
	return n, nil
}

// feature reads the next feature into l.out, unless it begins outside the shard.
func (l *lines) feature() error {
	if l.ended {
		return io.EOF
	}
	c, err := l.next(nil)
	switch {
	case l.collection && err == nil && c == ']' && l.number == 0:
		return l.close()
	case !l.collection && errors.Is(err, io.EOF):
		l.ended = true
		return io.EOF
	case err != nil:
		return cutOff(err)
	case c != '{':
		return l.errorf("expected a feature, found %s", quote.Word([]byte{c}))
	}
	at := l.pos
	if l.out, err = l.value(l.out, maxFeature); err != nil {
		return err
	}
	l.number++
	if l.out = append(l.out, '\n'); at < l.lo || at >= l.hi {
		l.out = l.out[:0]
	}
	if !l.collection {
		return nil
	}
	if c, err = l.next(nil); err != nil {
		return cutOff(err)
	}
	switch c {
	case ',':
		l.take(nil)
		if c, err = l.next(nil); err == nil && c == ']' {
			return l.errorf("expected a feature after the comma, found %s", quote.Word([]byte{c}))
		}
		return nil
	case ']':
		return l.close()
	}
	return l.errorf("expected a comma or a bracket, found %s", quote.Word([]byte{c}))
}

// close reads the text after the last feature.
func (l *lines) close() error {
	l.ended = true
	l.take(&l.suffix)
	for {
		c, err := l.next(&l.suffix)
		switch {
		case err != nil:
			return cutOff(err)
		case c == '}':
			l.take(&l.suffix)
			if c, err = l.next(nil); err == nil {
				return l.errorf("expected the end of the file after the collection, found %s", quote.Word([]byte{c}))
			}
			if !errors.Is(err, io.EOF) {
				return err
			}
			return l.check()
		case c != ',':
			return l.errorf("expected a comma or a brace, found %s", quote.Word([]byte{c}))
		}
		l.take(&l.suffix)
		if _, err := l.key(&l.suffix); err != nil {
			return err
		}
		if l.suffix, err = l.value(l.suffix, maxOther); err != nil {
			return err
		}
		if len(l.suffix) > maxOther {
			return l.tooLong()
		}
	}
}

// check checks the text before and after the features. The collection must be valid JSON and have the
// right type.
func (l *lines) check() error {
	var c struct{ Type string }
	if err := json.Unmarshal(append(bytes.Clone(l.prefix), l.suffix...), &c); err != nil {
		return fmt.Errorf("the text before or after the features is not valid: %w", err)
	}
	if c.Type != Collection {
		return fmt.Errorf("the type is %s: expected a FeatureCollection", quote.Word(c.Type))
	}
	return nil
}

// Source reads features. It implements table.Source.
type Source struct {
	*jsonl.Source
	in *lines
}

// New reads the text before the first feature, and finds the columns in the first features. The given
// name is the name of the file in error messages. For a plain file, the io.ReaderAt is the file, and
// the size is its size in bytes. For a stream and for decompressed data, the io.ReaderAt is nil and
// the size is −1.
//
// Errors: table.ErrFormat for GeoJSON without features. New and Fill fail for geometries other than
// points. Fill also fails for points without z, unless Options.Columns names another column for z.
func New(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	s, err := open(name, r, at, size, opt)
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(name string, r io.Reader, at io.ReaderAt, size int64, opt Options) (*Source, error) {
	named := func(err error) error { return fmt.Errorf("%s: %w", name, err) }
	if opt.Bytes != [2]int64{} {
		return nil, named(errors.New("a range of bytes does not select features, because they are found only by reading all features before them: use shards"))
	}
	lo, hi := int64(0), int64(math.MaxInt64)
	if err := opt.Restrict(&lo, &hi, size); err != nil {
		return nil, named(err)
	}
	in, err := newLines(r, lo, hi)
	if err != nil {
		return nil, named(err)
	}
	var sample io.Reader
	if opt.Shards > 1 { // opt selects a shard, and the first features of the file can be in another shard
		if sample, err = newLines(io.NewSectionReader(at, 0, size), 0, math.MaxInt64); err != nil {
			return nil, named(err)
		}
	}
	rows, err := jsonl.NewFeatures(name, sample, in, opt)
	if err != nil {
		return nil, err
	}
	return &Source{rows, in}, nil
}

// String describes the input in a few words.
func (s *Source) String() string {
	if s.in.collection {
		return "geojson, collection"
	}
	return "geojson, features in lines"
}

// pass writes the features of a collection with commas between them.
type pass struct {
	table.Sink
	src   *Source
	begun bool // a feature is written
}

var _ table.Resumer = (*pass)(nil)

// Passthrough returns a sink that copies the features and adds the answers to their properties.
func (s *Source) Passthrough(cols []table.Column) (table.Sink, error) {
	sink, err := s.Source.Passthrough(cols)
	if err != nil || !s.in.collection {
		return sink, err
	}
	return &pass{Sink: sink, src: s}, nil
}

func (p *pass) Begin(w io.Writer, _ int64) error {
	_, err := w.Write(append(bytes.Clone(p.src.in.prefix), '\n'))
	return err
}

// Format puts a comma after each feature.
func (p *pass) Format(b *table.Block) error {
	if err := p.Sink.Format(b); err != nil {
		return err
	}
	b.Out = bytes.ReplaceAll(b.Out, []byte("\n"), []byte(",\n"))
	return nil
}

// Write writes the features of b without the comma after the last one.
func (p *pass) Write(w io.Writer, b *table.Block) error {
	out := bytes.TrimSuffix(b.Out, []byte(",\n"))
	if len(out) == 0 {
		return nil
	}
	if p.begun {
		if _, err := io.WriteString(w, ",\n"); err != nil {
			return err
		}
	}
	p.begun = true
	_, err := w.Write(out)
	return err
}

func (p *pass) End(w io.Writer) error {
	end := []byte("\n")
	if !p.begun {
		end = nil
	}
	_, err := w.Write(append(append(end, p.src.in.suffix...), '\n'))
	return err
}

func (p *pass) State() ([]byte, error) { return json.Marshal(p.begun) }

func (p *pass) Resume(_ int64, state []byte) error {
	if err := json.Unmarshal(state, &p.begun); err != nil {
		return fmt.Errorf("geojson: cannot read the state of an earlier run: %w", err)
	}
	return nil
}
