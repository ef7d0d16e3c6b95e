//go:build small

package vtk

import "github.com/inpoly/inpoly/loaders/internal/soup"

func read(*soup.Source, *soup.Builder) error {
	return soup.AtPath("", soup.ErrUnsupported, "the file is a VTK file, and this build does not read VTK files").
		WithHint("export its surface as PLY or STL, for example with ParaView (filter Extract Surface)")
}
