package answer

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/internal/affine"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/internal/disk"
	"github.com/inpoly/inpoly/internal/suggest"
)

// maxMatrixBytes bounds the size of the file of --matrix.
const maxMatrixBytes = 1 << 20

// Transform returns the map from the frame of the points to the frame of the mesh, or nil if no flag
// requests one. --scale or --units apply before --matrix. The first call reads the file of --matrix
// and sets f.Frame, so that another process needs only f. Errors of flags are of type
// term.UsageError.
func (f *Flags) Transform() (*affine.Map, error) {
	if f.Frame != "" {
		return affine.Parse(f.Frame)
	}
	var m *affine.Map
	switch {
	case f.Scale != "":
		factor, err := affine.ParseFactor(f.Scale)
		if err != nil {
			return nil, term.WithComma(term.Usagef("--scale %w", err), "--scale", f.Scale)
		}
		f.factor, m = factor, affine.Scaling(factor)
	case f.Units != "":
		factor, err := affine.ParseUnits(f.Units)
		if err != nil {
			return nil, unitsHint(term.Usagef("--units %w", err), f.Units)
		}
		f.factor, m = factor, affine.Scaling(factor)
	}
	if f.Matrix != "" {
		if f.Matrix == "-" {
			return nil, term.Usagef("--matrix -: must be a file")
		}
		text, err := disk.ReadFile(f.Matrix, maxMatrixBytes)
		if err != nil {
			return nil, fmt.Errorf("--matrix %s: %w", f.Matrix, disk.Reason(err))
		}
		matrix, err := affine.ParseMatrix(text)
		if err != nil {
			return nil, term.WithHint(fmt.Errorf("%s: %w", f.Matrix, err), "--matrix reads four lines of four numbers; the last line is 0 0 0 1, the last column is the translation")
		}
		f.matrix = matrix
		if m != nil {
			matrix = matrix.After(m)
		}
		m = matrix
	}
	if m != nil {
		f.Frame = m.String()
	}
	return m, nil
}

// unitsHint adds a hint to err if the value of --units has misspelled units or another separator.
func unitsHint(err error, value string) error {
	from, to, ok := strings.Cut(value, ":")
	for _, separator := range []string{" to ", "->", "/", ",", "-", " "} {
		if ok {
			break
		}
		if from, to, ok = strings.Cut(value, separator); ok {
			_, known := affine.UnitName(from)
			_, ok = affine.UnitName(to)
			ok = ok && known
		}
	}
	from, isFrom := meantUnit(from)
	to, isTo := meantUnit(to)
	if !ok || !isFrom || !isTo {
		return err
	}
	return term.WithHint(err, "did you mean --units "+from+":"+to+"?")
}

// meantUnit returns the name of the unit that a word stands for. The word can be misspelled.
func meantUnit(word string) (name string, ok bool) {
	if name, ok = affine.UnitName(word); ok {
		return name, true
	}
	const shortest = 3 // almost every shorter word is similar to the symbol of some unit
	if word = strings.TrimSpace(word); len(word) < shortest {
		return "", false
	}
	if word, ok = suggest.Closest(word, affine.UnitWords()); !ok {
		return "", false
	}
	return affine.UnitName(word)
}
