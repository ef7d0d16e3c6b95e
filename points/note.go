package points

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/points/table"
)

// journal is a note of how far a run has come.
type journal struct {
	Version int            `json:"version"`
	Key     string         `json:"key"`
	Begun   bool           `json:"begun"` // there are rows
	Done    bool           `json:"done"`  // the output is whole
	Input   table.Position `json:"input"`
	Output  int64          `json:"output"`
	Sink    []byte         `json:"sink,omitempty"`
	Summary summaryNote    `json:"summary"`
}

// journalVersion changes with the meaning of a journal.
const journalVersion = 2

// summaryNote is a Summary without times; Box is nil where it is empty, as JSON knows no
// infinity.
type summaryNote struct {
	Rows      int64         `json:"rows"`
	Kept      int64         `json:"kept"`
	Sides     [4]int64      `json:"sides"`
	Comments  int64         `json:"comments"`
	NonFinite Tally         `json:"nonfinite"`
	RowLike   Tally         `json:"rowlike"`
	Ragged    Tally         `json:"ragged"`
	Box       *[2]r3.Vector `json:"box,omitempty"`
}

// note returns what a journal keeps of sum.
func (sum *Summary) note() summaryNote {
	n := summaryNote{Rows: sum.Rows, Kept: sum.Kept, Sides: sum.Sides,
		Comments: sum.Comments, NonFinite: sum.NonFinite, RowLike: sum.RowLike, Ragged: sum.Ragged}
	if sum.Min.X <= sum.Max.X {
		n.Box = &[2]r3.Vector{sum.Min, sum.Max}
	}
	return n
}

// summary is the inverse of note.
func (n *summaryNote) summary() Summary {
	sum := Summary{Rows: n.Rows, Kept: n.Kept, Sides: n.Sides, Resumed: n.Rows, Counts: table.NoCounts()}
	sum.Comments, sum.NonFinite, sum.RowLike, sum.Ragged = n.Comments, n.NonFinite, n.RowLike, n.Ragged
	if n.Box != nil {
		sum.Min, sum.Max = n.Box[0], n.Box[1]
	}
	return sum
}

// sealed is the file of a journal: a journal with the SHA-256 of its bytes.
type sealed struct {
	Journal json.RawMessage `json:"journal"`
	SHA256  string          `json:"sha256"`
}

// encode returns the file of j.
func (j *journal) encode() ([]byte, error) {
	data, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	file, err := json.Marshal(sealed{data, hex.EncodeToString(sum[:])})
	return append(file, '\n'), err
}

// errSpoilt says that a journal was not written as it is.
var errSpoilt = errors.New("its checksum is that of another content")

// decode reads a file that encode has made.
func (j *journal) decode(file []byte) error {
	var s sealed
	if err := json.Unmarshal(file, &s); err != nil {
		return err
	}
	if sum := sha256.Sum256(s.Journal); s.SHA256 != hex.EncodeToString(sum[:]) {
		return errSpoilt
	}
	return json.Unmarshal(s.Journal, j)
}

// check says what does not fit if j is of an output that has so many bytes and an input
// of so many, −1 if that is not known.
func (j *journal) check(input, output int64) error {
	switch {
	case j.Output < 0 || j.Output > output:
		return fmt.Errorf("it has %d bytes, its journal tells of %d", output, j.Output)
	case j.Input.Offset < 0 || j.Input.Row < 0:
		return fmt.Errorf("its journal tells of byte %d and row %d of the points", j.Input.Offset, j.Input.Row)
	case input >= 0 && j.Input.Offset > input:
		return fmt.Errorf("the points have %d bytes, its journal tells of %d", input, j.Input.Offset)
	}
	return nil
}
