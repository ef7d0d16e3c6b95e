package ply

import (
	"bufio"
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
)

// padding is the comment whose spaces make room for the number of vertices.
const padding = "written by inpoly"

// Joiner joins the headers of PLY files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the number of all vertices, and the elements
// that may follow it unchanged. The padding comment shrinks by the digits that the number
// gains. It fails if the header has no such comment.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, vertex, err := readHeader(bufio.NewReader(bytes.NewReader(heads[0])))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range rows {
		if n > math.MaxInt64-total {
			return nil, errors.New("ply: more vertices than any file has")
		}
		total += n
	}
	out := h.WithVertices(vertex, strconv.FormatInt(total, 10), nil, nil)
	grown := len(out) - len(h.Text)
	start := bytes.LastIndex(out, []byte("comment "+padding))
	if start < 0 {
		return nil, errors.New("ply: header without room for the number of vertices")
	}
	start += len("comment " + padding)
	end := start
	for end < len(out) && out[end] == ' ' {
		end++
	}
	switch {
	case grown > end-start:
		return nil, errors.New("ply: header without room for the number of vertices")
	case grown > 0:
		out = slices.Delete(out, end-grown, end)
	default:
		out = slices.Insert(out, end, bytes.Repeat([]byte(" "), -grown)...)
	}
	return append(out, heads[0][len(h.Text):]...), nil
}
