// Command answers computes all answers with Go, for comparison with those of JavaScript:
//
//	answers [-rule RULE] [-float32] POINTS OUT MESH
//
// POINTS has coordinates x y z as little-endian float64 or float32. The files OUT.NAME get the answers,
// also little-endian. The names are those of Solid.locate.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"os"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/binding"
	"github.com/inpoly/inpoly/side"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}
}

func run() error {
	rule := flag.String("rule", "", "")
	narrow := flag.Bool("float32", false, "")
	flag.Parse()
	points, out, path := flag.Arg(0), flag.Arg(1), flag.Arg(2)
	data, err := os.ReadFile(points)
	if err != nil {
		return err
	}
	ctx := context.Background()
	s, err := binding.Open(ctx, []string{path}, binding.Options{Rule: *rule})
	if err != nil {
		return err
	}
	n := len(data) / 24
	if *narrow {
		n = len(data) / 12
	}
	a := binding.Answers{
		Sides: make([]side.Side, n), Winding: make([]float64, n), Bound: make([]float64, n),
		Distance: make([]float64, n), DistanceBound: make([]float64, n),
		Nearest: make([]r3.Vector, n), Face: make([]int32, n), NearestBody: make([]int32, n), Body: make([]int32, n),
	}
	if *narrow {
		pts := make([]float32, 3*n)
		if err = binary.Read(bytes.NewReader(data), binary.LittleEndian, pts); err == nil {
			fill := func(dst []r3.Vector, lo int) {
				for i := range dst {
					c := pts[3*(lo+i):]
					dst[i] = r3.Vector{X: float64(c[0]), Y: float64(c[1]), Z: float64(c[2])}
				}
			}
			err = s.LocateFuncTo(ctx, a, n, fill, nil)
		}
	} else {
		pts := make([]r3.Vector, n)
		if err = binary.Read(bytes.NewReader(data), binary.LittleEndian, pts); err == nil {
			err = s.LocateTo(ctx, a, pts, nil)
		}
	}
	if err != nil {
		return err
	}
	for name, values := range map[string]any{
		"sides": a.Sides, "windings": a.Winding, "windingBounds": a.Bound, "distances": a.Distance, "distanceBounds": a.DistanceBound,
		"nearest": a.Nearest, "faces": a.Face, "nearestBodies": a.NearestBody, "bodies": a.Body,
	} {
		var text bytes.Buffer
		if err := binary.Write(&text, binary.LittleEndian, values); err != nil {
			return err
		}
		if err := os.WriteFile(out+"."+name, text.Bytes(), 0o666); err != nil {
			return err
		}
	}
	return nil
}
