package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/inpoly/inpoly"
)

// cancelTable measures how long calls run on after their context was cancelled,
// at moments spread over the call.
func cancelTable(data string, threads int) error {
	stl := filepath.Join(data, "sphere2097152.stl")
	opt := inpoly.Options{Workers: threads}
	solid, err := inpoly.Open(context.Background(), stl, opt)
	if err != nil {
		return err
	}
	opt.Method = inpoly.Direct
	direct, err := inpoly.Open(context.Background(), stl, opt)
	if err != nil {
		return err
	}
	pts, err := readPoints(filepath.Join(data, "sphere_r1e6.f64"))
	if err != nil {
		return err
	}
	pts = slices.Concat(pts, pts, pts, pts)
	sides, w, bound := make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
	faces := make([]int32, len(pts))
	fmt.Println("\n| call, 2,097,152 triangles | cancelled | median ms | largest ms |")
	fmt.Println("| --- | ---: | ---: | ---: |")
	for _, c := range []struct {
		name string
		call func(context.Context) error
	}{
		{"Open", func(ctx context.Context) error {
			_, err := inpoly.Open(ctx, stl, inpoly.Options{Workers: threads})
			return err
		}},
		{"SidesTo raycross", func(ctx context.Context) error { return solid.SidesTo(ctx, sides, pts) }},
		{"SidesTo direct", func(ctx context.Context) error { return direct.SidesTo(ctx, sides[:1000], pts[:1000]) }},
		{"WindingsTo", func(ctx context.Context) error { return solid.WindingsTo(ctx, w, bound, pts) }},
		{"DistancesTo", func(ctx context.Context) error { return solid.DistancesTo(ctx, w, faces, pts) }},
	} {
		if err := cancelRow(c.name, c.call); err != nil {
			return err
		}
	}
	return nil
}

func cancelRow(name string, call func(context.Context) error) error {
	const trials = 40
	var late []float64
	for i := range trials {
		ctx, cancel := context.WithCancel(context.Background())
		at := make(chan time.Time, 1)
		timer := time.AfterFunc(time.Duration(10+35*i)*time.Millisecond, func() {
			at <- time.Now()
			cancel()
		})
		err := call(ctx)
		end := time.Now()
		if timer.Stop() {
			cancel()
			break // done before it was cancelled
		}
		if !errors.Is(err, context.Canceled) {
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			continue // finished at the same moment
		}
		late = append(late, end.Sub(<-at).Seconds()*1e3)
	}
	if len(late) == 0 {
		return fmt.Errorf("%s was never cancelled", name)
	}
	fmt.Printf("| %s | %d times | %.1f | %.1f |\n", name, len(late), median(late), slices.Max(late))
	return nil
}
