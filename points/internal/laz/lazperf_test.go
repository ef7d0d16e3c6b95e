package laz_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/inpoly/inpoly/points/internal/laz"
)

// lazPerfScript decodes the LAZ files of its arguments with the package laz-perf. It writes the records
// of each file to the file with the suffix .raw, and prints the seconds that decoding took, or the error.
const lazPerfScript = `
const fs = require('fs');
const { createLazPerf } = require('laz-perf');
(async () => {
	for (const path of process.argv.slice(1)) {
		const perf = await createLazPerf();
		const data = fs.readFileSync(path);
		let begin, seconds = Infinity;
		try {
			const blob = perf._malloc(data.length);
			let out;
			for (let run = 0; run < 3; run++) {
				perf.HEAPU8.set(data, blob);
				const reader = new perf.LASZip();
				reader.open(blob, data.length);
				const size = reader.getPointLength(), count = reader.getCount();
				const record = perf._malloc(size);
				out = new Uint8Array(size * count);
				begin = process.hrtime.bigint();
				for (let i = 0; i < count; i++) {
					reader.getPoint(record);
					out.set(perf.HEAPU8.subarray(record, record + size), i * size);
				}
				seconds = Math.min(seconds, Number(process.hrtime.bigint() - begin) / 1e9);
				reader.delete();
			}
			fs.writeFileSync(path + '.raw', out);
			console.log(seconds);
		} catch (e) {
			console.log('error ' + e);
		}
	}
})();
`

// lazPerf decodes files with laz-perf. The environment variable INPOLY_LAZPERF is the folder with
// node_modules/laz-perf.
func lazPerf(t *testing.T, paths []string) []string {
	t.Helper()
	dir := os.Getenv("INPOLY_LAZPERF")
	if dir == "" {
		t.Skip("INPOLY_LAZPERF is not set")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	cmd := exec.Command(node, append([]string{"-e", lazPerfScript}, paths...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(paths) {
		t.Fatalf("%d results for %d files: %q", len(lines), len(paths), lines)
	}
	return lines
}

// wholeFile returns a LAZ file of version 1.4 with the given records.
func wholeFile(t testing.TB, v *laz.VLR, format int, rows []byte) []byte {
	t.Helper()
	const header = 375
	le := binary.LittleEndian
	payload := v.Append(nil)
	h := make([]byte, header+54)
	copy(h, "LASF")
	h[24], h[25] = 1, 4
	le.PutUint16(h[94:], header)
	le.PutUint32(h[96:], uint32(len(h)+len(payload)))
	le.PutUint32(h[100:], 1)
	h[104] = byte(format) | 128
	le.PutUint16(h[105:], uint16(v.RecordLength()))
	n := len(rows) / v.RecordLength()
	if format < 6 {
		le.PutUint32(h[107:], uint32(n))
	}
	le.PutUint64(h[247:], uint64(n))
	copy(h[header+2:], laz.UserID)
	le.PutUint16(h[header+18:], laz.RecordID)
	le.PutUint16(h[header+20:], uint16(len(payload)))
	h = append(h, payload...)
	points := encodeFile(t, v, rows)
	le.PutUint64(points, le.Uint64(points)+uint64(len(h)))
	return append(h, points...)
}

// Each file of the corpus decodes to the records that laz-perf decodes. The package laz-perf cannot
// decode version 1 of the items, and fails in those files.
func TestLazPerfCorpus(t *testing.T) {
	dir := t.TempDir()
	var paths, names []string
	var files []*lasFile
	corpus(t, func(t *testing.T, path string, f *lasFile) {
		if f.vlr == nil {
			return
		}
		p := filepath.Join(dir, strconv.Itoa(len(paths))+".laz")
		if err := os.WriteFile(p, f.data, 0o600); err != nil {
			t.Fatal(err)
		}
		paths, names, files = append(paths, p), append(names, path), append(files, f)
	})
	equal := 0
	for i, result := range lazPerf(t, paths) {
		if _, err := strconv.ParseFloat(result, 64); err != nil {
			t.Logf("%s: laz-perf: %s", names[i], result)
			if files[i].vlr.Items[0].Version > 1 {
				t.Errorf("%s: laz-perf cannot decode it", names[i])
			}
			continue
		}
		want, err := os.ReadFile(paths[i] + ".raw")
		if err != nil {
			t.Fatal(err)
		}
		got, err := files[i].decode()
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the records differ from those of laz-perf: %v", names[i], err)
			continue
		}
		equal++
	}
	t.Logf("%d of %d files are equal", equal, len(paths))
}

// The package laz-perf decodes our files to the same records. It supports the point formats 0 to 3
// and 6 to 8. The log has the rates of both.
func TestLazPerfEncoded(t *testing.T) {
	const n = 50_000
	dir := t.TempDir()
	var paths []string
	var files []*lasFile
	var kindOf []cloudKind
	for _, format := range []int{0, 1, 2, 3, 6, 7, 8} {
		for kind := range kinds {
			for _, extra := range []int{0, 3} {
				size := recordSizes[format] + extra
				v, err := laz.NewVLR(format, size)
				if err != nil {
					t.Fatal(err)
				}
				k := n
				if kind != scan {
					k, v.ChunkSize = 3000, laz.VariableChunks
				}
				rows := randomRows(rand.New(rand.NewPCG(5, uint64(format))), kind, format, size, k)
				if kind != scan && kind != constant && format < 6 {
					// Chunks of constant size, to test both.
					v.ChunkSize = 700
				}
				data := wholeFile(t, v, format, rows)
				p := filepath.Join(dir, strconv.Itoa(len(paths))+".laz")
				if err := os.WriteFile(p, data, 0o600); err != nil {
					t.Fatal(err)
				}
				f, err := parseLAS(data)
				if err != nil {
					t.Fatal(err)
				}
				paths, files, kindOf = append(paths, p), append(files, f), append(kindOf, kind)
			}
		}
	}
	for i, result := range lazPerf(t, paths) {
		f := files[i]
		name := fmt.Sprintf("format %d, %d bytes, %v", f.format, f.size, kindOf[i])
		seconds, err := strconv.ParseFloat(result, 64)
		if err != nil {
			t.Errorf("%s: laz-perf: %s", name, result)
			continue
		}
		want, err := os.ReadFile(paths[i] + ".raw")
		if err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		got, err := f.decode()
		own := time.Since(begin).Seconds()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(got, want) {
			at := 0
			for got[at] == want[at] {
				at++
			}
			t.Errorf("%s: laz-perf decodes byte %d of point %d to %d: want %d", name, at%f.size, at/f.size, want[at], got[at])
		}
		if kindOf[i] == scan {
			t.Logf("%s: laz-perf %.2f, we %.2f million points/s", name, n/seconds/1e6, n/own/1e6)
		}
	}
}

// TestLazPerfRates writes a table of the rates of laz-perf and of this package to the file that the environment
// variable INPOLY_LAZ_TABLE names. Each rate is that of the fastest of several runs on one core, which alternate.
func TestLazPerfRates(t *testing.T) {
	table := os.Getenv("INPOLY_LAZ_TABLE")
	if table == "" {
		t.Skip("INPOLY_LAZ_TABLE is not set")
	}
	const n, rounds = 200_000, 5
	hasPerf := func(format int) bool { return format < 4 || format > 5 && format < 9 }
	dir := t.TempDir()
	var paths []string
	var formats []int // of the files of paths
	var files []*lasFile
	for format, size := range recordSizes {
		v, err := laz.NewVLR(format, size)
		if err != nil {
			t.Fatal(err)
		}
		data := wholeFile(t, v, format, randomRows(rand.New(rand.NewPCG(5, uint64(format))), scan, format, size, n))
		f, err := parseLAS(data)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		if hasPerf(format) {
			p := filepath.Join(dir, strconv.Itoa(format)+".laz")
			if err := os.WriteFile(p, data, 0o600); err != nil {
				t.Fatal(err)
			}
			paths, formats = append(paths, p), append(formats, format)
		}
	}
	var perf, decode, encode [len(recordSizes)]float64 // points per second
	for range rounds {
		for i, result := range lazPerf(t, paths) {
			seconds, err := strconv.ParseFloat(result, 64)
			if err != nil {
				t.Fatal(result)
			}
			format := formats[i]
			perf[format] = max(perf[format], n/seconds)
		}
		for _, f := range files {
			d, e := rates(t, f)
			decode[f.format], encode[f.format] = max(decode[f.format], d), max(encode[f.format], e)
		}
	}
	var out strings.Builder
	fmt.Fprintf(&out, "| format | laz-perf decodes | inpoly decodes | ratio | inpoly encodes | ratio to decoding |\n| --- | --- | --- | --- | --- | --- |\n")
	for format := range recordSizes {
		other, ratio := "–", "–"
		if hasPerf(format) {
			other, ratio = fmt.Sprintf("%.2f", perf[format]/1e6), fmt.Sprintf("%.2f", decode[format]/perf[format])
		}
		fmt.Fprintf(&out, "| %d | %s | %.2f | %s | %.2f | %.2f |\n", format, other, decode[format]/1e6, ratio, encode[format]/1e6, encode[format]/decode[format])
	}
	if err := os.WriteFile(table, []byte(out.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// rates returns the points per second that a Decoder and an Encoder process.
func rates(t *testing.T, f *lasFile) (decode, encode float64) {
	t.Helper()
	chunks, err := f.chunks()
	if err != nil {
		t.Fatal(err)
	}
	d, err := laz.NewDecoder(f.vlr)
	if err != nil {
		t.Fatal(err)
	}
	e, err := laz.NewEncoder(f.vlr)
	if err != nil {
		t.Fatal(err)
	}
	rows := make([]byte, f.points*int64(f.size))
	var packed []byte
	at := int64(0)
	begin := time.Now()
	for _, c := range chunks {
		next := at + c.Points*int64(f.size)
		if err := d.Decode(rows[at:next], f.data[c.Offset:c.Offset+c.Bytes], int(c.Points)); err != nil {
			t.Fatal(err)
		}
		at = next
	}
	decoded := time.Since(begin).Seconds()
	at = 0
	begin = time.Now()
	for _, c := range chunks {
		next := at + c.Points*int64(f.size)
		if packed, err = e.Append(packed[:0], rows[at:next]); err != nil {
			t.Fatal(err)
		}
		at = next
	}
	return float64(f.points) / decoded, float64(f.points) / time.Since(begin).Seconds()
}
