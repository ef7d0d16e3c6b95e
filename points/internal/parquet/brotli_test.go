package parquet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/parquet-go/parquet-go/format"
)

// TestBrotliTrailingBytes checks the error for bytes after the end of a Brotli stream.
func TestBrotliTrailingBytes(t *testing.T) {
	// "hello" as an uncompressed meta-block, followed by an empty last meta-block (RFC 7932, §9.2).
	stream := []byte("\x0b\x02\x80hello\x03")
	got, err := decompress(format.Brotli, stream, 5)
	if err != nil || string(got) != "hello" {
		t.Fatalf("%q, error %v, want hello", got, err)
	}
	for _, rest := range []string{"\x00", "\x03", "hello"} {
		if got, err := decompress(format.Brotli, append([]byte(stream), rest...), 5); !errors.Is(err, errCorrupt) {
			t.Errorf("%d bytes after the stream: %q, error %v, want %v", len(rest), got, err, errCorrupt)
		}
	}
}

// maxBrotliTest bounds the output of the streams in these tests.
const maxBrotliTest = 1 << 20

// checkBrotli checks that decompress accepts exactly the streams that the maintained decoder reads to the
// end of src, with the same bytes. It returns whether the stream is accepted.
func checkBrotli(t *testing.T, src []byte) bool {
	t.Helper()
	if len(src) == 0 {
		return false
	}
	in := bytes.NewReader(src)
	want, err := io.ReadAll(io.LimitReader(brotli.NewReader(in), maxBrotliTest+1))
	if len(want) > maxBrotliTest || err == nil && len(want) == 0 {
		return false // decompress knows the result of an empty page without decoding
	}
	valid := err == nil
	got, err := decompress(format.Brotli, src, len(want)+1)
	if err == nil {
		t.Fatalf("%x: %d bytes accepted, want an error for a page of %d bytes", src, len(got), len(want)+1)
	}
	if len(want) == 0 {
		return false
	}
	got, err = decompress(format.Brotli, src, len(want))
	if valid != (err == nil) {
		t.Fatalf("%x: error %v, but the maintained decoder accepts the stream: %t", src, err, valid)
	}
	if valid && !bytes.Equal(got, want) {
		t.Fatalf("%x: %x, want %x", src, got, want)
	}
	if len(want) > 1 {
		if _, err := decompress(format.Brotli, src, len(want)-1); err == nil {
			t.Fatalf("%x: accepted as a page of %d bytes, the stream has %d", src, len(want)-1, len(want))
		}
	}
	return valid
}

// brotliSeeds returns streams of all qualities of the encoder, and some that no encoder writes.
func brotliSeeds(t testing.TB) [][]byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 3000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	seeds := [][]byte{{0x3b}, {0x06}, []byte("\x0b\x02\x80hello\x03"), manyTrees(256), manyTrees(3)}
	for _, src := range [][]byte{
		{7}, random, bytes.Repeat([]byte("solid angle "), 500), bytes.Repeat(random[:40], 200), make([]byte, 70000),
		[]byte("The winding number of a closed surface is an integer, and this text has many words of the dictionary."),
	} {
		for quality := range 12 {
			var b bytes.Buffer
			w := brotli.NewWriterOptions(&b, brotli.WriterOptions{Quality: quality, LGWin: 10 + quality})
			if _, err := w.Write(src); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			seeds = append(seeds, b.Bytes())
		}
	}
	return seeds
}

// bitWriter writes numbers of bits, the lowest bit first.
type bitWriter struct {
	bytes []byte
	n     int
}

func (b *bitWriter) add(value uint64, count int) {
	for ; count > 0; count-- {
		if b.n%8 == 0 {
			b.bytes = append(b.bytes, 0)
		}
		b.bytes[b.n/8] |= byte(value&1) << (b.n % 8)
		value >>= 1
		b.n++
	}
}

// manyTrees returns a stream of one byte that declares the given number of prefix codes of 256 literals
// (RFC 7932, section 9.2). It is the most that a short stream can make a decoder compute.
func manyTrees(trees int) []byte {
	var b bitWriter
	b.add(0, 1)  // WBITS 16
	b.add(1, 1)  // ISLAST
	b.add(0, 1)  // ISLASTEMPTY
	b.add(0, 2)  // four nibbles of MLEN
	b.add(0, 16) // MLEN - 1
	b.add(0, 3)  // one block type of literals, commands and distances
	b.add(0, 6)  // NPOSTFIX, NDIRECT
	b.add(0, 2)  // the context mode
	k := 0       // NTREESL: 1, k, and k bits
	for 2<<k < trees {
		k++
	}
	b.add(1, 1)
	b.add(uint64(k), 3)
	b.add(uint64(trees-1-1<<k), k)
	b.add(0, 1) // no runs of zeros in the context map
	b.add(1, 2) // a simple code of one symbol
	b.add(0, 2)
	width := 0
	for 1<<width < trees {
		width++
	}
	b.add(0, width) // the symbol 0 in all places of the map
	b.add(0, 1)     // the map is not transformed
	b.add(0, 1)     // NTREESD
	for range trees {
		b.add(0, 2)                                  // a complex code
		b.add(0, 2*9-2*1)                            // the lengths 1, 2, 3, 4, 0, 5, 17 and 6 do not occur
		b.add(0b0111, 4)                             // 16, repeat, has a code of one bit
		b.add(0, 2)                                  // 7 does not occur
		b.add(0b0111, 4)                             // 8 has a code of one bit
		b.add(0, 1)                                  // length 8
		for _, extra := range []uint64{2, 2, 2, 0} { // 5, then 17, 65 and at last 255 repetitions
			b.add(1, 1)
			b.add(extra, 2)
		}
	}
	b.add(1, 2) // commands: a simple code of one symbol: insert one byte
	b.add(0, 2)
	b.add(8, 10)
	b.add(1, 2) // distances: a simple code of one symbol
	b.add(0, 2)
	b.add(0, 6)
	b.add(0b10000110, 8) // the literal 'a', the highest bit first
	return b.bytes
}

// TestBrotli compares the decoder with the maintained one on whole streams, cut streams, and streams with
// one changed bit.
func TestBrotli(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for _, seed := range brotliSeeds(t) {
		if checkBrotli(t, seed) {
			accepted++
		}
		for range 10 {
			checkBrotli(t, seed[:rng.IntN(len(seed))])
			changed := bytes.Clone(seed)
			changed[rng.IntN(min(len(changed), 200))] ^= 1 << rng.IntN(8)
			checkBrotli(t, changed)
		}
	}
	if accepted < 70 {
		t.Errorf("%d streams accepted, want at least 70", accepted)
	}
}

// TestBrotliMemory checks the memory of streams that declare much: no more than some multiple of the
// stream and of the output.
func TestBrotliMemory(t *testing.T) {
	for name, src := range map[string][]byte{"trees": manyTrees(256), "window": []byte("\x0b\x02\x80hello\x03")} {
		size := 1
		if name == "window" {
			size = 5
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := decompress(format.Brotli, src, size); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(2000*len(src)+1<<15); got > most {
			t.Errorf("%s: %d bytes of memory for a stream of %d bytes, want at most %d", name, got, len(src), most)
		}
	}
}

// FuzzBrotli compares the decoder with the maintained one on any bytes.
func FuzzBrotli(f *testing.F) {
	for _, seed := range brotliSeeds(f) {
		if len(seed) < 2000 {
			f.Add(seed)
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkBrotli(t, src) })
}
