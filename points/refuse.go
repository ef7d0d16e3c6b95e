package points

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/inpoly/inpoly/points/table"
)

// refusals lists the formats that Open recognizes by their first bytes but cannot read.
var refusals = []struct {
	signature string
	err       table.FormatError
}{
	{"ASTM-E57", table.FormatError{Name: "an E57 scan (.e57)", Hint: "convert it to LAS with PDAL: pdal translate scan.e57 scan.las, or save it as PLY or PCD in CloudCompare"}},
	{"ARROW1", table.FormatError{Name: "an Arrow IPC file, also called Feather", Hint: arrowHint}},
	{"FEA1", table.FormatError{Name: "a Feather file of version 1", Hint: arrowHint}},
	{"\xff\xff\xff\xff", table.FormatError{Name: "an Arrow IPC stream", Hint: arrowHint}},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", table.FormatError{Name: "an Excel workbook (.xls)", Hint: "save the sheet as CSV, or run: libreoffice --headless --convert-to csv points.xls"}},
	{"\x00\x00\x27\x0a", table.FormatError{Name: "a shapefile (.shp or .shx)", Hint: ogrHint + "points.shp"}},
	{"SQLite format 3\x00", table.FormatError{Name: "an SQLite database, such as a GeoPackage (.gpkg)", Hint: ogrHint + "points.gpkg"}},
	{"\x89HDF\r\n\x1a\n", table.FormatError{Name: "an HDF5 file", Hint: "save the array of the points as .npy with h5py and NumPy"}},
	{"MATLAB 5.0 MAT-file", table.FormatError{Name: "a MATLAB file (.mat)", Hint: "save the points with writematrix(p, \"points.csv\")"}},
	{"ITEM: TIMESTEP", table.FormatError{Name: "a dump of LAMMPS", Hint: "save the atoms of one step as .xyz: dump 1 all xyz 1 atoms.xyz, or export them from OVITO"}},
	{"ITEM: UNITS", table.FormatError{Name: "a dump of LAMMPS", Hint: "save the atoms of one step as .xyz: dump 1 all xyz 1 atoms.xyz, or export them from OVITO"}},
	{"\xfd7zXZ\x00", table.FormatError{Name: "compressed with xz", Hint: "decompress it: xz -dc points.xz | inpoly mesh -"}},
	{"BZh", table.FormatError{Name: "compressed with bzip2", Hint: "decompress it: bzip2 -dc points.bz2 | inpoly mesh -"}},
}

const (
	arrowHint = "convert it to Parquet with pyarrow: pyarrow.parquet.write_table(pyarrow.feather.read_table(\"points.feather\"), \"points.parquet\")"
	ogrHint   = "convert it to CSV with GDAL: ogr2ogr -f CSV -lco GEOMETRY=AS_XYZ points.csv "
)

// refusal returns the error for a file that begins with magic, or nil.
func refusal(magic []byte) error {
	for i := range refusals {
		r := &refusals[i]
		if !bytes.HasPrefix(magic, []byte(r.signature)) || r.signature == "BZh" && !isBzip2(magic) {
			continue
		}
		return &r.err
	}
	if isDBF(magic) {
		return &table.FormatError{Name: "a dBASE table (.dbf)", Hint: "convert it to CSV with GDAL: ogr2ogr -f CSV points.csv points.dbf. The coordinates of a shapefile are in its .shp file"}
	}
	return nil
}

// isBzip2 reports whether the header of bzip2 ends with the magic number of a block or of the end.
func isBzip2(b []byte) bool {
	return len(b) >= 10 && b[3] >= '1' && b[3] <= '9' && slices.Contains([]string{"1AY&SY", "\x17\x72\x45\x38\x50\x90"}, string(b[4:10]))
}

// isDBF reports whether b is the header of a dBASE table ("Xbase File Format Description", E.
// Bachmann): the version, the date, and the lengths of the header and of a record. The header has 32
// bytes, 32 bytes for each field and one more byte.
func isDBF(b []byte) bool {
	const header = 32
	if len(b) < header || !slices.Contains([]byte{0x02, 0x03, 0x30, 0x31, 0x43, 0x83, 0x8b, 0xf5}, b[0]) {
		return false
	}
	length, record := binary.LittleEndian.Uint16(b[8:]), binary.LittleEndian.Uint16(b[10:])
	const foxPro = 263 // more bytes in the header of Visual FoxPro
	return b[2] >= 1 && b[2] <= 12 && b[3] >= 1 && b[3] <= 31 && record > 0 && length > header &&
		(length%32 == 1 || (length-foxPro)%32 == 1) && b[12] == 0 && b[13] == 0
}
