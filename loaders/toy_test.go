package loaders

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// toyFormat returns the example format of CONTRIBUTING.md. The first line of a file is the word
// "tri". Each of the other lines has the nine coordinates of a triangle.
func toyFormat() soup.Format {
	signature := func(data []byte) bool { return strings.EqualFold(scan.FirstWord(data), "tri") }
	return soup.Format{Name: "tri", Signature: signature, Read: readToy}
}

func readToy(src *soup.Source, b *soup.Builder) error {
	if err := src.PlainText(); err != nil { // converts UTF-16, byte order marks and lone carriage returns
		return err
	}
	text := src.Data
	first := scan.LineEnd(text, 0)
	if !strings.EqualFold(strings.TrimSpace(string(text[:first])), "tri") {
		return soup.AtLine(1, soup.ErrSyntax, "the first line must be the word tri")
	}
	for i := first; ; {
		if i = scan.SkipSpace(text, i); i == len(text) {
			return nil
		}
		var corners [3]int32
		for k := range corners {
			var c [3]float64
			for axis := range c {
				x, next, ok := scan.Number(text, i)
				if !ok {
					return soup.AtLine(scan.LineAt(text, i), soup.ErrSyntax, "a triangle takes nine numbers")
				}
				c[axis], i = x, next
			}
			var err error
			if corners[k], err = b.AddVertex(r3.Vector{X: c[0], Y: c[1], Z: c[2]}); err != nil {
				return soup.AtLine(scan.LineAt(text, i-1), err, "corner %d", k)
			}
		}
		if err := b.AddTriangle(corners[0], corners[1], corners[2]); err != nil {
			return soup.AtLine(scan.LineAt(text, i-1), err, "triangle %d", len(b.Faces))
		}
		if err := src.Check(len(b.Faces)); err != nil {
			return err
		}
	}
}

// TestToyFormat reads valid and invalid files in the format toyFormat.
func TestToyFormat(t *testing.T) {
	read := func(data string) (string, error) {
		src := soup.NewSource(context.Background(), soup.Options{Size: -1})
		if err := src.Open(strings.NewReader(data)); err != nil {
			return "", err
		}
		if !toyFormat().Signature(src.Data) {
			return "", ErrUnknownFormat
		}
		s, err := build(src, soup.NewBuilder(src), readToy)
		if err != nil {
			return "", placed(err, "a.tri", Auto)
		}
		checkSoup(t, s)
		return describe(s), nil
	}
	const text = "tri\n0 0 0  1 0 0  0 1 0\n0 0 0  0 1 0  0 0 1\n"
	for _, data := range []string{text, gzipped(text), strings.ToUpper(text)} {
		got, err := read(data)
		if want := "0,0,0 1,0,0 0,1,0 \n0,0,0 0,1,0 0,0,1 \n\"\" 2\n"; got != want || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	}
	for _, c := range []struct {
		data, want string
		kind       error
	}{
		{"tri\n0 0 0 1 0 0 0 1\n", "a.tri: line 2: syntax error: a triangle takes nine numbers", ErrSyntax},
		{"tri\n\n0 0 0 1 0 0 0 1 nan\n", "a.tri: line 3: coordinate is not finite: corner 2", ErrNotFinite},
		{"tri 0 0 0 1 0 0 0 1 0\n", "a.tri: line 1: syntax error: the first line must be the word tri", ErrSyntax},
		{"tri\n", "a.tri: no triangles: 0 vertices, no faces", ErrNoTriangles},
	} {
		if _, err := read(c.data); !errors.Is(err, c.kind) || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.data, err, c.want)
		}
	}
}

// TestFormatList checks the list of formats. Names and suffixes must be unique and in lower case,
// and each format must have a reader.
func TestFormatList(t *testing.T) {
	seen := map[string]bool{"auto": true}
	for i := range formats[1:] {
		f := formats[1+i]
		if !slices.Contains(f.Suffixes, f.Name) {
			t.Errorf("format %d: its name %q is not among its suffixes %q", 1+i, f.Name, f.Suffixes)
		}
		for _, name := range f.Suffixes {
			if name == "" || seen[name] || name != strings.ToLower(name) {
				t.Errorf("format %d: suffix %q is empty, not in lower case or taken", 1+i, name)
			}
			seen[name] = true
			if got, _ := detect("a."+name+".gz", []byte("?")); got != Format(1+i) {
				t.Errorf("suffix %q: got %v", name, got)
			}
		}
		if f.Read == nil {
			t.Errorf("%s has no reader", f.Name)
		}
	}
}
