package text

import (
	"bytes"
	"fmt"

	"github.com/inpoly/inpoly/points/table"
)

// bom is the byte order mark of UTF-8.
var bom = []byte("\xef\xbb\xbf")

// foreign are the first bytes of formats that are known but not read.
var foreign = []struct{ magic, name string }{
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
	for _, f := range foreign {
		if bytes.HasPrefix(sample, []byte(f.magic)) {
			return fmt.Errorf("%s: %w: this is %s", file, table.ErrFormat, f.name)
		}
	}
	if i := bytes.IndexByte(sample, 0); i >= 0 {
		return fmt.Errorf("%s: %w: NUL at byte %d: neither UTF-8 text nor .npy (UTF-16 text must be saved as UTF-8)", file, table.ErrFormat, i)
	}
	if i := bytes.IndexByte(sample, '\r'); i >= 0 && bytes.IndexByte(sample, '\n') < 0 && i < len(sample)-1 {
		return fmt.Errorf("%s: %w: lines end in CR alone (byte %d): want LF or CR LF", file, table.ErrFormat, i)
	}
	return nil
}
