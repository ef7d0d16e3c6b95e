package loaders

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/unpack"
)

const fuzzLimit = 64 << 20

// fuzzRead reads data in the given format. The result must be a valid soup, or an *Error that names
// the file.
func fuzzRead(t *testing.T, data []byte, format Format) {
	soup, _, err := Read(context.Background(), "fuzz", bytes.NewReader(data), Options{Format: format, MaxMemory: fuzzLimit})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.File != "fuzz" || soup != nil {
			t.Fatalf("got %#v and soup %v, want an *Error alone", err, soup)
		}
		return
	}
	checkSoup(t, soup)
}

// fuzzPieces reads data in small pieces and in one piece. The results must be equal.
func fuzzPieces(t *testing.T, data []byte, format Format) {
	if name := unpack.Detect(data); name != "" || len(bytes.TrimSpace(data)) == 0 {
		return
	}
	sameReading(t, data, format, 1, 50)
}

func FuzzSTL(f *testing.F) {
	for _, data := range []string{
		"solid a\n" + facet + "endsolid a\nsolid b\n" + facet + "endsolid b\n",
		strings.ReplaceAll("solid a "+facet+"endsolid a", "\n", " "),
		binarySTL("solid", 2, 2), binarySTL("", 2, 3), binarySTL("", 1, 1) + "x",
		gzipped("solid a\n" + facet), utf16Text(binary.LittleEndian, "solid a\n"+facet),
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, data, STL)
		fuzzPieces(t, data, STL)
		sameContent(t, "", "a.stl", string(data), Options{})
	})
}

func FuzzOBJ(f *testing.F) {
	for _, data := range []string{
		"o a\n" + square + "f 1 2 3\nf -4/1 -3//2 -2/1/2 -1\ng b\nl 1 2\nf 1 2 \\\n4\n",
		square + "v .5 .5 0\nf 1 2 5 3 4\nf 1 5 2 3 4\nf 1 2 2 1 3 3\n",
		"v 1e400 0 0\n", "f 9 9 9\n", utf16Text(binary.LittleEndian, square+"f 1 2 3\n"),
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, data, OBJ)
		fuzzPieces(t, data, OBJ)
	})
}

func FuzzPLY(f *testing.F) {
	for _, data := range []string{
		plyHead("ascii", plyXYZ, plyTwo) + plyFour + "3 0 1 2\n4 0 1 2 3\n",
		plyHead("ascii", plyOne, plyXYZ, "element tristrips 1\nproperty list int int vertex_indices") + "3 0 1 2\n" + plyFour + "6 0 1 2 -1 3 2\n",
		plyHead("binary_little_endian", plyXYZ, plyOne) + packSquare(binary.LittleEndian) + pack(binary.LittleEndian, uint8(3), []int32{0, 1, 2}),
		plyHead("binary_big_endian", "element vertex 3\nproperty int8 x\nproperty uint16 y\nproperty list char double l\nproperty double z", plyOne),
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, data, PLY)
		fuzzPieces(t, data, PLY)
	})
}

func FuzzOFF(f *testing.F) {
	for _, data := range []string{
		"OFF\n4 2 0\n" + offFour + "3 0 1 2\n4 0 1 2 3 255 0 0\n",
		"STCNOFF 4 1 0 # c\n" + strings.ReplaceAll(offFour, "\n", " 0 0 1 1 0 0 1 .5 .5\n") + "3 0 1 2\n",
		"nOFF 3 4 1 0 " + strings.ReplaceAll(offFour, "\n", " ") + "3 0 1 2",
		"OFF BINARY\n" + pack(binary.BigEndian, []int32{4, 1, 0}) + packSquare(binary.BigEndian) + pack(binary.BigEndian, []int32{3, 0, 1, 2, 0}),
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) { fuzzRead(t, data, OFF) })
}
