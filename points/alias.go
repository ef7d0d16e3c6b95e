package points

import (
	"github.com/inpoly/inpoly/points/internal/text"
	"github.com/inpoly/inpoly/points/table"
)

// The types that formats share are those of package table, under the names that a user
// of this package alone needs.
type (
	// Block is a run of consecutive rows; see table.Block.
	Block = table.Block
	// Column is an answer column; see table.Column.
	Column = table.Column
	// Kind says what an answer column holds and how it is written.
	Kind = table.Kind
	// Tally counts rows or lines of a kind.
	Tally = table.Tally
	// Counts is what is counted about rows.
	Counts = table.Counts
	// Field is a column of the input.
	Field = table.Field
	// Layout is what was detected of a text.
	Layout = text.Layout
	// RowError is a row of a text that could not be read.
	RowError = table.RowError
)

// The kinds of answer columns; see package table.
const (
	Inside  = table.Inside
	State   = table.State
	Number  = table.Number
	Bound   = table.Bound
	Integer = table.Integer
	Label   = table.Label
	Words   = table.Words
)

// The kinds of doubt about a file that a user can settle, and what a format cannot do.
var (
	// ErrFormat is wrapped by every error about an input that is not a point file
	// that is read.
	ErrFormat = table.ErrFormat
	// ErrColumns: it is not clear which columns hold x, y and z. Options.Columns says.
	ErrColumns = table.ErrColumns
	// ErrPreamble: the first row of a text is neither a header nor data. A comment
	// mark before it says that it can be passed over.
	ErrPreamble = table.ErrPreamble
	// ErrTransposed: an array has three rows and more columns than points have.
	ErrTransposed = table.ErrTransposed
	// ErrCannotHold: the output format has no place for a column or a value.
	ErrCannotHold = table.ErrCannotHold
)
