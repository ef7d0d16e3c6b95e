package points

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/testcloud"
	"github.com/inpoly/inpoly/points/table"
)

// answerHalf is an Answer function that calls testcloud.Half.
func answerHalf(_ context.Context, b *table.Block) error {
	testcloud.Half(b)
	return nil
}

var insideColumn = []table.Column{{Name: "inside", Kind: table.Inside}}

// run runs a Job with the Answer function answerHalf and returns the output.
func run(in []byte, opt Options, workers int, cols []table.Column) (string, Summary, error) {
	return runJob(in, opt, Job{Columns: cols, Answer: answerHalf, Workers: workers})
}

// runJob runs the given Job on the input, and returns the output.
func runJob(in []byte, opt Options, job Job) (string, Summary, error) {
	r, err := NewReader("in", bytes.NewReader(in), opt)
	if err != nil {
		return "", Summary{}, err
	}
	defer r.Close()
	var out bytes.Buffer
	sum, err := job.Run(context.Background(), r, &out)
	return out.String(), sum, err
}

func readAll(in []byte, opt Options) ([]r3.Vector, error) {
	r, err := NewReader("in", bytes.NewReader(in), opt)
	if err != nil {
		return nil, err
	}
	var pts []r3.Vector
	var b table.Block
	for {
		err := r.Next(&b)
		if errors.Is(err, io.EOF) {
			return pts, nil
		}
		if err != nil {
			return nil, err
		}
		pts = append(pts, b.Points...)
	}
}

// array is a matrix of numbers, stored row by row.
type array struct {
	rows, columns int
	v             []float64
}

// file returns an npy file with the elements of a. Their type is "<f8" or "<f4".
func (a array) file(descr string, fortran bool) []byte {
	var data []byte
	for i := range a.v {
		k := i
		if fortran {
			k = i%a.rows*a.columns + i/a.rows
		}
		if descr == "<f8" {
			data = binary.LittleEndian.AppendUint64(data, math.Float64bits(a.v[k]))
		} else {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(a.v[k])))
		}
	}
	word := map[bool]string{false: "False", true: "True"}[fortran]
	dict := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }\n", descr, word, a.rows, a.columns)
	out := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(dict)))
	return append(append(out, dict...), data...)
}
