package points

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/inpoly/inpoly/points/table"
)

// TestWarnings converts points to LAS, which rounds coordinates. The Summary must have a warning
// about rounding. If the rounding error of a row is too large, the error must name the line. If
// this row is dropped, there must be no error.
func TestWarnings(t *testing.T) {
	in := []byte("x,y,z\n# two rows\n0.5,0.5,0.5\n-3.4028235e38,0,0\n5,5,5\n")
	job := Job{Columns: insideColumn, Answer: answerHalf, Format: "las"}
	want := "in: line 4: x is -3.4028235e+38: with this row, LAS would round x"
	if _, sum, err := runJob(in, Options{}, job); !errors.Is(err, table.ErrCannotHold) || !strings.HasPrefix(fmt.Sprint(err), want) || sum.Warnings != nil {
		t.Errorf("%v, %q, want %s", err, sum.Warnings, want)
	}
	job.Answer = dropOdd
	job.Drops = true
	if _, sum, err := runJob([]byte("x,y,z\n2,0,0\n-3.4028235e38,0,0\n4,5,5\n"), Options{}, job); err != nil || sum.Kept != 2 || sum.Warnings != nil {
		t.Errorf("%v, %d rows, %q", err, sum.Kept, sum.Warnings)
	}
	in = []byte("x,y,z\n0.5,0.5,0.5\n0.12345678901234567,0,0\n5,5,5\n")
	job = Job{Columns: insideColumn, Answer: answerHalf, Format: "las"}
	want = "[las: coordinates of 1 of 3 rows are rounded, to steps of 1e-07 in x, 1e-07 in y and 1e-07 in z; the first is line 3]"
	if _, sum, err := runJob(in, Options{}, job); err != nil || fmt.Sprint(sum.Warnings) != want {
		t.Errorf("%v, %q, want %s", err, sum.Warnings, want)
	}
}
