package laz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"github.com/inpoly/inpoly/points/internal/laz"
)

// readDamaged reads a file that may be damaged, with and without its chunk table. It fails if an error
// is not typed.
func readDamaged(t *testing.T, data []byte) {
	t.Helper()
	check := func(err error) {
		if err != nil && !errors.Is(err, errNotLAS) && !errors.Is(err, laz.ErrDamaged) && !errors.Is(err, laz.ErrUnsupported) {
			t.Fatalf("error of type %T: %v", err, err)
		}
	}
	f, err := parseLAS(data)
	if err != nil {
		check(err)
		return
	}
	if f.vlr == nil || f.points > 1<<20 {
		return
	}
	_, err = f.decode()
	check(err)
	if f.vlr.Compressor == laz.PointwiseChunked || f.vlr.Compressor == laz.LayeredChunked {
		chunks, err := laz.FindChunks(bytes.NewReader(data), f.vlr, f.pointData, f.points, int64(len(data)))
		check(err)
		for _, c := range chunks {
			if c.Points < 1 || c.Bytes < 1 || c.Offset < f.pointData || c.Offset+c.Bytes > int64(len(data)) {
				t.Fatalf("FindChunks returns %v for a file of %d bytes", c, len(data))
			}
		}
	}
}

// smallFiles returns files of n points, of all formats and versions.
func smallFiles(t testing.TB, n int) (files [][]byte) {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	for format, size := range recordSizes {
		for _, v := range vlrs(t, format, size+2) {
			for _, chunk := range []uint32{uint32(max(1, n/5)), laz.VariableChunks} {
				v.ChunkSize = chunk
				rows := randomRows(rng, []cloudKind{scan, mixed}[len(files)%2], format, size+2, n)
				files = append(files, wholeFile(t, v, format, rows))
			}
			if format < 6 {
				rows := randomRows(rng, scan, format, size+2, n)
				files = append(files, pointwiseFile(t, v, format, rows))
			}
		}
	}
	return files
}

// pointwiseFile returns a file of compressor 1, which has neither chunks nor a chunk table.
func pointwiseFile(t testing.TB, v *laz.VLR, format int, rows []byte) []byte {
	t.Helper()
	v.ChunkSize = laz.DefaultChunkSize
	e, err := laz.NewEncoder(v)
	if err != nil {
		t.Fatal(err)
	}
	v.Compressor = laz.Pointwise
	data := wholeFile(t, v, format, nil)
	binary.LittleEndian.PutUint32(data[107:], uint32(len(rows)/v.RecordLength()))
	binary.LittleEndian.PutUint64(data[247:], uint64(len(rows)/v.RecordLength()))
	data, err = e.Append(data[:binary.LittleEndian.Uint32(data[96:])], rows)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Damaged files give typed errors, and need little memory. INPOLY_FULL=1 reads 20,000 of them.
func TestDamage(t *testing.T) {
	rounds := 1000
	if os.Getenv("INPOLY_FULL") == "1" {
		rounds = 20_000
	}
	files := smallFiles(t, 300)
	for i, data := range files {
		f, err := parseLAS(data)
		if err == nil {
			_, err = f.decode()
		}
		if err != nil {
			t.Fatalf("file %d without damage: %v", i, err)
		}
	}
	const seed = 21
	rng := rand.New(rand.NewPCG(seed, 0))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for round := range rounds {
		data := bytes.Clone(files[round%len(files)])
		pointData := int(binary.LittleEndian.Uint32(data[96:]))
		for range 1 + rng.IntN(4) {
			at := rng.IntN(len(data))
			switch rng.IntN(5) {
			case 0:
				at = 375 + 54 + rng.IntN(pointData-375-54) // the VLR
			case 1:
				at = pointData + rng.IntN(120)
			case 2:
				at = len(data) - 1 - rng.IntN(30) // the chunk table
			}
			at = min(at, len(data)-1)
			switch rng.IntN(4) {
			case 0:
				data[at] ^= 1 << rng.IntN(8)
			case 1:
				data[at] = byte(rng.Uint32())
			case 2:
				for i := at; i < min(at+8, len(data)); i++ {
					data[i] = byte(rng.IntN(2) * 0xFF)
				}
			case 3:
				if rng.IntN(4) == 0 {
					data = data[:max(at, 600)]
				}
			}
		}
		readDamaged(t, data)
	}
	runtime.ReadMemStats(&after)
	// A decoder of 300 points needs about 2 MB.
	if each := (after.TotalAlloc - before.TotalAlloc) / uint64(rounds); each > 64<<20 {
		t.Errorf("seed %d: %d bytes for each file", seed, each)
	}
}

// Truncated files give an error, at any length.
func TestTruncated(t *testing.T) {
	for i, data := range smallFiles(t, 300) {
		for end := 600; end < len(data); end += 97 {
			f, err := parseLAS(data[:end])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.decode(); !errors.Is(err, laz.ErrDamaged) {
				t.Fatalf("file %d with %d of %d bytes: got %v, want ErrDamaged", i, end, len(data), err)
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range smallFiles(f, 12) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<20 {
			return
		}
		readDamaged(t, data)
	})
}

// FuzzRoundTrip encodes any bytes as records.
func FuzzRoundTrip(f *testing.F) {
	f.Add(uint8(0), uint8(0), []byte("twenty bytes are one record, and these are more than two records"))
	f.Add(uint8(10), uint8(3), bytes.Repeat([]byte("0123456789"), 40))
	f.Fuzz(func(t *testing.T, format, extra uint8, rows []byte) {
		k := int(format) % len(recordSizes)
		size := recordSizes[k] + int(extra%8)
		rows = rows[:len(rows)/size*size]
		if len(rows) == 0 {
			return
		}
		for _, v := range vlrs(t, k, size) {
			d, err := laz.NewDecoder(v)
			if err != nil {
				t.Fatal(err)
			}
			e, err := laz.NewEncoder(v)
			if err != nil {
				t.Fatal(err)
			}
			checkRoundTrip(t, "fuzz", d, e, rows, len(rows)/size)
		}
	})
}
