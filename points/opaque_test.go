package points

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/inpoly/inpoly/points/table"
)

// TestOpaque checks that a conversion rejects opaque fields before it reads any row. If the output
// has the format of the input, opaque fields must be copied.
func TestOpaque(t *testing.T) {
	list := []byte("ply\nformat ascii 1.0\nelement vertex 1\nproperty double x\nproperty double y\nproperty double z\n" +
		"property list uchar int near\nend_header\n.25 .5 .75 2 7 8\n")
	for _, c := range []struct {
		format, want string
		in           []byte
	}{
		{"ply", `column "near" is a list`, list},
		{"parquet", `column "at" is a list`, parquetOf(t, struct {
			X, Y, Z float64
			At      []int32 `parquet:"at"`
		}{X: 1})},
		{"parquet", `column "code" is of the type FIXED_LEN_BYTE_ARRAY`, parquetOf(t, struct {
			X, Y, Z float64
			Code    [5]byte `parquet:"code"`
		}{X: 1})},
	} {
		path := filepath.Join(t.TempDir(), "in")
		if err := os.WriteFile(path, c.in, 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for _, format := range OutputFormats() {
			_, err := r.Sink(format, insideColumn)
			if format == c.format {
				if err != nil {
					t.Errorf("%s: %v", format, err)
				}
				continue
			}
			want := fmt.Sprintf("%s: %s, which inpoly cannot convert to %s: keep the format %s, or remove the column first", path, c.want, format, c.format)
			if !errors.Is(err, table.ErrCannotHold) || !strings.HasPrefix(fmt.Sprint(err), want) {
				t.Errorf("%s: %v, want %s", format, err, want)
			}
		}
	}
}

// parquetOf returns a Parquet file of one row.
func parquetOf[T any](t *testing.T, row T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out)
	if _, err := w.Write([]T{row}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
