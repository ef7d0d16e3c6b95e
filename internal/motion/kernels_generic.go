//go:build !amd64 || noasm

package motion

import "github.com/golang/geo/r3"

// PositionsTo writes the rounded positions of pts in the frame of the body to dst.
func (pl *Placement) PositionsTo(dst, pts []r3.Vector) { pl.positionsGeneric(dst, pts) }
