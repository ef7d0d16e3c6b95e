package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"github.com/inpoly/inpoly"
)

// runKey is a text that differs for all that decides the output: the inputs, by their
// paths, sizes and times, the solids as they were loaded, which may be from more files
// than those, the flags and the version.
func (f *flags) runKey(args []string, s *solids) (string, error) {
	if (f.winding || f.certify) && !s.closed() && (f.method == "auto" || f.method == "fmm") {
		// By multipoles they change within their bounds as more points come: see inpoly.FMM.
		return "", usageError{hinted{errors.New("--resume: the winding numbers of an open mesh would not be those of one run"),
			"--method raycross, cells or direct gives the same ones whenever it is asked"}}
	}
	h := sha256.New()
	fmt.Fprintln(h, versionText())
	for _, path := range args {
		full, err := filepath.Abs(path)
		if err != nil {
			return "", err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%q %d %d\n", full, fi.Size(), fi.ModTime().UnixNano())
	}
	fmt.Fprintln(h, f.convert, f.state, f.winding, f.certify, f.distance, f.nearest, f.body, f.keep, f.epsilon, f.method, f.rule,
		f.tolerance, f.orient, f.seed, f.columns, f.text, f.shard, f.bytes)
	s.hash(h)
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hash writes what the solids are, with the names and the numbers of faces that answers
// may have.
func (s *solids) hash(w io.Writer) {
	// What is written is hashed: no error can occur.
	b := bufio.NewWriter(w)
	defer b.Flush()
	number := func(n uint64) { b.Write(binary.LittleEndian.AppendUint64(b.AvailableBuffer(), n)) }
	if s.many != nil {
		for _, name := range s.names() {
			fmt.Fprintf(b, "%q\n", name)
		}
	}
	k := 0
	s.each(func(solid *inpoly.Solid) {
		m := solid.Mesh()
		number(uint64(len(m.Vertices)))
		number(uint64(len(m.Faces)))
		for _, v := range m.Vertices {
			number(math.Float64bits(v.X))
			number(math.Float64bits(v.Y))
			number(math.Float64bits(v.Z))
		}
		for i, face := range m.Faces {
			if s.many != nil {
				number(uint64(s.many.FileFace(k, int32(i))))
			}
			for _, v := range face {
				number(uint64(v))
			}
		}
		k++
	})
}

// closed reports whether all meshes are.
func (s *solids) closed() bool {
	closed := true
	s.each(func(solid *inpoly.Solid) { closed = closed && solid.Mesh().Closed() })
	return closed
}
