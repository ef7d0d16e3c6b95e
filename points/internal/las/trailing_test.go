package las_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
)

// Bytes after the last extended record of a LAZ file, whose chunk table is before these records, are counted.
func TestBytesAfterRecordsOfLAZ(t *testing.T) {
	f := randomFile(rand.New(rand.NewPCG(51, 52)), 4, 6, 40)
	f.evlrs, f.tailGap = []vlr{{"u", 1, "", []byte("abc")}}, nil
	src, err := files.Open(f.String(), false, las.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sink, err := las.ConvertPacked(src, nil)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := testcloud.Pass(src, sink, nil, src.Rows(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"", "x", strings.Repeat("x", 40), strings.Repeat("x", 200)} {
		src, err := files.Open(packed+more, false, las.Options{})
		if err == nil {
			err = testcloud.ReadAll(src)
		}
		if err != nil || src.Trailing() != int64(len(more)) {
			t.Errorf("%d bytes more: %d are counted, error %v", len(more), src.Trailing(), err)
		}
	}
}
