package ply_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/points/internal/ply"
	"github.com/inpoly/inpoly/points/table"
)

// FuzzPLY copies every valid file with Passthrough. Without answers, the output must have the same
// bytes. With answers, the output must be valid and have the same number of rows. Each row of the
// output must begin with the bytes of the row in the input.
func FuzzPLY(f *testing.F) {
	rng := rand.New(rand.NewPCG(11, 12))
	for trial := range 12 {
		for _, format := range formats {
			file := randomFile(rng, format, 3, trial%2 == 0)
			if trial%3 == 0 {
				file.eol = "\r\n"
			}
			file.after, file.afterB = "element face 2"+file.eol+"property list uchar uchar vertex_indices", otherElement(file)
			f.Add(file.String(), trial%2 == 0, uint8(trial))
		}
	}
	f.Fuzz(func(t *testing.T, text string, stream bool, block uint8) {
		files.CheckPassthrough(t, text, stream, ply.Options{Block: int(block)}, rowStrings)
	})
}

// rowStrings returns the rows of a block, without the line ends of an ASCII file.
func rowStrings(src *ply.Source, b *table.Block) (list []string, err error) {
	for k := range b.Points {
		list = append(list, string(src.RowBytes(b, k)))
	}
	return list, nil
}
