package main

// #include "export.h"
import "C"

import (
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/assembly"
	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/section"
	"github.com/inpoly/inpoly/side"
)

// This package does not compile if the numbers of inpoly.h differ from the numbers in Go: a key would
// then occur twice.
var _ = map[bool]string{
	false: "",
	C.INPOLY_SIDE_UNKNOWN == side.Unknown && C.INPOLY_SIDE_OUTSIDE == side.Outside &&
		C.INPOLY_SIDE_ON_SURFACE == side.OnSurface && C.INPOLY_SIDE_INSIDE == side.Inside: "sides",
}

var _ = map[bool]string{
	false: "",
	C.INPOLY_BODY_FIRST == assembly.First && C.INPOLY_BODY_INNERMOST == assembly.Innermost && C.INPOLY_BODY_COUNT == assembly.Count: "choices",
}

var _ = map[bool]string{
	false: "",
	C.INPOLY_FEATURE_VERTEX == inpoly.FeatureVertex && C.INPOLY_FEATURE_EDGE == inpoly.FeatureEdge &&
		C.INPOLY_FEATURE_FACE == inpoly.FeatureFace: "features",
}

var _ = map[bool]string{
	false: "",
	C.INPOLY_OK == binding.OK && C.INPOLY_ARGUMENT == binding.Argument && C.INPOLY_HANDLE == binding.Handle &&
		C.INPOLY_OPTION == binding.Option && C.INPOLY_FILE == binding.File && C.INPOLY_FORMAT == binding.Format &&
		C.INPOLY_MESH == binding.MeshInvalid && C.INPOLY_TOO_LARGE == binding.TooLarge &&
		C.INPOLY_CANCELED == binding.Canceled && C.INPOLY_INTERNAL == binding.Internal: "statuses",
}

// Arrays of the caller are used without a copy, so their elements must have the same layout.
var _ = map[bool]string{
	false: "",
	unsafe.Sizeof(r3.Vector{}) == 3*C.sizeof_double && unsafe.Offsetof(r3.Vector{}.Z) == 2*C.sizeof_double &&
		unsafe.Sizeof(side.Inside) == 1 && unsafe.Sizeof(inpoly.FeatureFace) == 1 &&
		unsafe.Sizeof(section.Plane{}) == 6*C.sizeof_double && unsafe.Sizeof(C.inpoly_pose{}) == 7*C.sizeof_double: "layouts",
}
