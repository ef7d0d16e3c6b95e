package ply

import (
	"bufio"
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
)

// padding is a comment in the header. The spaces after it reserve room for the digits of the number
// of vertices.
const padding = "written by inpoly"

// Joiner joins the headers of PLY files. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the number of all vertices. Elements after that header
// stay unchanged. The spaces of the padding comment make room for additional digits. JoinHeads
// fails if the header has no such comment.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, vertex, err := readHeader(bufio.NewReader(bytes.NewReader(heads[0])))
	if err != nil {
		return nil, err
	}
	total := int64(0)
	for _, n := range rows {
		if n > math.MaxInt64-total {
			return nil, errors.New("ply: the number of vertices exceeds int64")
		}
		total += n
	}
	out := h.WithVertices(vertex, strconv.FormatInt(total, 10), nil, nil)
	grown := len(out) - len(h.Text)
	const comment = "comment " + padding
	start := bytes.LastIndex(out, []byte(comment)) + len(comment)
	end := start
	for end < len(out) && out[end] == ' ' {
		end++
	}
	switch {
	case start < len(comment) || grown > end-start:
		return nil, errors.New("ply: the header has no room for the number of vertices")
	case grown > 0:
		out = slices.Delete(out, end-grown, end)
	default:
		out = slices.Insert(out, end, bytes.Repeat([]byte(" "), -grown)...)
	}
	return append(out, heads[0][len(h.Text):]...), nil
}
