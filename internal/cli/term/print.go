package term

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/plural"
)

// Object is a JSON object that keeps its order: alternating names and values. A field with the
// value nil is omitted.
type Object []any

// MarshalJSON implements json.Marshaler.
func (o Object) MarshalJSON() ([]byte, error) {
	b := bytes.NewBufferString("{")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	for field := range slices.Chunk(o, 2) {
		if field[1] == nil {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:", field[0])
		if err := e.Encode(field[1]); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// OmitZero returns x, or nil if x is the zero value.
func OmitZero[T comparable](x T) any {
	var zero T
	if x == zero {
		return nil
	}
	return x
}

// Number is a float64 that becomes null in JSON if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if d := float64(n) - float64(n); d != d {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// Numbers returns the coordinates of v.
func Numbers(v r3.Vector) [3]Number { return [3]Number{Number(v.X), Number(v.Y), Number(v.Z)} }

// PrintJSON writes x as JSON. indent is the string for one level of indentation. If indent is "",
// the JSON is one line.
func PrintJSON(w io.Writer, x any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	return e.Encode(x)
}

// Rate returns n per second, or 0 if d is not positive.
func Rate(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Short returns x with three digits and a unit, such as "1.23 M".
func Short(x float64) string {
	switch { // 999.5 would become 1e+03
	case x >= 999.5e6:
		return fmt.Sprintf("%.3g G", x/1e9)
	case x >= 999.5e3:
		return fmt.Sprintf("%.3g M", x/1e6)
	case x >= 999.5:
		return fmt.Sprintf("%.3g k", x/1e3)
	}
	return fmt.Sprintf("%.3g", x)
}

// Summarize prints the summary of a run and, if format is "json", the statistics.
func (t *Terminal) Summarize(summary, format string, statistics Object) error {
	t.Note("%s", summary)
	if format != "json" {
		return nil
	}
	return PrintJSON(t.Err, statistics, "")
}

// CheckUncertain returns a StrictError if strict is set and n results are uncertain. noun names one
// result.
func CheckUncertain(strict bool, n int64, noun string) error {
	if strict && n > 0 {
		return Strictf("%s uncertain", plural.Count(n, noun))
	}
	return nil
}
