package vtkxml

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/golang/geo/r3"
)

// TestHeader parses headers with any names. The offsets must be the sums of the lengths of the arrays, each with
// eight bytes for its length.
func TestHeader(t *testing.T) {
	name := "<a b=\"\x1b[31m\">&'\n\x00é\xff"
	cells := []Array{{Name: name, Type: Float64, Bytes: 16}, {Name: "b", Type: UInt8, Components: []string{name, "y"}, Bytes: 4}}
	image := Image([3]int{1, 2, 1}, r3.Vector{X: -0.5}, r3.Vector{X: 1, Y: 2, Z: 3}, &[3]r3.Vector{{Y: -1}, {X: 1}, {Z: 1}})
	for _, f := range []*File{image, Hexahedra(12, 2)} {
		f.Cells, f.Texts = cells, []Texts{{Name: name, List: []string{name, ""}}}
		header, ok := strings.CutSuffix(string(f.Header()), "<AppendedData encoding=\"raw\">\n   _")
		if !ok {
			t.Fatalf("%q", f.Header())
		}
		offset, arrays := uint64(0), f.Arrays()
		seen := 0
		d := xml.NewDecoder(strings.NewReader(header + "</VTKFile>"))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			e, ok := token.(xml.StartElement)
			if !ok || e.Name.Local != "DataArray" {
				continue
			}
			attributes := map[string]string{}
			for _, a := range e.Attr {
				attributes[a.Name.Local] = a.Value
			}
			a := &arrays[seen]
			if attributes["offset"] != fmt.Sprint(offset) || attributes["type"] != string(a.Type) || len(a.Length()) != 8 {
				t.Errorf("array %d: %v, want offset %d, %s", seen, attributes, offset, a.Type)
			}
			if seen == 0 && attributes["Name"] != "<a b=\"\ufffd[31m\">&'\n\ufffdé\ufffd" {
				t.Errorf("name %q", attributes["Name"])
			}
			offset += 8 + a.Bytes
			seen++
		}
		if seen != len(arrays) {
			t.Errorf("%d arrays, want %d", seen, len(arrays))
		}
	}
	if text := string(image.Header()); !strings.Contains(text, `Origin="-0.5 0 0" Spacing="1 2 3" Direction="0 -1 0 1 0 0 0 0 1"`) {
		t.Error(text)
	}
}
