package text

import (
	"bytes"
	"fmt"

	"github.com/inpoly/inpoly/points/table"
)

// otherFormats lists magic numbers of formats that are not text. Error messages name these formats.
var otherFormats = []struct{ magic, name string }{
	{"ply\n", "a PLY file"},
	{"ply\r", "a PLY file"},
	{"LASF", "a LAS or LAZ file"},
	{"PAR1", "a Parquet file"},
	{"PARE", "an encrypted Parquet file"},
	{"PK\x03\x04", "a zip archive (npz, xlsx, 3mf)"},
	{"\x89HDF", "an HDF5 file"},
	{"glTF", "a glTF mesh"},
	{"# .PCD", "a PCD file"},
	{"BZh", "bzip2"},
	{"\xfd7zXZ", "xz"},
	{"\xff\xfe", "UTF-16 text: save it as UTF-8"},
	{"\xfe\xff", "UTF-16 text: save it as UTF-8"},
}

// refuseBinary returns an error for a sample that is not text.
func refuseBinary(file string, sample []byte) error {
	if len(sample) == 0 {
		return fmt.Errorf("%s: %w: the file is empty", file, table.ErrFormat)
	}
	for _, f := range otherFormats {
		if bytes.HasPrefix(sample, []byte(f.magic)) {
			return fmt.Errorf("%s: %w: this is %s", file, table.ErrFormat, f.name)
		}
	}
	if isJSONList(sample) {
		return fmt.Errorf("%s: %w: this is a JSON list: save it as JSON Lines, with one object in each line, or as CSV", file, table.ErrFormat)
	}
	if i := bytes.IndexByte(sample, 0); i >= 0 {
		return fmt.Errorf("%s: %w: byte %d is NUL: the file is neither UTF-8 text nor .npy (save UTF-16 text as UTF-8)", file, table.ErrFormat, i)
	}
	if i := bytes.IndexByte(sample, '\r'); i >= 0 && bytes.IndexByte(sample, '\n') < 0 && i < len(sample)-1 {
		return fmt.Errorf("%s: %w: a line ends in CR without LF at byte %d: lines must end in LF or CR LF", file, table.ErrFormat, i)
	}
	return nil
}

// isJSONList reports whether the sample begins with a JSON list of objects or lists. A list that does not
// go on in the first line is also one.
func isJSONList(sample []byte) bool {
	if len(sample) == 0 || sample[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(sample[1:], " \t\r")
	return len(rest) > 0 && bytes.IndexByte([]byte("[{\n"), rest[0]) >= 0
}
