package meshopt

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
)

// record is a stream and its content, as testdata/streams.mjs writes them.
type record struct {
	View
	stream, content []byte
	state           int32 // see streams.mjs
}

// States of a record; see streams.mjs.
const (
	refusedByBoth = 0
	sound         = 2
)

// cutRecord returns the first record of data and the rest of data.
func cutRecord(t testing.TB, data []byte) (record, []byte) {
	t.Helper()
	var head [8]int32
	if _, err := binary.Decode(data, binary.LittleEndian, &head); err != nil {
		t.Fatal(err)
	}
	data = data[4*len(head):]
	r := record{View: View{Mode(head[0]), Filter(head[1]), int(head[3]), int(head[4])}, state: head[7]}
	r.stream, data = data[:head[5]], data[head[5]:]
	r.content, data = data[:head[6]], data[head[6]:]
	return r, data
}

// decode decodes a stream. Its result is nil if the stream is refused.
func decode(v View, stream []byte) ([]byte, error) {
	if err := v.Check(stream); err != nil {
		return nil, err
	}
	content := make([]byte, v.Size())
	if err := v.Decode(content, stream, func() error { return nil }); err != nil {
		return nil, err
	}
	return content, nil
}

// near reports whether two results of a filter are equal, up to one unit in the last place if the
// specification allows it (appendix B).
func near(v View, a, b []byte) bool {
	if v.Filter == None || v.Filter == Exponential {
		return bytes.Equal(a, b)
	}
	for i := range a {
		if v.Stride == 4 {
			if d := int8(a[i] - b[i]); d < -1 || d > 1 {
				return false
			}
		} else if i%2 == 0 {
			if d := int16(binary.LittleEndian.Uint16(a[i:]) - binary.LittleEndian.Uint16(b[i:])); d < -1 || d > 1 {
				return false
			}
		}
	}
	return true
}

// checkRecords compares Decode with meshoptimizer. A sound stream must give the same content. A stream
// with a defect can be refused by both. If this package accepts it, meshoptimizer must have accepted
// it with the same content. It returns the numbers of equal contents and of refused streams.
func checkRecords(t *testing.T, data []byte) (equal, refused int) {
	t.Helper()
	for i := 0; len(data) > 0; i++ {
		var r record
		r, data = cutRecord(t, data)
		got, err := decode(r.View, r.stream)
		switch {
		case err != nil && r.state == sound:
			t.Errorf("record %d, %+v: %v, want it accepted", i, r.View, err)
		case err != nil:
			refused++
		case r.state == refusedByBoth:
			t.Errorf("record %d, %+v: meshoptimizer refuses the stream, but Decode accepts it", i, r.View)
		case !near(r.View, got, r.content):
			t.Errorf("record %d, %+v: the content differs", i, r.View)
		default:
			equal++
		}
	}
	return equal, refused
}

// TestGolden decodes small streams that meshoptimizer 1.3.0 has written. The file is the output of
// testdata/streams.mjs with the arguments 5, 60 and 40, compressed with gzip.
func TestGolden(t *testing.T) {
	equal, refused := checkRecords(t, golden(t))
	t.Log(equal, "streams are equal,", refused, "are refused")
	if equal < 60 {
		t.Errorf("%d streams were accepted, want all 60 without a defect", equal)
	}
}

// golden returns the records of the file in testdata.
func golden(t testing.TB) []byte {
	t.Helper()
	f, err := os.Open("testdata/streams.bin.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestStreams compares Decode with the npm package meshoptimizer, on random streams of all modes,
// filters and versions. The variable INPOLY_NPM names a folder whose node_modules has the package.
func TestStreams(t *testing.T) {
	folder := os.Getenv("INPOLY_NPM")
	if folder == "" {
		t.Skip("INPOLY_NPM is not set")
	}
	script, err := filepath.Abs("testdata/streams.mjs")
	if err != nil {
		t.Fatal(err)
	}
	rounds := 2
	if os.Getenv("INPOLY_FULL") != "" {
		rounds = 40
	}
	for seed := range rounds {
		cmd := exec.CommandContext(t.Context(), "node", script, strconv.Itoa(seed), "400", "5001")
		cmd.Dir = folder
		cmd.Stderr = os.Stderr
		data, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		equal, refused := checkRecords(t, data)
		t.Logf("seed %d: %d streams are equal, %d are refused", seed, equal, refused)
		if equal < 400 {
			t.Errorf("seed %d: %d streams were accepted, want all 400 without a defect", seed, equal)
		}
	}
}
