package collide

import (
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// newBroad returns the broad phase that is used where Options names none.
func newBroad(workers int) neighbor.Method[bvh.Box] {
	return neighbor.NewAuto[bvh.Box](neighbor.AutoOptions{Workers: workers})
}
