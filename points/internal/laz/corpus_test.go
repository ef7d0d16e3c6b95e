package laz_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/internal/laz"
)

// A lasFile has the parts of a LAS or LAZ file that this package needs.
type lasFile struct {
	data              []byte
	format, size      int
	pointData, points int64
	vlr               *laz.VLR // nil if the file is not compressed
}

var errNotLAS = errors.New("not a LAS file")

// parseLAS parses the header and the LASzip VLR of a file.
func parseLAS(data []byte) (*lasFile, error) {
	le := binary.LittleEndian
	if len(data) < 227 || string(data[:4]) != "LASF" {
		return nil, errNotLAS
	}
	f := &lasFile{data: data, format: int(data[104] & 63), size: int(le.Uint16(data[105:])), pointData: int64(le.Uint32(data[96:]))}
	f.points = int64(le.Uint32(data[107:]))
	if data[25] >= 4 && len(data) >= 255 {
		f.points = int64(le.Uint64(data[247:]))
	}
	at := int(le.Uint16(data[94:]))
	for range le.Uint32(data[100:]) {
		if at+54 > len(data) {
			break
		}
		length := int(le.Uint16(data[at+20:]))
		user := strings.TrimRight(string(data[at+2:at+18]), "\x00")
		if user == laz.UserID && le.Uint16(data[at+18:]) == laz.RecordID && at+54+length <= len(data) {
			v, err := laz.ParseVLR(data[at+54 : at+54+length])
			if err != nil {
				return nil, err
			}
			f.vlr = v
			return f, v.Check(f.format, f.size)
		}
		at += 54 + length
	}
	return f, nil
}

// chunks returns the chunks of a compressed file.
func (f *lasFile) chunks() ([]laz.Chunk, error) {
	return laz.ReadChunks(bytes.NewReader(f.data), f.vlr, f.pointData, f.points, int64(len(f.data)))
}

// decode returns the records of a file.
func (f *lasFile) decode() ([]byte, error) {
	if f.vlr == nil {
		end := f.pointData + f.points*int64(f.size)
		if end > int64(len(f.data)) {
			return nil, io.ErrUnexpectedEOF
		}
		return f.data[f.pointData:end], nil
	}
	if f.vlr.Compressor == laz.Pointwise {
		return f.stream()
	}
	chunks, err := f.chunks()
	if err != nil {
		return nil, err
	}
	d, err := laz.NewDecoder(f.vlr)
	if err != nil {
		return nil, err
	}
	var rows []byte
	for i, c := range chunks {
		dst := make([]byte, c.Points*int64(f.size))
		if err := d.Decode(dst, f.data[c.Offset:c.Offset+c.Bytes], int(c.Points)); err != nil {
			return nil, fmt.Errorf("chunk %d of %d: %w", i, len(chunks), err)
		}
		rows = append(rows, dst...)
	}
	return rows, nil
}

// stream decodes a file without its chunk table.
func (f *lasFile) stream() ([]byte, error) {
	at := f.pointData
	if f.vlr.Compressor != laz.Pointwise {
		at += 8
	}
	if at > int64(len(f.data)) {
		return nil, laz.ErrDamaged
	}
	s, err := laz.NewStream(bytes.NewReader(f.data[at:]), f.vlr, f.points)
	if err != nil {
		return nil, err
	}
	var rows []byte
	dst := make([]byte, 1000*f.size)
	for {
		n, err := s.Next(dst)
		rows = append(rows, dst[:n*f.size]...)
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return rows, err
		}
	}
}

// corpus calls do for each LAS and LAZ file of the corpus.
func corpus(t *testing.T, do func(t *testing.T, path string, f *lasFile)) {
	t.Helper()
	dir := os.Getenv("INPOLY_CORPUS_LAS")
	if dir == "" {
		t.Skip("INPOLY_CORPUS_LAS is not set")
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || ext != ".las" && ext != ".laz" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		f, err := parseLAS(data)
		if err != nil {
			t.Logf("%s: %v", path, err)
			return nil
		}
		files++
		do(t, path, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 80 {
		t.Fatalf("only %d files in %s", files, dir)
	}
}

// twin returns the uncompressed file with the points of a LAZ file.
func twin(path string) string {
	base := strings.TrimSuffix(path, ".laz")
	for _, p := range []string{base + ".las", base} {
		if _, err := os.Stat(p); err == nil && strings.HasSuffix(p, ".las") {
			return p
		}
	}
	return ""
}

// Each LAZ file decodes to the records of its LAS twin, and its points survive our own encoder. Without
// the chunk table, the chunks are the same.
func TestCorpus(t *testing.T) {
	pairs, compressed := 0, 0
	corpus(t, func(t *testing.T, path string, f *lasFile) {
		rows, err := f.decode()
		if err != nil {
			if f.vlr != nil {
				t.Errorf("%s: %v", path, err)
			}
			return
		}
		checkEncoder(t, path, f, rows)
		if f.vlr == nil {
			return
		}
		compressed++
		checkFound(t, path, f, rows)
		p := twin(path)
		if p == "" {
			return
		}
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		g, err := parseLAS(data)
		if err != nil {
			t.Fatal(err)
		}
		want, err := g.decode()
		if err != nil {
			t.Fatal(err)
		}
		pairs++
		if !bytes.Equal(rows, want) {
			t.Errorf("%s: the records differ from those of %s", path, p)
		}
	})
	t.Logf("%d compressed files, %d of them with twins", compressed, pairs)
	if !t.Failed() && pairs < 10 {
		t.Errorf("only %d pairs", pairs)
	}
}

// checkFound compares FindChunks with the chunk table, and the Stream with the Decoder.
func checkFound(t *testing.T, path string, f *lasFile, rows []byte) {
	t.Helper()
	if f.vlr.Compressor == laz.Pointwise {
		return
	}
	want, err := f.chunks()
	if err != nil {
		t.Fatal(err)
	}
	found, err := laz.FindChunks(bytes.NewReader(f.data), f.vlr, f.pointData, f.points, int64(len(f.data)))
	if err != nil {
		t.Errorf("%s: FindChunks: %v", path, err)
		return
	}
	if len(found) != len(want) {
		t.Errorf("%s: FindChunks: %d chunks, want %d", path, len(found), len(want))
		return
	}
	for i := range want {
		if found[i] != want[i] {
			t.Errorf("%s: FindChunks: chunk %d: got %v, want %v", path, i, found[i], want[i])
		}
	}
	if f.vlr.Compressor == laz.PointwiseChunked {
		if got, err := f.stream(); err != nil || !bytes.Equal(got, rows) {
			t.Errorf("%s: the stream differs from the chunks: %v", path, err)
		}
	}
}

// checkEncoder encodes the records of a file in chunks of 5000, and decodes them again.
func checkEncoder(t *testing.T, path string, f *lasFile, rows []byte) {
	t.Helper()
	v, err := laz.NewVLR(f.format, f.size)
	if err != nil {
		t.Logf("%s: %v", path, err)
		return
	}
	v.ChunkSize = 5000
	g := &lasFile{data: encodeFile(t, v, rows), format: f.format, size: f.size, points: f.points, vlr: v}
	got, err := g.decode()
	if err != nil || !bytes.Equal(got, rows) {
		t.Errorf("%s: encoded and decoded: the records differ: %v", path, err)
	}
}

// encodeFile returns the offset of the chunk table, the chunks and the table of a file.
func encodeFile(t testing.TB, v *laz.VLR, rows []byte) []byte {
	t.Helper()
	e, err := laz.NewEncoder(v)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 8)
	var chunks []laz.Chunk
	size := v.RecordLength()
	each := int(min(v.ChunkSize, 1<<20))
	for len(rows) > 0 {
		n := min(each, len(rows)/size)
		if v.ChunkSize == laz.VariableChunks {
			n = min(1+len(chunks)*77%500, n)
		}
		at := len(data)
		data, err = e.Append(data, rows[:n*size])
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, laz.Chunk{Offset: int64(at), Bytes: int64(len(data) - at), Points: int64(n)})
		rows = rows[n*size:]
	}
	binary.LittleEndian.PutUint64(data, uint64(len(data)))
	data, err = laz.AppendTable(data, v, chunks)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
