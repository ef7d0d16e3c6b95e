package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/bitpacked"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"
)

// runs returns n numbers below 2^width, in runs of random length.
func runs(rng *rand.Rand, n, width int) []uint32 {
	out := make([]uint32, 0, n)
	for len(out) < n {
		v := uint32(rng.Uint64() & (1<<width - 1))
		count := 1
		if rng.Intn(4) == 0 {
			count = rng.Intn(30)
		}
		for range min(count, n-len(out)) {
			out = append(out, v)
		}
	}
	return out
}

// TestHybrid encodes numbers with this package and the library. Each decodes both encodings.
func TestHybrid(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for width := range 33 {
		for n := range 120 {
			want := runs(rng, n, width)
			coded := appendHybrid(nil, want, width)
			got := make([]uint32, n)
			rest, err := decodeHybrid(got, coded, width)
			if err != nil || len(rest) > 0 || !slices.Equal(got, want) {
				t.Fatalf("width %d, %d numbers: %v, %d bytes left\ngot  %d\nwant %d", width, n, err, len(rest), got, want)
			}
			if n == 0 || width == 0 {
				continue
			}
			enc := rle.Encoding{BitWidth: width}
			src, other := make([]int32, n), []int32(nil)
			for i, v := range want {
				src[i] = int32(v)
			}
			if other, err = enc.DecodeInt32(nil, coded); err != nil || len(other) < n || !slices.Equal(other[:n], src) {
				t.Fatalf("width %d, %d numbers, read by the library: %v\ngot  %d\nwant %d", width, n, err, other, src)
			}
			if coded, err = enc.EncodeInt32(nil, src); err != nil {
				t.Fatal(err)
			}
			if _, err = decodeHybrid(got, coded, width); err != nil || !slices.Equal(got, want) {
				t.Fatalf("width %d, %d numbers, written by the library: %v\ngot  %d\nwant %d", width, n, err, got, want)
			}
			for cut := range len(coded) {
				if _, err := decodeHybrid(got, coded[:cut], width); err == nil && cut < len(coded)-4*width {
					t.Fatalf("width %d, %d numbers: cut at byte %d of %d is not seen", width, n, cut, len(coded))
				}
			}
		}
	}
}

func TestBitPackedLevels(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for width := 1; width <= 8; width++ {
		for n := 1; n < 40; n++ {
			want := make([]byte, n)
			for i := range want {
				want[i] = byte(rng.Intn(1 << width))
			}
			// Encode with the high bits first (Encodings.md, BIT_PACKED).
			coded := make([]byte, (n*width+7)/8)
			for i, v := range want {
				for k := range width {
					if v>>(width-1-k)&1 != 0 {
						bit := i*width + k
						coded[bit/8] |= 0x80 >> (bit % 8)
					}
				}
			}
			got := make([]byte, n)
			rest, err := unpackMSB(got, append(coded, 7), width)
			if err != nil || len(rest) != 1 || !bytes.Equal(got, want) {
				t.Fatalf("width %d: %v, %d, want %d", width, err, got, want)
			}
			lib, err := (&bitpacked.Encoding{BitWidth: width}).DecodeLevels(nil, coded)
			if err != nil || !bytes.Equal(lib[:n], want) {
				t.Fatalf("width %d, by the library: %v, %d, want %d", width, err, lib, want)
			}
			if _, err := unpackMSB(got, coded[:len(coded)-1], width); err == nil {
				t.Fatal("cut is not seen")
			}
		}
	}
}

func TestDeltas(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for _, n := range []int{0, 1, 2, 31, 32, 33, 127, 128, 129, 130, 500, 1000} {
		for shift := 0; shift < 64; shift += 7 {
			want := make([]int64, n)
			small := make([]int32, n)
			for i := range want {
				want[i] = int64(rng.Uint64()) >> shift
				small[i] = int32(want[i])
			}
			coded, err := parquet.DeltaBinaryPacked.EncodeInt64(nil, want)
			if err != nil {
				t.Fatal(err)
			}
			got, rest, err := decodeDelta(append(coded, 9), n)
			if err != nil || !slices.Equal(got, want) || len(rest) != 1 {
				t.Fatalf("%d numbers, shift %d: %v, %d bytes left", n, shift, err, len(rest))
			}
			if coded, err = parquet.DeltaBinaryPacked.EncodeInt32(nil, small); err != nil {
				t.Fatal(err)
			}
			v, err := decodeValues(&leaf{kind: format.Int32, width: 4}, format.DeltaBinaryPacked, coded, n)
			if err != nil {
				t.Fatal(err)
			}
			for i, k := range small {
				if int32(le32(v.bytes(i))) != k {
					t.Fatalf("%d numbers of 32 bits, shift %d: number %d is %d, want %d", n, shift, i, int32(le32(v.bytes(i))), k)
				}
			}
			if n > 0 {
				if _, _, err := decodeDelta(coded[:len(coded)/2], n); n > 100 && err == nil {
					t.Fatalf("%d numbers: a cut is not seen", n)
				}
				if _, _, err := decodeDelta(coded, n-1); err == nil {
					t.Fatal("a number too many is not seen")
				}
			}
		}
	}
}

func TestDeltaStrings(t *testing.T) {
	rng := rand.New(rand.NewSource(4))
	var data []byte
	offsets := []uint32{0}
	for i := range 300 {
		data = append(data, fmt.Sprintf("%d/%d", i/10, rng.Intn(1000))...)
		offsets = append(offsets, uint32(len(data)))
	}
	l := &leaf{kind: format.ByteArray}
	for _, enc := range []format.Encoding{format.Plain, format.DeltaLengthByteArray, format.DeltaByteArray} {
		coded, err := parquet.LookupEncoding(enc).EncodeByteArray(nil, data, offsets)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decodeValues(l, enc, coded, 300)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 300 {
			if got, want := v.bytes(i), data[offsets[i]:offsets[i+1]]; !bytes.Equal(got, want) {
				t.Fatalf("%s: string %d is %q, want %q", enc, i, got, want)
			}
		}
		if _, err := decodeValues(l, enc, coded[:len(coded)-1], 300); err == nil {
			t.Errorf("%s: a cut is not seen", enc)
		}
	}
	fixed := make([]byte, 300*6)
	rng.Read(fixed)
	l = &leaf{kind: format.FixedLenByteArray, width: 6}
	for _, enc := range []format.Encoding{format.Plain, format.DeltaByteArray, format.ByteStreamSplit} {
		coded, err := parquet.LookupEncoding(enc).EncodeFixedLenByteArray(nil, fixed, 6)
		if err != nil {
			t.Fatal(err)
		}
		v, err := decodeValues(l, enc, coded, 300)
		if err != nil || !bytes.Equal(v.fixed, fixed) {
			t.Fatalf("%s: %v", enc, err)
		}
	}
}

func TestCodecs(t *testing.T) {
	rng := rand.New(rand.NewSource(5))
	random := make([]byte, 5000)
	rng.Read(random)
	for name, src := range map[string][]byte{
		"one": {7}, "zeros": make([]byte, 100000), "random": random, "fifteen": random[:15], "270": random[:270],
		"words": bytes.Repeat([]byte("solid angle "), 1000), "long": bytes.Repeat(random, 3),
	} {
		for _, c := range codecs {
			codec := c.CompressionCodec()
			if codec == format.Uncompressed {
				continue
			}
			encode := func() ([]byte, error) { return compressTo(nil, codec, src) }
			if codec == format.Brotli { // this package only reads Brotli
				encode = func() ([]byte, error) { return c.Encode(nil, src) }
			}
			coded, err := encode()
			if err != nil {
				t.Fatal(err)
			}
			got, err := decompress(codec, coded, len(src))
			if err != nil || !bytes.Equal(got, src) {
				t.Fatalf("%s, %s: %v", name, codec, err)
			}
			for _, size := range []int{len(src) - 1, len(src) + 1, 1 << 25} {
				if size > 1<<20 && codec == format.Brotli {
					continue // without maxRatio, decompress would allocate 32 MiB
				}
				if _, err := decompress(codec, coded, size); err == nil && size > 0 {
					t.Errorf("%s, %s: size %d instead of %d is not seen", name, codec, size, len(src))
				}
			}
			if _, err := decompress(codec, coded[:len(coded)-1], len(src)); err == nil && codec != format.Brotli { // the last byte of a Brotli stream can be unused
				t.Errorf("%s, %s: a cut is not seen", name, codec)
			}
		}
		if got, err := decompress(format.Lz4Raw, appendLiterals(nil, src), len(src)); err != nil || !bytes.Equal(got, src) {
			t.Errorf("%s, literals: %v", name, err)
		}
	}
}

// appendLiterals appends src as an LZ4 block without copies.
func appendLiterals(dst, src []byte) []byte {
	n := len(src)
	dst = append(dst, byte(min(n, 15))<<4)
	if n -= 15; n >= 0 {
		for ; n >= 255; n -= 255 {
			dst = append(dst, 255)
		}
		dst = append(dst, byte(n))
	}
	return append(dst, src...)
}

// TestCompact decodes and encodes fields that this package does not know.
func TestCompact(t *testing.T) {
	var items [][]byte
	for i := range 20 {
		items = append(items, encodeStruct(i64Field(1, int64(i))))
	}
	raw := encodeStruct(
		i32Field(1, -5),
		thriftField{id: 2, kind: kindTrue},
		thriftField{40, kindBinary, []byte("\x03far")},
		// The IDs of these fields are not in ascending order.
		thriftField{3, kindDouble, binary.LittleEndian.AppendUint64(nil, 1)},
		listField(9, kindStruct, items),
		listField(10, kindTrue, [][]byte{{1}, {2}}),
		thriftField{11, kindStruct, encodeStruct()},
	)
	want := "15" + "09" + "11" + "0850" + "03666172" + "0706" + "0100000000000000" + "69fc14"
	if got := hex.EncodeToString(raw); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "16260019210102"+"1c00"+"00") {
		t.Fatalf("encoded %s", got)
	}
	fs := mustReadStruct(raw)
	if got := encodeStruct(fs...); !bytes.Equal(got, raw) {
		t.Fatalf("%x, want %x", got, raw)
	}
	for cut := range raw {
		if _, _, err := readStruct(raw[:cut], 0); err == nil {
			t.Fatalf("cut at byte %d is not seen", cut)
		}
	}
	deep := bytes.Repeat([]byte{1<<4 | kindStruct}, 1000)
	if _, _, err := readStruct(deep, 0); err == nil {
		t.Error("no limit of depth")
	}
}
