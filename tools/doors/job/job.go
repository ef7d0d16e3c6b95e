// Package job defines the work that the drivers of all doors do, and the format of their answers.
//
// A job is a text file. A line is a step: its name and its arguments, separated by tabs. A driver is
// a program that gets a job and the name of a file, does all steps in order, and writes the answers
// of the steps to this file, one after the other, as little-endian numbers.
//
//	open     HOW METHOD RULE ORIENT TOLERANCE EPSILON WORKERS SPLIT SOURCE…
//	pose     FILE…
//	points   FILE N
//	sides
//	single   N
//	windings
//	distances
//	nearest
//	hits
//	locate   CHOICE
//
// HOW is file, memory or arrays. A SOURCE is the path of a mesh file. For arrays, two arguments are
// one mesh: a file of vertices (.f64, .f32) and a file of faces (.u32, .i32), or "-" if three
// vertices each form a face. SPLIT is 0 or 1. The points are a file of coordinates (.f64 or .f32).
//
// The answer of open is the code of the error as an int32, which is 0 for success. Steps up to the next open
// have no answers if open fails. The step pose replaces the solids by the same solids at poses. Each FILE
// (.f64) has the poses of one call, seven numbers each: a quaternion w, x, y, z and a translation. The step
// pose has no answers. Fields lists the answers of the other steps. The step single asks for the first N
// points one by one, and the others ask for all points at once. The step hits asks for the first hits of segments from
// each point to the next, and from the last to the first.
package job

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Step is one line of a job.
type Step struct {
	Name string
	Args []string
}

func (s Step) String() string { return s.Name + " " + strings.Join(s.Args, " ") }

// Open holds the arguments of the step open.
type Open struct {
	How, Method, Rule, Orient string
	Tolerance, Epsilon        float64
	Workers                   int
	Split                     bool
	Sources                   []string
}

// Step returns o as a step.
func (o Open) Step() Step {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	split := "0"
	if o.Split {
		split = "1"
	}
	return Step{"open", append([]string{o.How, o.Method, o.Rule, o.Orient, number(o.Tolerance), number(o.Epsilon),
		strconv.Itoa(o.Workers), split}, o.Sources...)}
}

// Open parses the arguments of the step open.
func (s Step) Open() (o Open, err error) {
	if s.Name != "open" || len(s.Args) < 9 {
		return o, fmt.Errorf("%s: not a complete step open", s)
	}
	a := s.Args
	o = Open{How: a[0], Method: a[1], Rule: a[2], Orient: a[3], Split: a[7] == "1", Sources: a[8:]}
	if o.Tolerance, err = strconv.ParseFloat(a[4], 64); err != nil {
		return o, err
	}
	if o.Epsilon, err = strconv.ParseFloat(a[5], 64); err != nil {
		return o, err
	}
	o.Workers, err = strconv.Atoi(a[6])
	return o, err
}

// Count returns the last argument as a number of points.
func (s Step) Count() (int, error) {
	if len(s.Args) == 0 {
		return 0, fmt.Errorf("%s: no number of points", s)
	}
	return strconv.Atoi(s.Args[len(s.Args)-1])
}

// Write writes a job.
func Write(path string, steps []Step) error {
	var text strings.Builder
	for _, s := range steps {
		for _, a := range s.Args {
			if a == "" || strings.ContainsAny(a, "\t\n\r") {
				return fmt.Errorf("%s: the argument %q is empty or has tabs or line feeds", s.Name, a)
			}
		}
		text.WriteString(strings.Join(append([]string{s.Name}, s.Args...), "\t") + "\n")
	}
	return os.WriteFile(path, []byte(text.String()), 0o644)
}

// Read reads a job.
func Read(path string) ([]Step, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var steps []Step
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		steps = append(steps, Step{words[0], words[1:]})
	}
	return steps, nil
}

// Kind is the type of the elements of an answer.
type Kind int

// These are the types of elements: a byte with a side, an int32, and a float64.
const (
	Side Kind = iota
	Int32
	Float64
)

// Bytes returns the size of an element.
func (k Kind) Bytes() int { return [...]int{Side: 1, Int32: 4, Float64: 8}[k] }

// Field is an answer for each point: Width elements of a Kind.
type Field struct {
	Name  string
	Kind  Kind
	Width int
}

var (
	sideField = Field{"side", Side, 1}
	windings  = []Field{{"winding", Float64, 1}, {"winding bound", Float64, 1}}
	distances = []Field{{"distance", Float64, 1}, {"distance bound", Float64, 1}}
	hits      = []Field{
		{"parameter", Float64, 1}, {"bound of the parameter", Float64, 1}, {"hit face", Int32, 1}, {"hit body", Int32, 1},
		{"sign", Side, 1}, {"jump", Side, 1},
	}
	nearest = []Field{{"nearest point", Float64, 3}, {"nearest face", Int32, 1}, {"nearest body", Int32, 1}}
)

// Fields returns the answers of a step in the order in which a driver writes them. Each field has
// one element for each point.
func Fields(name string) []Field {
	switch name {
	case "sides", "single":
		return []Field{sideField}
	case "windings":
		return windings
	case "distances":
		return distances
	case "nearest":
		return nearest
	case "hits":
		return hits
	case "locate":
		all := []Field{sideField}
		for _, some := range [][]Field{windings, distances, nearest, {{"body", Int32, 1}}} {
			all = append(all, some...)
		}
		return all
	}
	return nil
}
