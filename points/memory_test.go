package points_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/internal/testlaz"
	"github.com/inpoly/inpoly/points/table"
)

// largestHeap copies the points of a file and returns the largest heap that is in use.
func largestHeap(t *testing.T, path, format string, workers int) int64 {
	t.Helper()
	r, err := points.Open(path, points.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var mu sync.Mutex
	most := uint64(0)
	job := points.Job{Format: format, Workers: workers, Answer: func(context.Context, *table.Block) error {
		mu.Lock()
		defer mu.Unlock()
		runtime.GC() // so that garbage does not count
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
		return nil
	}}
	if sum, err := job.Run(t.Context(), r, io.Discard); err != nil || sum.Rows != r.Rows() {
		t.Fatalf("%d rows of %d: %v", sum.Rows, r.Rows(), err)
	}
	return int64(most)
}

// TestLargeChunks copies LAZ files whose blocks have chunks of 64 MB or more. The number of workers must not
// multiply the memory of a block.
func TestLargeChunks(t *testing.T) {
	size, full := 64<<20, os.Getenv("INPOLY_FULL") == "1"
	if full {
		size = 256 << 20
	}
	for i, c := range []struct {
		name               string
		format, recordSize int
		size               int // bytes of the records of a chunk
	}{
		{"layered", 6, 30, size},
		{"large records", 6, 60_000, size},
		{"extra bytes with models", 0, 60_000, 1 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "large.laz")
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := testlaz.WriteEqual(f, c.format, c.recordSize, 9, c.size/c.recordSize); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			const workers = 8
			formats := []string{"las", "laz"}
			if !full {
				formats = map[int][]string{2: {"las"}}[i]
			}
			for _, format := range formats {
				// The blocks of a job have up to 288 MB, or one block has more: its records and their points, 28
				// bytes each. The formatted rows have as many bytes as the records. Each worker has a decoder of up
				// to 10 MB.
				limit := 2*max(288<<20, 2*int64(c.size)) + workers*10<<20
				if format == "laz" {
					// The records of chunks that are encoded have up to 64 MB and 2 MB for each processor, and there
					// are two more chunks of 64 MB. Each encoder of long records has up to 120 MB.
					limit += 3*64<<20 + (2+120)<<20*int64(min(3, runtime.GOMAXPROCS(0)))
				}
				got := largestHeap(t, path, format, workers)
				t.Logf("to %s: %d MB", format, got>>20)
				if got > limit {
					t.Errorf("to %s: %d bytes in use, want at most %d", format, got, limit)
				}
			}
		})
	}
}

// TestLAZLargeRecords writes records that are so long that 50,000 of them have more than 64 MB. The chunks have
// fewer points, in a run and in an interrupted run.
func TestLAZLargeRecords(t *testing.T) {
	const size = 60_000
	var in bytes.Buffer
	if err := testlaz.WriteEqual(&in, 6, size, 4, 350); err != nil {
		t.Fatal(err)
	}
	packed, err := rewriteBytes(in.Bytes(), "laz")
	if err != nil {
		t.Fatal(err)
	}
	want, err := rewriteBytes(in.Bytes(), "las")
	if err != nil {
		t.Fatal(err)
	}
	got, err := rewriteBytes(packed, "las")
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%d bytes, want %d: %v", len(got), len(want), err)
	}
	body := packed[bytes.Index(packed, []byte(laz.UserID))+16+36:]
	if v, err := laz.ParseVLR(body); err != nil || v.ChunkSize != 64<<20/size {
		t.Errorf("chunks of %d points: %v", v.ChunkSize, err)
	}
	resumed(t, in.Bytes())
}
