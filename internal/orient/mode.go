package orient

import (
	"fmt"
	"strings"

	"github.com/inpoly/inpoly/mesh"
)

// Mode selects the parts of a mesh that Repair can change. The zero value is Auto.
type Mode uint8

const (
	// Auto changes only parts with misoriented edges. Such an edge has exactly two faces, and both
	// faces run along the edge in the same direction.
	Auto Mode = iota
	// Never changes nothing.
	Never
	// Always also turns shells without misoriented edges outward.
	Always
)

var modeNames = [...]string{"auto", "never", "always"}

// String returns the name that ParseMode accepts.
func (o Mode) String() string {
	if int(o) < len(modeNames) {
		return modeNames[o]
	}
	return fmt.Sprintf("Orient(%d)", uint8(o))
}

// ParseMode returns the mode with the given name: auto, never or always. It ignores the case of
// letters.
func ParseMode(name string) (Mode, error) {
	for i, n := range modeNames {
		if strings.EqualFold(n, name) {
			return Mode(i), nil
		}
	}
	return Auto, fmt.Errorf("unknown orientation %q: expected one of %s", name, strings.Join(modeNames[:], ", "))
}

// MarshalText returns the name of o.
func (o Mode) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText sets o to the mode with the given name. ParseMode lists the names.
func (o *Mode) UnmarshalText(text []byte) (err error) {
	*o, err = ParseMode(string(text))
	return err
}

// Examines reports whether Repair with this mode examines m. For Auto, it depends on a count that
// mesh.New has computed.
func (o Mode) Examines(m *mesh.Mesh) bool {
	return o == Always || o == Auto && m.MisorientedEdges() > 0
}
