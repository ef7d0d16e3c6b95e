package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // path in the archive, with slashes
	mode fs.FileMode
	data []byte
	uid  int
}

// writeArchive writes the archive of a build: a .zip for Windows, a .tar.gz for other systems.
func writeArchive(dist string, src *source, docs *documents, b *build) error {
	top := "inpoly_" + src.number() + "_" + b.os + "_" + b.arch
	command, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	man, err := compress(docs.man)
	if err != nil {
		return err
	}
	entries := []entry{
		{name: b.name(), mode: 0o755, data: command},
		{name: "man/man1/inpoly.1.gz", data: man},
		{name: "THIRD_PARTY_NOTICES.txt", data: notices(b.licenses)},
	}
	for _, name := range []string{"LICENSE", "README.md"} {
		data, err := src.read(name)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name: name, data: data})
	}
	for _, s := range shells {
		entries = append(entries, entry{name: "completions/" + s.file, data: docs.completion[s.name]})
	}
	for i := range entries {
		entries[i].name = path.Join(top, entries[i].name)
	}
	var buf bytes.Buffer
	suffix := ".tar.gz"
	if b.os == "windows" {
		suffix = ".zip"
		err = writeZip(&buf, entries, src.time)
	} else {
		err = writeTarGz(&buf, entries, src.time)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dist, top+suffix), buf.Bytes(), 0o644)
}

// compress returns data in the format gzip. The header has no name and no time.
func compress(data []byte) ([]byte, error) {
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func writeTarGz(w io.Writer, entries []entry, t time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := writeTar(z, entries, t); err != nil {
		return err
	}
	return z.Close()
}

// writeTar writes files in the order of their names. The mode 0 is 0644; a mode with the bit
// fs.ModeDir makes a folder.
func writeTar(w io.Writer, entries []entry, t time.Time) error {
	tw := tar.NewWriter(w)
	for _, e := range sorted(entries) {
		h := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Mode: int64(cmp.Or(e.mode.Perm(), 0o644)), Size: int64(len(e.data)),
			ModTime: t, Uid: e.uid, Gid: e.uid, Format: tar.FormatUSTAR,
		}
		if e.mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, e.name+"/"
		}
		if e.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := tw.WriteHeader(h); err != nil {
			return err
		}
		if _, err := tw.Write(e.data); err != nil {
			return err
		}
	}
	return tw.Close()
}

// writeZip writes files in the order of their names.
func writeZip(w io.Writer, entries []entry, t time.Time) error {
	zw := zip.NewWriter(w)
	for _, e := range sorted(entries) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: t}
		h.SetMode(cmp.Or(e.mode, 0o644))
		f, err := zw.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.data); err != nil {
			return err
		}
	}
	return zw.Close()
}

func sorted(entries []entry) []entry {
	return slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.name, b.name) })
}
