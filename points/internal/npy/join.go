package npy

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// Joiner joins the headers of arrays. It implements table.Joiner.
type Joiner struct{}

// JoinHeads returns the first header with the number of all rows. It fails if the header
// has no room for it: Begin leaves room if the number is unknown.
func (Joiner) JoinHeads(heads [][]byte, rows []int64) ([]byte, error) {
	h, _, err := readHeader(bytes.NewReader(heads[0]))
	if err != nil {
		return nil, err
	}
	h.rows = 0
	for _, n := range rows {
		if n > math.MaxInt64-h.rows {
			return nil, errors.New("npy: more rows than any file has")
		}
		h.rows += n
	}
	out := h.encode(len(heads[0]))
	if len(out) != len(heads[0]) {
		return nil, fmt.Errorf("npy: header of %d bytes without room for the number of rows, %d", len(heads[0]), h.rows)
	}
	return out, nil
}
