package las_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/internal/las"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/internal/testlaz"
	"github.com/inpoly/inpoly/points/table"
)

// recordAt returns the place of the content of the LASzip record of a file.
func recordAt(file string) int {
	const idAndText = 2 + 2 + 32 // after the user ID, which has 16 bytes
	return strings.Index(file, laz.UserID) + 16 + idAndText
}

// lazFiles returns small LAZ files of all point formats, with and without a chunk table, and COPC files.
func lazFiles(t testing.TB) (list []string) {
	t.Helper()
	rng := rand.New(rand.NewPCG(41, 42))
	everyFormat(func(minor, format int) {
		f := randomFile(rng, minor, format, 12)
		if minor >= 4 {
			f.describe(rng)
		}
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
		list = append(list, packed)
		points := le.Uint32([]byte(packed[96:]))
		b := []byte(packed)
		if format%3 == 0 { // the writer stopped early
			le.PutUint64(b[points:], uint64(points))
			list = append(list, string(b))
		}
		if format < 6 && len(f.evlrs) == 0 { // compressor 1 has no chunks
			table := le.Uint64([]byte(packed[points:]))
			b = append([]byte(packed[:points]), packed[points+8:table]...)
			le.PutUint16(b[recordAt(packed):], uint16(laz.Pointwise))
			list = append(list, string(b))
		}
	})
	for depth, perNode := range []int{40, 9, 2} {
		var b bytes.Buffer
		if _, err := testlaz.WriteCOPC(&b, depth, perNode, nil); err != nil {
			t.Fatal(err)
		}
		list = append(list, b.String())
	}
	return list
}

// readLAZ reads a file that can be damaged, skips some nodes, and converts the rest. Only the header can
// cause errors without a type. If the file is valid, its compressed copy must have the same points.
func readLAZ(t testing.TB, data string, stream bool, block int, mask uint64) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		for _, typed := range []error{laz.ErrDamaged, laz.ErrUnsupported, table.ErrFormat, table.ErrNodeBox, table.ErrCannotHold, io.ErrUnexpectedEOF} {
			if errors.Is(err, typed) {
				return
			}
		}
		t.Fatalf("error without a type: %v", err)
	}
	src, err := files.Open(data, stream, las.Options{Block: block})
	if err != nil {
		if !strings.HasPrefix(err.Error(), files.File) {
			t.Fatalf("the error does not name the file: %v", err)
		}
		return
	}
	defer src.Close()
	if src.Format() != "laz" || src.Rows() > 1<<16 || len(src.Fields()) > 100 {
		return
	}
	total := src.Rows()
	skips := false
	if nodes, err := src.Nodes(); err == nil {
		skip := make([]bool, len(nodes))
		for i, n := range nodes {
			if skip[i] = mask>>(i%64)&1 != 0; skip[i] {
				skips, total = true, total-n.Points
			}
		}
		src.SkipNodes(skip)
	}
	var kept []string
	err = eachBlock(src, func(b *table.Block) error {
		list, err := rows(src, b)
		kept = append(kept, list...)
		return err
	})
	if err != nil {
		check(err)
		return
	}
	if int64(len(kept)) != total {
		t.Fatalf("%d points, want %d", len(kept), total)
	}
	if skips {
		return
	}
	again, err := files.Open(data, stream, las.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	sink, err := las.ConvertPacked(again, nil)
	if err != nil {
		check(err)
		return
	}
	packed, err := testcloud.Pass(again, sink, nil, again.Rows(), nil)
	if err != nil {
		check(err)
		return
	}
	if copied := files.Rows(t, packed, rows); len(copied) != len(kept) {
		t.Fatalf("%d points, want %d", len(copied), len(kept))
	} else {
		for k := range kept {
			if copied[k] != kept[k] {
				t.Fatalf("point %d of the copy differs", k)
			}
		}
	}
}

// eachBlock parses all blocks of src.
func eachBlock(src table.Source, do func(*table.Block) error) error {
	var b table.Block
	for {
		switch err := src.Fill(&b); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := src.Parse(&b); err != nil {
			return err
		}
		if err := do(&b); err != nil {
			return err
		}
	}
}

// FuzzLAZ reads LAZ and COPC files.
func FuzzLAZ(f *testing.F) {
	for i, text := range lazFiles(f) {
		f.Add([]byte(text), i%3 == 0, uint16(1000), uint64(0x5a5a))
	}
	f.Fuzz(func(t *testing.T, data []byte, stream bool, block uint16, mask uint64) {
		readLAZ(t, string(data), stream, 1+int(block), mask)
	})
}

// damage changes some bytes of the header, the records, the points, the chunk table or the hierarchy.
func damage(rng *rand.Rand, text string) string {
	b := []byte(text)
	points := int(le.Uint32(b[96:]))
	record := recordAt(text)
	for range 1 + rng.IntN(4) {
		at := rng.IntN(len(b))
		switch rng.IntN(6) {
		case 0:
			at = 96 + rng.IntN(40) // offsets, counts and sizes
		case 1:
			at = record + rng.IntN(60)
		case 2:
			at = points + rng.IntN(100)
		case 3:
			at = len(b) - 1 - rng.IntN(80) // the chunk table or the hierarchy
		case 4:
			at = 375 + 54 + rng.IntN(160) // the info record of COPC
		}
		at = min(at, len(b)-1)
		switch rng.IntN(5) {
		case 0:
			b[at] ^= 1 << rng.IntN(8)
		case 1:
			b[at] = byte(rng.Uint32())
		case 2:
			for i := at; i < min(at+8, len(b)); i++ {
				b[i] = byte(rng.IntN(2) * 0xFF)
			}
		case 3: // copies bytes, such as an entry of the hierarchy
			copy(b[at:min(at+32, len(b))], b[rng.IntN(len(b)):])
		case 4:
			if rng.IntN(4) == 0 {
				b = b[:max(at, 230)]
				points, record = min(points, len(b)-1), min(record, len(b)-1)
			}
		}
	}
	return string(b)
}

// Damaged LAZ and COPC files give errors of a known type, and need little memory. INPOLY_FULL=1 reads 20,000
// of them.
func TestDamagedLAZ(t *testing.T) {
	rounds := 1000
	if os.Getenv("INPOLY_FULL") == "1" {
		rounds = 20_000
	}
	list := lazFiles(t)
	for i, text := range list {
		src, err := files.Open(text, false, las.Options{})
		if err == nil {
			err = testcloud.ReadAll(src)
		}
		if err != nil {
			t.Fatalf("file %d without damage: %v", i, err)
		}
	}
	const seed = 43
	rng := rand.New(rand.NewPCG(seed, 0))
	var before, after runtime.MemStats
	for round := range rounds {
		text := damage(rng, list[round%len(list)])
		runtime.ReadMemStats(&before)
		readLAZ(t, text, rng.IntN(4) == 0, 1+rng.IntN(2000), rng.Uint64())
		runtime.ReadMemStats(&after)
		// The buffers of a codec for these files have less than 10 MB, and readLAZ has up to five codecs.
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<20 {
			t.Errorf("seed %d, round %d: %d bytes for a file of %d bytes", seed, round, got, len(text))
		}
	}
}
