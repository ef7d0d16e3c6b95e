package las_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/table"
)

// FuzzLAS copies each valid input to an output. Without answers, the output must equal the input. With
// answers, the output must be valid, and each output record must begin with the input record.
// FuzzLAS also reads all fields, and converts the input to LAS and PLY.
func FuzzLAS(f *testing.F) {
	rng := rand.New(rand.NewPCG(31, 32))
	everyFormat(func(minor, format int) {
		file := randomFile(rng, minor, format, 3)
		if minor >= 4 {
			file.describe(rng)
		}
		f.Add([]byte(file.String()), format%2 == 0, uint8(50*minor))
	})
	f.Fuzz(func(t *testing.T, data []byte, stream bool, block uint8) {
		text, opt := string(data), las.Options{Block: int(block)}
		if src, err := files.Open(text, stream, opt); err == nil && src.Format() == "laz" {
			src.Close()
			return // for FuzzLAZ
		}
		files.CheckPassthrough(t, text, stream, opt, rows)
		converted(t, text)
	})
}

// converted converts a LAS file to LAS and PLY.
func converted(t *testing.T, text string) {
	t.Helper()
	for _, convert := range []func(table.Source, []table.Column) (table.Sink, error){las.Convert, ply.Convert} {
		src, err := files.Open(text, false, las.Options{Block: 100})
		if err != nil || len(src.Fields()) > 100 {
			return
		}
		sink, err := convert(src, testcloud.AllColumns)
		if err != nil {
			continue
		}
		out, err := testcloud.Pass(src, sink, testcloud.AllColumns, -1, func(k int64) bool { return k%3 == 1 })
		if err != nil {
			continue
		}
		if strings.HasPrefix(out, "ply") {
			cloud, err := ply.New("a.ply", strings.NewReader(out), nil, -1, ply.Options{})
			if err != nil {
				t.Fatalf("%v: %q", err, out)
			}
			err = testcloud.ReadAll(cloud)
			if err != nil {
				t.Fatalf("%v: %q", err, out)
			}
			continue
		}
		files.Rows(t, out, rows)
	}
}

// rows returns the records of the points of b. It fails if a field cannot be read.
func rows(src *las.Source, b *table.Block) (list []string, err error) {
	var v table.Values
	for i := range src.Fields()[:min(100, len(src.Fields()))] {
		if err := src.Values(b, i, &v); err != nil || len(v.Floats)+len(v.Ints) != len(b.Points) {
			return nil, fmt.Errorf("field %d: %v, %d values of %d", i, err, len(v.Floats)+len(v.Ints), len(b.Points))
		}
	}
	size := len(b.Raw) / len(b.Points)
	for k := range b.Points {
		list = append(list, string(b.Raw[k*size:][:size]))
	}
	return list, nil
}
