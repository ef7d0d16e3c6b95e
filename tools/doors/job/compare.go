package job

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
)

// Difference is a place where two drivers answer differently.
type Difference struct {
	Open, Points, Step int // indexes of the step, and of the steps open and points before it; −1: none
	Field              string
	Point              int // −1: the answer is not about a point
	Want, Got          string
}

// segment is the answer of a step for one field.
type segment struct {
	open, points, step int
	field              Field
	at, count          int
}

// statusField is the answer of the step open.
var statusField = Field{"error code", Int32, 1}

// segments divides answers into the answers of the steps.
func segments(steps []Step, answers []byte) ([]segment, error) {
	var all []segment
	open, points, at, n, failed := -1, -1, 0, 0, false
	add := func(step int, f Field, count int) error {
		all = append(all, segment{open, points, step, f, at, count})
		if at += f.Kind.Bytes() * f.Width * count; at > len(answers) {
			return fmt.Errorf("the answers end in step %d, %s, after %d bytes", step, steps[step], len(answers))
		}
		return nil
	}
	for i, s := range steps {
		var err error
		count := n
		switch s.Name {
		case "open":
			open, points, n = i, -1, 0
			if err := add(i, statusField, 1); err != nil {
				return all, err
			}
			failed = binary.LittleEndian.Uint32(answers[at-4:]) != 0
			continue
		case "pose":
			continue
		case "points":
			points = i
			if n, err = s.Count(); err != nil {
				return all, err
			}
			continue
		case "single":
			if count, err = s.Count(); err != nil {
				return all, err
			}
		}
		if failed {
			continue
		}
		fields := Fields(s.Name)
		if fields == nil {
			return all, fmt.Errorf("step %d, %s: no such step", i, s)
		}
		for _, f := range fields {
			if err := add(i, f, count); err != nil {
				return all, err
			}
		}
	}
	if at != len(answers) {
		return all, fmt.Errorf("%d bytes follow the answers of all steps", len(answers)-at)
	}
	return all, nil
}

// Answer is the answer of a step for one field.
type Answer struct {
	Field string
	Bytes []byte
}

// Answers returns the answers of one step, in the order of Fields.
func Answers(steps []Step, answers []byte, step int) (list []Answer, err error) {
	all, err := segments(steps, answers)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.step == step {
			list = append(list, Answer{s.field.Name, answers[s.at : s.at+s.field.Kind.Bytes()*s.field.Width*s.count]})
		}
	}
	return list, nil
}

// Compare compares the answers of a driver bit by bit with the wanted answers. It returns the first
// difference of each field of each step, and the number of points that were compared. If the
// answers do not fit the job, Compare returns an error. Compare also returns an error if a
// different error code ends the comparison.
func Compare(steps []Step, want, got []byte) (different []Difference, compared int, err error) {
	all, err := segments(steps, want)
	if err != nil {
		return nil, 0, fmt.Errorf("wanted answers: %w", err)
	}
	for _, s := range all {
		size := s.field.Kind.Bytes() * s.field.Width
		end := s.at + size*s.count
		if end > len(got) {
			return different, compared, fmt.Errorf("the answers end in step %d, %s, after %d bytes", s.step, steps[s.step], len(got))
		}
		compared += s.count
		w, g := want[s.at:end], got[s.at:end]
		if bytes.Equal(w, g) {
			continue
		}
		i := 0
		for bytes.Equal(w[i*size:(i+1)*size], g[i*size:(i+1)*size]) {
			i++
		}
		d := Difference{s.open, s.points, s.step, s.field.Name, i,
			format(s.field, w[i*size:(i+1)*size]), format(s.field, g[i*size:(i+1)*size])}
		if s.field == statusField {
			d.Point = -1
			return append(different, d), compared, fmt.Errorf("step %d, %s: error code %s instead of %s", s.step, steps[s.step], d.Got, d.Want)
		}
		different = append(different, d)
	}
	if len(got) > len(want) {
		return different, compared, fmt.Errorf("%d bytes follow the answers of all steps", len(got)-len(want))
	}
	return different, compared, nil
}

// format prints the elements of a field. Numbers have their bits, because NaN and zeros can differ
// only there.
func format(f Field, b []byte) string {
	text := ""
	for k := range f.Width {
		if k > 0 {
			text += " "
		}
		switch b := b[k*f.Kind.Bytes():]; f.Kind {
		case Side:
			text += fmt.Sprint(int8(b[0]))
		case Int32:
			text += fmt.Sprint(int32(binary.LittleEndian.Uint32(b)))
		case Float64:
			bits := binary.LittleEndian.Uint64(b)
			text += fmt.Sprintf("%v (%016x)", math.Float64frombits(bits), bits)
		}
	}
	return text
}
