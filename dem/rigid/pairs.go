package rigid

import (
	"context"
	"fmt"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// pairFinder finds the pairs of bodies that touch, also through the sides of a periodic cell.
type pairFinder[T neighbor.Body] struct {
	method   neighbor.Method[T]
	periodic *neighbor.Periodic[T] // method, if an axis is periodic
	found    []neighbor.Contact
}

func newPairFinder[T neighbor.Body](w *World) *pairFinder[T] {
	f := &pairFinder[T]{method: neighbor.NewAuto[T](neighbor.AutoOptions{Workers: w.opt.Workers})}
	if w.isPeriodic() {
		p, err := neighbor.NewPeriodic(f.method, w.cell)
		if err != nil {
			panic(fmt.Sprintf("rigid: a checked cell is invalid: %v", err))
		}
		f.method, f.periodic = p, p
	}
	return f
}

// update finds the pairs of the bodies, in ascending order.
func (f *pairFinder[T]) update(ctx context.Context, bodies []T) error {
	if err := f.method.Update(ctx, bodies); err != nil {
		return err
	}
	if f.periodic != nil {
		f.found = append(f.found[:0], f.periodic.Contacts()...)
		return nil
	}
	f.found = f.found[:0]
	for _, p := range f.method.Pairs() {
		f.found = append(f.found, neighbor.Contact{Pair: p})
	}
	return nil
}

// shift returns the vector by which an image is moved.
func (w *World) shift(image [3]int32) r3.Vector {
	if image == [3]int32{} {
		return r3.Vector{}
	}
	return w.cell.Move(r3.Vector{}, image)
}

func opposite(image [3]int32) [3]int32 { return [3]int32{-image[0], -image[1], -image[2]} }
