package points_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/inpoly/inpoly/points"
	"github.com/inpoly/inpoly/points/internal/laz"
	"github.com/inpoly/inpoly/points/internal/testlaz"
)

// BenchmarkLAZ compares a Job that copies a LAZ file, and the command, with the codec alone, which decodes and
// encodes the same points in one goroutine. Run it with -cpu 1.
func BenchmarkLAZ(b *testing.B) {
	var file bytes.Buffer
	if _, err := testlaz.WriteCOPC(&file, 2, 15_000, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("codec", func(b *testing.B) {
		for b.Loop() {
			if err := transcode(file.Bytes()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("job", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "in.laz")
		if err := os.WriteFile(path, file.Bytes(), 0o666); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, _, err := rewriteFile(path, "", points.Options{}, 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("command", func(b *testing.B) {
		f := &trustFolder{b, b.TempDir()}
		in := f.write("in.laz", file.Bytes())
		mesh := f.box("mesh.obj", [3]float64{260, 260, 260}, [3]float64{724, 724, 724})
		for b.Loop() {
			f.run(mesh, in, "--out", f.path("out.laz"))
		}
	})
}

// transcode decodes the chunks of a COPC file and encodes their points in chunks of the default size.
func transcode(file []byte) error {
	le := binary.LittleEndian
	pointsAt, count := int64(le.Uint32(file[96:])), int64(le.Uint64(file[247:]))
	v, err := laz.NewVLR(6, testlaz.RecordSize)
	if err != nil {
		return err
	}
	v.ChunkSize = laz.VariableChunks
	d, err := laz.NewDecoder(v)
	if err != nil {
		return err
	}
	e, err := laz.NewEncoder(v)
	if err != nil {
		return err
	}
	chunks, err := laz.ReadChunks(bytes.NewReader(file), v, pointsAt, count, int64(len(file)))
	if err != nil {
		return err
	}
	rows := make([]byte, count*testlaz.RecordSize)
	at := int64(0)
	for _, c := range chunks {
		n := c.Points * testlaz.RecordSize
		if err := d.Decode(rows[at:at+n], file[c.Offset:c.Offset+c.Bytes], int(c.Points)); err != nil {
			return err
		}
		at += n
	}
	const chunk = laz.DefaultChunkSize * testlaz.RecordSize
	for len(rows) > 0 {
		n := min(chunk, len(rows))
		if _, err := e.Append(nil, rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
