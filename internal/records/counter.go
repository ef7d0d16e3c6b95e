package records

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
	"github.com/inpoly/inpoly/points/table"
)

// Counter is the part of a sink that counts rows and writes their number into a header of text. It
// implements the methods of table.HeaderPatcher and table.Resumer except Format.
type Counter struct {
	Written int64 `json:"written"` // number of rows written
	rows    int64 // argument of Begin: the number of rows, or −1 if unknown
	most    int64 // upper bound of the number of rows, or −1 if unknown
	begun   int64 // number of rows in the header that Begin wrote
	format  string
	encode  func(count string, pad int) []byte
}

// NoPad is the argument pad of the function encode for a header whose length can vary.
const NoPad = -1

// NewCounter returns a Counter. The format is the name for error messages. most is the largest number
// of rows, or −1 if it is unknown. The function encode returns the header with the given number of
// rows. If pad is not NoPad, the header must also have room for pad more digits.
func NewCounter(format string, most int64, encode func(count string, pad int) []byte) Counter {
	return Counter{rows: -1, most: most, format: format, encode: encode}
}

// PadComment returns the text of the comment whose spaces reserve room for digits.
func PadComment(spaces int) string { return Padding + strings.Repeat(" ", spaces) }

// Padding is the text of the comment whose spaces reserve room for digits.
const Padding = "written by inpoly"

// Begin writes the header. If the number of rows is unknown, the header has an upper bound of the
// number, and room for more digits.
func (c *Counter) Begin(w io.Writer, rows int64) error {
	c.setRows(rows)
	_, err := w.Write(c.header(c.begun))
	return err
}

func (c *Counter) setRows(rows int64) {
	if c.rows, c.begun = rows, rows; rows < 0 {
		c.begun = max(0, c.most)
	}
}

// header returns the header for the given number of rows. If the argument of Begin was −1, the
// length of the header does not depend on this number.
func (c *Counter) header(rows int64) []byte {
	count := strconv.FormatInt(rows, 10)
	if c.rows >= 0 {
		return c.encode(count, NoPad)
	}
	const digits = 19 // the largest int64 has 19 digits
	return c.encode(count, digits-len(count))
}

// Write writes b.Out.
func (c *Counter) Write(w io.Writer, b *table.Block) error {
	c.Written += int64(b.Kept())
	_, err := w.Write(b.Out)
	return err
}

// End fails if the number of written rows differs from the argument of Begin.
func (c *Counter) End(io.Writer) error {
	if c.rows >= 0 && c.rows != c.Written {
		return plural.Errorf("%d rows were written, but the header says %d", c.Written, c.rows)
	}
	return nil
}

// NeedsPatch reports whether the number of rows is unknown.
func (c *Counter) NeedsPatch(rows int64) bool { return rows < 0 }

// FinalHeader returns the header with the number of rows, or nil if Begin wrote the same header.
func (c *Counter) FinalHeader() []byte {
	if c.rows >= 0 || c.Written == c.begun {
		return nil
	}
	return c.header(c.Written)
}

// State returns the number of written rows.
func (c *Counter) State() ([]byte, error) { return json.Marshal(c) }

// Resume continues after the rows of an earlier run.
func (c *Counter) Resume(rows int64, state []byte) error {
	c.setRows(rows)
	if err := json.Unmarshal(state, c); err != nil {
		return fmt.Errorf("%s: cannot read the state of an earlier run: %w", c.format, err)
	}
	if c.Written < 0 || c.most >= 0 && c.Written > c.most {
		return plural.Errorf("%s: the state of an earlier run does not fit the input: %d rows were written, but the input has %d", c.format, c.Written, c.most)
	}
	return nil
}
