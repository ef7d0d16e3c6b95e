package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zipped returns the start of a ZIP archive whose first file has the given name.
func zipped(name string) string {
	h := make([]byte, 30)
	copy(h, "PK\x03\x04")
	binary.LittleEndian.PutUint16(h[26:], uint16(len(name)))
	return string(h) + name + "\x00\x00\x00\x00"
}

// contentOfForeign lists the first bytes of files in foreign formats.
var contentOfForeign = []struct{ name, content, format, hint string }{
	{"step", "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('FreeCAD Model'),'2;1');\nFILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\n", "a STEP file", "FreeCAD"},
	{"step with a byte order mark", "\xef\xbb\xbfISO-10303-21;\r\nHEADER;\r\n", "a STEP file", "FreeCAD"},
	{"step after an empty line", "\nISO-10303-21;\nHEADER;", "a STEP file", "FreeCAD"},
	{"ifc", "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');\nFILE_SCHEMA (('IFC2X3'));\nENDSEC;\n", "an IFC file", "IfcConvert"},
	{"iges", "Start section of the file" + strings.Repeat(" ", 47) + "S      1\n1H,,1H;,", "an IGES file", "FreeCAD"},
	{"iges with zeros", strings.Repeat(" ", 72) + "S0000001\r\n1H,,1H;,", "an IGES file", "FreeCAD"},
	{"brep", "\nCASCADE Topology V1, (c) Matra-Datavision\nLocations 1\n1\n", "an Open CASCADE BREP file", "FreeCAD"},
	{"brep with shape", "DBRep_DrawableShape\n\nCASCADE Topology V1, (c) Matra-Datavision\n", "an Open CASCADE BREP file", "FreeCAD"},
	{"binary brep", "\nOpen CASCADE Topology V3 (c)\nLocations", "an Open CASCADE BREP file", "FreeCAD"},
	{"fcstd", zipped("Document.xml"), "a FreeCAD file", "FreeCAD"},
	{"parasolid", "**ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz**************************\n**PARASOLID", "a Parasolid file", "program that wrote"},
	{"acis", "ACIS BinaryFile\x00\x00", "an ACIS file", "program that wrote"},
	{"jt", "Version 10.5 JT  DM 7.3.4.0\n\r\n    ", "a JT file", "program that wrote"},
	{"ole", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00", "a file of a CAD or office program (OLE)", "program that wrote"},
	{"rhino", "3D Geometry File Format       70\x01\x00", "a Rhino file", "program that wrote"},
	{"dwg", "AC1032\x00\x00\x00\x00", "a DWG file", "STL"},
	{"dxf", "  0\r\nSECTION\r\n  2\r\nHEADER\r\n", "a DXF file", "STL"},
	{"dxf with comments", "999\nwritten by a program\n0\nSECTION\n2\nENTITIES\n", "a DXF file", "STL"},
	{"binary dxf", "AutoCAD Binary DXF\r\n\x1a\x00\x00SECTION", "a DXF file", "STL"},
	{"blend", "BLENDER-v300REND", "a Blender file", "Blender"},
	{"fbx", "Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c", "an FBX file", "Blender"},
	{"text fbx", "; FBX 7.3.0 project file\n; ----------", "an FBX file", "Blender"},
	{"usda", "#usda 1.0\n(\n)\n", "a USD file", "Blender"},
	{"usdc", "PXR-USDC\x00\x08\x00\x00", "a USD file", "Blender"},
	{"usdz", zipped("scene.usdc"), "a USD file", "Blender"},
	{"collada", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\">", "a COLLADA file", "Blender"},
	{"vrml", "#VRML V2.0 utf8\n\nShape {}", "a VRML or X3D file", "Blender"},
	{"x3d", "<?xml version=\"1.0\"?><!DOCTYPE X3D><X3D profile='Immersive'>", "a VRML or X3D file", "Blender"},
	{"amf", "<?xml version=\"1.0\"?>\n<amf unit=\"millimeter\">", "an AMF file", "Blender"},
	{"3ds", "MM\x10\x00\x00\x00\x02\x00\x0a\x00\x00\x00\x03\x00\x00\x00", "a 3D Studio file", "Blender"},
	{"lwo", "FORM\x00\x00\x10\x00LWO2TAGS", "a LightWave file", "Blender"},
	{"vtkhdf", "\x89HDF\r\n\x1a\n\x00\x00", "an HDF5 file", "ParaView"},
	{"citygml", "<?xml version=\"1.0\"?>\n<core:CityModel xmlns:core=\"http://www.opengis.net/citygml/2.0\">", "a CityGML file", "citygml-tools"},
	{"geojson", " {\"features\":[{\"a\":1}],\"type\":\"FeatureCollection\"}", "a GeoJSON file", "CityJSON"},
	{"geojson feature", "{\"type\":\"Feature\",\"geometry\":", "a GeoJSON file", "CityJSON"},
}

func TestForeignContent(t *testing.T) {
	for _, c := range contentOfForeign {
		for _, name := range []string{"part", "part.stl", "part.obj"} {
			_, _, err := Read(context.Background(), name, strings.NewReader(c.content), Options{})
			checkForeign(t, c.name+" as "+name, err, c.format, c.hint)
		}
	}
}

func TestForeignSuffix(t *testing.T) {
	for name, format := range map[string]string{
		"part.STEP": "a STEP file", "part.stp.gz": "a STEP file", "a.igs": "an IGES file", "a.sldprt": "a SolidWorks file",
		"a.x_t": "a Parasolid file", "a.prt": "a Creo or NX file", "a.ipt": "an Inventor file", "a.fbx": "an FBX file",
		"a.usd": "a USD file", "a.htg": "a VTK file", "a.pvtu": "a list of VTK files", "a.pvts": "a list of VTK files", "a.vtm": "a list of VTK files", "a.vtkhdf": "an HDF5 file", "a.dae": "a COLLADA file", "a.dwg": "a DWG file",
		"a.gml": "a CityGML file", "a.geojson.gz": "a GeoJSON file",
	} {
		// The content is a valid OBJ file, but no signature identifies OBJ.
		_, _, err := Read(context.Background(), name, strings.NewReader("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), Options{})
		checkForeign(t, name, err, format, "")
		if _, _, err := Read(context.Background(), name, strings.NewReader("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"), Options{Format: OBJ}); err != nil {
			t.Errorf("%s as OBJ: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "part.step")
	if err := os.WriteFile(path, []byte("ISO-10303-21;\nHEADER;"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load(context.Background(), path, Options{})
	checkForeign(t, path, err, "a STEP file", "FreeCAD")
}

func checkForeign(t *testing.T, what string, err error, format, hint string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !errors.Is(err, ErrUnsupported) || !strings.Contains(err.Error(), "the file is "+format+", which ") ||
		e.Hint == "" || !strings.Contains(e.Hint, hint) {
		t.Errorf("%s: error %v, want that the file is %s", what, err, format)
		if e != nil {
			t.Logf("hint %q", e.Hint)
		}
	}
}

// A binary STL file stays STL, whatever its header says.
func TestForeignHeaderOfSTL(t *testing.T) {
	for _, c := range contentOfForeign {
		data := make([]byte, 84+50)
		copy(data[:80], c.content)
		binary.LittleEndian.PutUint32(data[80:], 1)
		copy(data[84+12+12:], "\x00\x00\x80\x3f")
		s, info, err := Read(context.Background(), "part", bytes.NewReader(data), Options{})
		if err != nil || info.Format != STL || len(s.Faces) != 1 {
			t.Errorf("%s: format %v, error %v, want one triangle of STL", c.name, info.Format, err)
		}
	}
}
