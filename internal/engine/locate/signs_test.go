package locate

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inpoly/inpoly/side"
)

// SetSigns must set the same signs as Signed, for batches of one block and of several.
func TestSetSigns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{0, 1, signBlock, 3*signBlock + 5} {
		d, face, sides, want := make([]float64, n), make([]int32, n), make([]side.Side, n), make([]float64, n)
		for i := range d {
			d[i], face[i], sides[i] = r.Float64(), int32(r.IntN(5))-1, side.Side(r.IntN(4))
			if face[i] < 0 {
				d[i] = math.NaN()
			}
			want[i] = Signed(d[i], sides[i])
		}
		SetSigns(d, face, sides, 3)
		for i := range d {
			if math.Float64bits(d[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%d distances: distance %d with side %v is %v, want %v", n, i, sides[i], d[i], want[i])
			}
		}
	}
}
