package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/loaders"
	"github.com/inpoly/inpoly/mesh"
)

// cancelTable measures the time from the cancellation of a context to the end of the call, for
// moments spread over the call.
func (b *bench) cancelTable() error {
	stl := b.stl("sphere2097152")
	opt := inpoly.Options{Method: inpoly.RayCrossing, Workers: b.threads}
	solid, err := inpoly.Open(context.Background(), stl, opt)
	if err != nil {
		return err
	}
	opt.Method = inpoly.Cells
	cells, err := inpoly.Open(context.Background(), stl, opt)
	if err != nil {
		return err
	}
	opt.Method = inpoly.Direct
	direct, err := inpoly.Open(context.Background(), stl, opt)
	if err != nil {
		return err
	}
	pts, err := readPoints(b.f64("sphere_r1e6"))
	if err != nil {
		return err
	}
	pts = slices.Concat(pts, pts, pts, pts)
	sides, w, bound := make([]inpoly.Side, len(pts)), make([]float64, len(pts)), make([]float64, len(pts))
	faces := make([]int32, len(pts))
	soup, err := everyThirdFace(b.stl("foam"), b.threads)
	if err != nil {
		return err
	}
	header("<call", "canceled", "median ms", "largest ms")
	for _, c := range []struct {
		name string
		call func(context.Context) error
	}{
		{"Open, 2.1M triangles", func(ctx context.Context) error {
			_, err := inpoly.Open(ctx, stl, inpoly.Options{Method: inpoly.RayCrossing, Workers: b.threads})
			return err
		}},
		{"Open for cells, 2.1M", func(ctx context.Context) error {
			_, err := inpoly.Open(ctx, stl, inpoly.Options{Method: inpoly.Cells, Workers: b.threads})
			return err
		}},
		{"Open with Orient, 2.1M", func(ctx context.Context) error {
			_, err := inpoly.Open(ctx, stl, inpoly.Options{Workers: b.threads, Orient: true})
			return err
		}},
		{"SidesTo raycross, 2.1M", func(ctx context.Context) error { return solid.SidesTo(ctx, sides, pts) }},
		{"SidesTo cells, 2.1M", func(ctx context.Context) error {
			for { // one call would be over too soon
				if err := cells.SidesTo(ctx, sides, pts); err != nil {
					return err
				}
			}
		}},
		{"SidesTo direct, 2.1M", func(ctx context.Context) error { return direct.SidesTo(ctx, sides[:1000], pts[:1000]) }},
		{"WindingsTo, 2.1M", func(ctx context.Context) error { return solid.WindingsTo(ctx, w, bound, pts) }},
		{"DistancesTo, 2.1M", func(ctx context.Context) error { return solid.DistancesTo(ctx, w, faces, pts) }},
		{"SidesTo, soup of 201k triangles", func(ctx context.Context) error { return soup.SidesTo(ctx, sides, pts) }},
		{"WindingsTo, soup", func(ctx context.Context) error { return soup.WindingsTo(ctx, w, bound, pts) }},
		{"DistancesTo, soup", func(ctx context.Context) error { return soup.DistancesTo(ctx, w, faces, pts) }},
	} {
		if err := b.cancelRow(c.name, c.call); err != nil {
			return err
		}
	}
	return nil
}

// everyThirdFace returns a surface that is nearly all boundary.
func everyThirdFace(path string, threads int) (*inpoly.Solid, error) {
	all, _, err := loaders.Load(context.Background(), path, loaders.Options{})
	if err != nil {
		return nil, err
	}
	third := mesh.Soup{Vertices: all.Vertices}
	for f := 0; f < len(all.Faces); f += 3 {
		third.Faces = append(third.Faces, all.Faces[f])
	}
	m, err := mesh.NewOwned(context.Background(), third, mesh.Options{})
	if err != nil {
		return nil, err
	}
	return inpoly.New(context.Background(), m, inpoly.Options{Workers: threads})
}

func (b *bench) cancelRow(name string, call func(context.Context) error) error {
	trials := 40
	if b.quick {
		trials = 2
	}
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
			break // done before it was canceled
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
		return fmt.Errorf("%s was never canceled", name)
	}
	fmt.Printf("| %s | %d times | %.1f | %.1f |\n", name, len(late), median(late), slices.Max(late))
	return nil
}
