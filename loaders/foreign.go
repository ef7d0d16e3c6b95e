package loaders

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	registry "github.com/inpoly/inpoly/internal/formats"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

// foreign is a file format that this package recognizes but does not read. Users often have such a
// file where a mesh is expected.
type foreign struct {
	name     string   // name of the format with its article
	suffixes []string // suffixes in lower case without the dot
	// matches reports whether data certainly has this format. It can be nil.
	matches func(data []byte) bool
	// kind says what the format holds and how to convert it.
	kind foreignKind
}

type foreignKind int

const (
	curved      foreignKind = iota // curved surfaces in a format that free programs read
	proprietary                    // curved surfaces in a format of one vendor
	building                       // buildings
	city                           // cities in XML
	features                       // features of maps
	scene                          // scenes of triangles and other objects
	grid                           // grids and results of simulations
	list                           // lists of files of pieces
	drawing                        // drawings
)

// describe returns the content of a format and advice to the user.
func (k foreignKind) describe() (content, hint string) {
	switch k {
	case curved:
		return "which describes curved surfaces instead of triangles", "export the part as STL or 3MF, for example with FreeCAD"
	case proprietary:
		return "which describes curved surfaces in a format of its vendor", "export the part as STL or 3MF from the program that wrote the file"
	case building:
		return "which describes a building", "export the elements as OBJ or GLB, for example with IfcConvert"
	case city:
		return "which describes a city in XML", "convert the file to CityJSON, for example with citygml-tools: citygml-tools to-cityjson FILE"
	case features:
		return "which describes features of a map", "export the solids as CityJSON or OBJ; only points can be GeoJSON"
	case scene:
		return "which describes a scene", "export the meshes as GLB, OBJ or STL, for example with Blender"
	case grid:
		return "which describes a grid", "export its surface as PLY or STL, for example with ParaView (filter Extract Surface)"
	case list:
		return "which only lists other files", "read the files that it lists (such as .vtp or .vtu)"
	}
	return "which describes a drawing", "export the solid as STL from the program that wrote the file"
}

// foreigns lists the formats. If several formats match the content, the first one counts.
var foreigns = []foreign{
	{"an IFC file", []string{"ifc", "ifcxml", "ifczip"}, func(data []byte) bool { return isSTEP(data) && isIFC(data) }, building},
	{"a CityGML file", []string{"gml", "citygml"}, contains("opengis.net/citygml", 4096, "<"), city},
	{"a GeoJSON file", []string{"geojson", "geojsonl"}, isGeoJSON, features},
	{"a STEP file", []string{"step", "stp", "stpz", "stepz", "p21", "stpx"}, isSTEP, curved},
	{"an IGES file", []string{"iges", "igs"}, isIGES, curved},
	{"an Open CASCADE BREP file", []string{"brep", "brp"}, contains("CASCADE Topology V", 256, ""), curved},
	{"a FreeCAD file", []string{"fcstd"}, zipHolds("Document.xml"), curved},
	{"a Parasolid file", []string{"x_t", "x_b", "xmt_txt", "xmt_bin"}, starts("**ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"), proprietary},
	{"an ACIS file", []string{"sat", "sab"}, starts("ACIS BinaryFile", "ASM BinaryFile"), proprietary},
	{"a JT file", []string{"jt"}, func(data []byte) bool {
		return bytes.HasPrefix(data, []byte("Version ")) && bytes.Contains(data[:min(len(data), 80)], []byte(" JT "))
	}, proprietary},
	{"a SolidWorks file", []string{"sldprt", "sldasm", "slddrw"}, nil, proprietary},
	{"an Inventor file", []string{"ipt", "iam"}, nil, proprietary},
	{"a CATIA file", []string{"catpart", "catproduct", "cgr"}, starts("V5_CFV2"), proprietary},
	{"a Creo or NX file", []string{"prt", "neu"}, starts("#UGC:2 "), proprietary},
	{"a file of a CAD or office program (OLE)", nil, starts("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), proprietary},
	{"a Rhino file", []string{"3dm"}, starts("3D Geometry File Format "), proprietary},
	{"a SketchUp file", []string{"skp"}, starts("\xff\xfe\xff\x0eS\x00k\x00e\x00t\x00c\x00h\x00U\x00p\x00"), scene},
	{"a DWG file", []string{"dwg"}, isDWG, drawing},
	{"a DXF file", []string{"dxf"}, isDXF, drawing},
	{"a Blender file", []string{"blend"}, starts("BLENDER"), scene},
	{"an FBX file", []string{"fbx"}, func(data []byte) bool {
		return bytes.HasPrefix(data, []byte("Kaydara FBX Binary")) || contains("FBX ", 32, "; FBX ")(data)
	}, scene},
	{"a USD file", []string{"usd", "usda", "usdc", "usdz"}, func(data []byte) bool {
		return starts("#usda ", "PXR-USDC")(data) || slices.ContainsFunc([]string{".usd", ".usda", ".usdc"}, func(suffix string) bool {
			return strings.HasSuffix(firstInZip(data), suffix)
		})
	}, scene},
	{"a COLLADA file", []string{"dae", "zae"}, contains("<COLLADA", 4096, "<"), scene},
	{"a VRML or X3D file", []string{"wrl", "vrml", "x3d", "x3dv"}, func(data []byte) bool {
		return starts("#VRML V", "#X3D V")(data) || contains("<X3D", 4096, "<")(data)
	}, scene},
	{"an AMF file", []string{"amf"}, contains("<amf", 4096, "<"), scene},
	{"an Alembic file", []string{"abc"}, starts("Ogawa"), scene},
	{"a LightWave file", []string{"lwo"}, func(data []byte) bool {
		return len(data) > 12 && string(data[:4]) == "FORM" && strings.HasPrefix(string(data[8:12]), "LW")
	}, scene},
	{"a 3D Studio file", []string{"3ds", "max"}, is3DS, scene},
	{"a Draco file", []string{"drc"}, starts("DRACO"), scene},
	{"a U3D file", []string{"u3d"}, starts("U3D\x00"), scene},
	{"a VTK file", []string{"vth", "vthb", "htg"}, nil, grid},
	{"a list of VTK files", []string{"pvtp", "pvtu", "pvts", "pvtr", "pvti", "vtm", "pvd"}, nil, list},
	{"an HDF5 file", []string{"vtkhdf", "hdf", "hdf5", "h5"}, starts("\x89HDF\r\n\x1a\n"), grid},
}

// foreignContent returns the format of the content, or nil.
func foreignContent(data []byte) *foreign {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) // byte order mark of UTF-8
	for i := range foreigns {
		if f := &foreigns[i]; f.matches != nil && f.matches(data) {
			return f
		}
	}
	return nil
}

// foreignSuffix returns the format with a suffix that name ends in, or nil if there is none.
func foreignSuffix(name string) *foreign {
	for i := range foreigns {
		if f := &foreigns[i]; registry.HasSuffix(name, f.suffixes...) {
			return f
		}
	}
	return nil
}

// refuse returns an error that names the format and advises how to convert the file.
func (f *foreign) refuse() error {
	content, hint := f.kind.describe()
	return soup.AtPath("", ErrUnsupported, "the file is %s, %s", f.name, content).WithHint(hint)
}

// starts returns a function that reports whether data starts with one of the texts.
func starts(texts ...string) func(data []byte) bool {
	return func(data []byte) bool {
		return slices.ContainsFunc(texts, func(s string) bool { return bytes.HasPrefix(data, []byte(s)) })
	}
}

// contains returns a function that reports whether the first bytes of data, up to the number
// within, begin with start after blanks and contain text.
func contains(text string, within int, start string) func(data []byte) bool {
	return func(data []byte) bool {
		head := bytes.TrimLeft(data[:min(len(data), within)], " \t\r\n")
		return bytes.HasPrefix(head, []byte(start)) && bytes.Contains(head, []byte(text))
	}
}

// isSTEP reports whether data is a clear text exchange structure of ISO 10303-21.
func isSTEP(data []byte) bool {
	return contains("ISO-10303-21;", 128, "ISO-10303-21;")(data)
}

// isIFC reports whether the header of an exchange structure names a schema of IFC.
func isIFC(data []byte) bool {
	_, schema, found := bytes.Cut(data[:min(len(data), 8192)], []byte("FILE_SCHEMA"))
	return found && bytes.HasPrefix(bytes.TrimLeft(schema, " \t\r\n('\""), []byte("IFC"))
}

// isIGES reports whether the first line is the first line of the start section: 72 columns of text,
// the letter S, and the number 1 in seven columns.
func isIGES(data []byte) bool {
	const text, line = 72, 80
	return len(data) >= line && data[text] == 'S' && strings.TrimLeft(string(data[text+1:line]), " 0") == "1" && !bytes.ContainsAny(data[:line], "\r\n")
}

// isDWG reports whether data starts with a version of DWG, such as AC1032, and the zero bytes that
// follow it.
func isDWG(data []byte) bool {
	return len(data) >= 8 && bytes.HasPrefix(data, []byte("AC10")) && isDigit(data[4]) && isDigit(data[5]) && data[6] == 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isDXF reports whether data starts with a section of DXF. Comments, with the group code 999, can
// come first.
func isDXF(data []byte) bool {
	if bytes.HasPrefix(data, []byte("AutoCAD Binary DXF\r\n\x1a\x00")) {
		return true
	}
	rest := data[:min(len(data), 4096)]
	line := func() string {
		l, r, _ := bytes.Cut(rest, []byte("\n"))
		rest = r
		return string(bytes.TrimSpace(l))
	}
	code, value := line(), line()
	for code == "999" {
		code, value = line(), line()
	}
	return code == "0" && value == "SECTION"
}

// is3DS reports whether data is one chunk of 3D Studio with the identifier 4D4D and the size of
// data.
func is3DS(data []byte) bool {
	return len(data) >= 6 && data[0] == 'M' && data[1] == 'M' && uint64(binary.LittleEndian.Uint32(data[2:])) == uint64(len(data))
}

// zipHolds returns a function that reports whether the first file of a ZIP archive has the name.
func zipHolds(name string) func(data []byte) bool {
	return func(data []byte) bool { return firstInZip(data) == name }
}

// firstInZip returns the name of the first file of a ZIP archive, or "".
func firstInZip(data []byte) string {
	const nameLength, header = 26, 30 // positions in the local file header
	if len(data) < header || !bytes.HasPrefix(data, []byte("PK\x03\x04")) {
		return ""
	}
	n := int(binary.LittleEndian.Uint16(data[nameLength:]))
	return string(data[header:min(len(data), header+n)])
}
