package collide

import (
	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/neighbor"
)

// newBroad returns the broad phase that is used where Options names none: the hierarchical
// grid, whose time is linear in the number of bodies, however different their sizes and
// however they move.
func newBroad(workers int) neighbor.Method[bvh.Box] {
	return neighbor.NewHierarchicalGrid[bvh.Box](neighbor.GridOptions{Workers: workers})
}
