package mesh

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inpoly/inpoly/internal/plural"
)

// Orient selects the parts of a mesh whose faces are turned over. The zero value is OrientAuto.
type Orient uint8

const (
	// OrientAuto changes only parts with misoriented edges. Such an edge has exactly two faces, and both
	// faces run along the edge in the same direction.
	OrientAuto Orient = iota
	// OrientNever changes nothing.
	OrientNever
	// OrientAlways also turns shells without misoriented edges outward.
	OrientAlways
)

var orientNames = [...]string{"auto", "never", "always"}

// OrientNames returns the names of all values, in their order.
func OrientNames() []string { return slices.Clone(orientNames[:]) }

// String returns the name that ParseOrient accepts.
func (o Orient) String() string {
	if int(o) < len(orientNames) {
		return orientNames[o]
	}
	return fmt.Sprintf("Orient(%d)", uint8(o))
}

// ParseOrient returns the mode with the given name: auto, never or always. It ignores the case of
// letters.
func ParseOrient(name string) (Orient, error) {
	for i, n := range orientNames {
		if strings.EqualFold(n, name) {
			return Orient(i), nil
		}
	}
	return OrientAuto, fmt.Errorf("unknown orientation %q: expected one of %s", name, strings.Join(orientNames[:], ", "))
}

// MarshalText returns the name of o.
func (o Orient) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText sets o to the mode with the given name. ParseOrient lists the names.
func (o *Orient) UnmarshalText(text []byte) (err error) {
	*o, err = ParseOrient(string(text))
	return err
}

// Examines reports whether a repair with this mode examines m. For OrientAuto, it depends on a count that New has computed.
func (o Orient) Examines(m *Mesh) bool {
	return o == OrientAlways || o == OrientAuto && m.MisorientedEdges() > 0
}

// OrientReport counts the findings and the changes of the repair of orientation.
type OrientReport struct {
	Faces         int  // faces that were turned over
	Components    int  // components of the mesh with a face that was turned over; see Component
	Patches       int  // sets of faces that are connected through edges of exactly two faces
	Inconsistent  int  // faces that disagreed with the majority of their patch
	Shells        int  // parts that enclose a volume; all faces of a shell turn or none
	Turned        int  // shells that were turned as a whole
	NonOrientable int  // patches without a consistent orientation, such as a Möbius strip; they stay as they are
	Doubtful      int  // parts whose orientation relative to other parts depends on a majority of less than ⅔; 0 with OrientAlways
	Parity        bool // no patch can be oriented, and all edges are even, so only parity determines the inside
}

// Changes returns the number of faces that were turned over, such as "3 faces in 1 component".
func (r *OrientReport) Changes() string {
	return plural.Count(int64(r.Faces), "face") + " in " + plural.Count(int64(r.Components), "component")
}
