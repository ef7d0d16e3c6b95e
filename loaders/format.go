package loaders

import (
	"fmt"
	"strings"

	registry "github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/loaders/internal/gltf"
	"github.com/inpoly/inpoly/loaders/internal/obj"
	"github.com/inpoly/inpoly/loaders/internal/off"
	"github.com/inpoly/inpoly/loaders/internal/ply"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/loaders/internal/stl"
	"github.com/inpoly/inpoly/loaders/internal/threemf"
)

// Format names a file format.
type Format uint8

// These are the file formats. The zero value Auto makes Load and Read recognize the format.
const (
	Auto Format = iota
	STL
	OBJ
	PLY
	OFF
	GLTF // glTF as JSON, with data URIs or external buffers
	GLB  // GLB, the binary container of glTF
	ThreeMF
	MSH      // meshes of Gmsh
	VTK      // VTK: polygonal data, grids and image data, in legacy files and XML files
	CityJSON // CityJSON, and sequences of CityJSON features
)

// formats lists the formats. If several signatures match the content, the first of these formats is
// used. STL comes first because the header of binary STL can contain any text.
var formats = [...]soup.Format{
	STL:      named(stl.Format()),
	OBJ:      named(obj.Format()),
	PLY:      named(ply.Format()),
	OFF:      named(off.Format()),
	GLTF:     named(gltf.Format()),
	GLB:      named(gltf.BinaryFormat()),
	ThreeMF:  named(threemf.Format()),
	MSH:      named(mshFormat()),
	VTK:      named(vtkFormat()),
	CityJSON: named(asCityJSON(cityJSONFormat())),
}

// named returns f with the suffixes of its row in the list of formats.
func named(f soup.Format) soup.Format {
	f.Suffixes = registry.Named(f.Name).Suffixes
	return f
}

func names() []string {
	var list []string
	for _, f := range formats[Auto+1:] {
		list = append(list, f.Name)
	}
	return list
}

// String returns the name of the format, which is its usual suffix without the dot, such as "stl".
func (f Format) String() string {
	switch {
	case f == Auto:
		return "auto"
	case int(f) < len(formats):
		return formats[f].Name
	}
	return fmt.Sprintf("format(%d)", uint8(f))
}

// ParseFormat returns the format with the given name: stl, obj, ply, off, gltf, glb, 3mf, msh, vtk,
// cityjson or auto, in upper or lower case. Errors: ErrUnknownFormat.
func ParseFormat(name string) (Format, error) {
	for f := range formats {
		if strings.EqualFold(Format(f).String(), name) {
			return Format(f), nil
		}
	}
	return Auto, fmt.Errorf("%w %q, must be one of %s", ErrUnknownFormat, name, strings.Join(names(), ", "))
}

// detect returns the format of a file, or Auto if nothing identifies it. It tries the signatures,
// then the suffix of the name, then a guess from the content. If the file has a format that this
// package does not read, detect also returns this format.
func detect(name string, data []byte) (Format, *foreign) {
	if !formats[STL].Signature(data) { // the header of binary STL can contain any text
		if f := foreignContent(data); f != nil {
			return Auto, f
		}
	}
	for i, f := range formats {
		if f.Signature != nil && f.Signature(data) {
			return Format(i), nil
		}
	}
	for i, f := range formats {
		if registry.HasSuffix(name, f.Suffixes...) {
			return Format(i), nil
		}
	}
	if f := foreignSuffix(name); f != nil {
		return Auto, f
	}
	for i, f := range formats {
		if f.Guess != nil && f.Guess(data) {
			return Format(i), nil
		}
	}
	return Auto, nil
}

// ParseParts returns the value of Options.AllParts with the given name: typed or all. It ignores the case of
// letters.
func ParseParts(name string) (all bool, err error) {
	if all = strings.EqualFold(name, "all"); !all && !strings.EqualFold(name, "typed") {
		return false, fmt.Errorf("unknown parts %q: expected typed or all", name)
	}
	return all, nil
}
