//go:build !amd64 || noasm

package layout

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/side"
)

const hasAVX2 = false

func lookUpAVX2(*kernelArgs, *r3.Vector, int, *side.Side, *uint8) { panic("cells: no assembly") }

func planeSignsAVX2(**Record, *uint64, int, *uint16) { panic("cells: no assembly") }

func cellSignsAVX2(*Record, *uint64, int, *uint16) { panic("cells: no assembly") }

func cornerSignsAVX2(*Record, *[8]uint8, *[8]uint8) { panic("cells: no assembly") }

func planeLanesAVX2(*Lanes, int, *uint8) { panic("cells: no assembly") }

func segmentLanesAVX2(*Lanes, int, *uint8) { panic("cells: no assembly") }
