package points

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// TestRefused checks that formats that cannot be read are recognized, also compressed, and that each
// error has a hint.
func TestRefused(t *testing.T) {
	archive := func(names ...string) string {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range names {
			if _, err := z.Create(name); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	zeros := strings.Repeat("\x00", 100)
	for in, want := range map[string]string{
		"ASTM-E57\x01" + zeros:                                     "E57",
		"ARROW1\x00\x00" + zeros:                                   "Arrow IPC file",
		"FEA1" + zeros:                                             "Feather",
		"\xff\xff\xff\xff\x78\x01\x00\x00\x10" + zeros:             "Arrow IPC stream",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + zeros:                 ".xls",
		"\x00\x00\x27\x0a" + zeros:                                 "shapefile",
		"SQLite format 3\x00" + zeros:                              "GeoPackage",
		"\x89HDF\r\n\x1a\n" + zeros:                                "HDF5",
		"MATLAB 5.0 MAT-file, Platform" + zeros:                    "MATLAB",
		"\xfd7zXZ\x00" + zeros:                                     "xz",
		"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\n" + zeros:    "LAMMPS",
		"ITEM: UNITS\nlj\nITEM: TIMESTEP\n0\n" + zeros:             "LAMMPS",
		"BZh91AY&SY" + zeros:                                       "bzip2",
		"\x03\x7b\x04\x1f\x05\x00\x00\x00\xa1\x00\x21\x00" + zeros: "dBASE",
		archive("[Content_Types].xml", "xl/workbook.xml"):          ".xlsx",
		archive("mimetype", "content.xml"):                         "OpenDocument",
		archive("[Content_Types].xml", "3D/3dmodel.model"):         "3MF",
		archive("doc.kml"):                                         "KMZ",
		archive("points.csv"):                                      "zip archive without NumPy arrays",
		archive():                                                  "zip archive without NumPy arrays",
	} {
		for _, packed := range [][]byte{[]byte(in), pack(t, []byte(in), "gzip"), pack(t, []byte(in), "zstd")} {
			_, err := readAll(packed, Options{})
			var e *table.FormatError
			if !errors.As(err, &e) || !errors.Is(err, table.ErrFormat) || !strings.Contains(err.Error(), want) || e.Hint == "" {
				t.Errorf("%.20q: %v, want %s", in, err, want)
			}
		}
	}
	for _, text := range []string{"BZh,y,z\n1,2,3\n", "MATLAB,x,y,z\n1,2,3,4\n"} {
		if _, err := readAll([]byte(text), Options{}); errors.As(err, new(*table.FormatError)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
