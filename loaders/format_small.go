//go:build small

package loaders

import (
	"strings"

	"github.com/inpoly/inpoly/loaders/internal/scan"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// The small build does not read these formats. It recognizes their files and returns
// ErrUnsupported.

func mshFormat() soup.Format {
	return absent("msh", func(data []byte) bool { return scan.FirstWord(data) == "$MeshFormat" })
}

func vtkFormat() soup.Format {
	const head = "# vtk DataFile"
	return absent("vtk", func(data []byte) bool {
		return len(data) >= len(head) && strings.EqualFold(string(data[:len(head)]), head) || contains("<VTKFile", 1024, "<")(data)
	})
}

func cityJSONFormat() soup.Format { return absent("cityjson", nil) }

// absent returns a format that the small build refuses.
func absent(name string, signature func([]byte) bool) soup.Format {
	return soup.Format{Name: name, Signature: signature, Read: func(*soup.Source, *soup.Builder) error {
		return soup.AtPath("", ErrUnsupported, "the small build of inpoly does not read the format %s", name).
			WithHint("convert the file with the command inpoly, or export the mesh as GLB, PLY or STL")
	}}
}
