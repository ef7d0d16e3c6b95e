package view

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/png"
	"math"
)

// The page computes the winding number of a moved slice itself if the mesh is closed and is drawn
// with all its triangles. For other meshes, the page has a stack of slices across each axis, and a
// slice can move only from one of them to the next.
const (
	// stackSlices is the number of slices across each axis. The sides of the box count twice, so
	// that no slice lies on a side of the box.
	stackSlices = 24 // tuning
	// stackPixels is the number of pixels of each slice along the longer side.
	stackPixels = 72 // tuning: all slices of a cube need 370,000 winding numbers
)

// stack holds slices across one axis, in ascending order.
type stack struct {
	slices []*slice
}

// exactSlices reports whether the page computes the winding numbers of moved slices. A ray in the
// plane of the slice crosses the faces where it crosses the section of the mesh. The boundary chain
// is empty, so the sum of the signs of the crossings is the winding number.
func (s *Scene) exactSlices() bool {
	return s.report.Diagnosis.ZeroBoundary && !s.surface.reduced
}

// stack computes the stacks if the page needs them. Errors: the error of ctx.
func (s *Scene) stack(ctx context.Context) error {
	if s.exactSlices() || s.slice == nil || s.opt.NoStacks {
		return ctx.Err()
	}
	for k := range s.stacks {
		lo, hi := axis(s.box.Min, k), axis(s.box.Max, k)
		x := &stack{}
		crowd := 0.0
		for i := range stackSlices {
			t := (float64(i) + 0.5) / stackSlices
			v := lo*(1-t) + hi*t
			if i > 0 && !(v > x.slices[i-1].plane.Value) {
				break // the box has no room for more slices
			}
			one := emptySlice(s.box, Plane{k, v}, s.up())
			if one == nil {
				break
			}
			x.slices = append(x.slices, one)
			crowd += one.crowd(s.subject)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		for _, one := range x.slices {
			if err := one.compute(ctx, s.subject, affordable(stackPixels, stackWork, crowd)); err != nil {
				return err
			}
		}
		if len(x.slices) > 0 {
			s.stacks[k] = x
		}
	}
	return ctx.Err()
}

// sheet returns the colors of all slices as the data URL of one picture: the slices from top to
// bottom, all of the same size.
func (x *stack) sheet() (string, error) {
	first := x.slices[0]
	img := image.NewNRGBA(image.Rect(0, 0, first.cols, first.rows*len(x.slices)))
	for k, one := range x.slices {
		for i, w := range one.w {
			img.SetNRGBA(i%one.cols, k*one.rows+i/one.cols, windingColor(w))
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return "", err
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// stackSetting describes a stack in the page.
type stackSetting struct {
	Values []float64 `json:"values"` // positions of the slices
	Cols   int       `json:"cols"`
	Rows   int       `json:"rows"`
	Bound  float64   `json:"bound"` // largest error bound of a winding number
	Sheet  string    `json:"sheet"` // see stack.sheet
}

func (x *stack) setting() (*stackSetting, error) {
	sheet, err := x.sheet()
	if err != nil {
		return nil, err
	}
	out := &stackSetting{Cols: x.slices[0].cols, Rows: x.slices[0].rows, Sheet: sheet}
	for _, one := range x.slices {
		out.Values = append(out.Values, one.plane.Value)
		out.Bound = max(out.Bound, min(one.bound, math.MaxFloat64)) // JSON has no infinite numbers
	}
	return out, nil
}
