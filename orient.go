package inpoly

import (
	"context"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/mesh"
	"github.com/inpoly/inpoly/raycross"
	"github.com/inpoly/inpoly/side"
)

// Orientation tells what Options.Orient did.
type Orientation struct {
	// Inconsistent is the number of faces flipped to agree with their neighbours.
	Inconsistent int
	// Turned is the number of components flipped as a whole.
	Turned int
	// NonOrientable is the number of components on which no orientation is
	// consistent (a Möbius strip); they stay as they were.
	NonOrientable int
}
