package bvh

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/golang/geo/r3"
)

// rounds selects the number of rounds of a seeded check: all of them if INPOLY_FULL=1 is set, else
// a sample. With -short it is a tenth of the sample.
func rounds(sample, all int) int {
	switch {
	case os.Getenv("INPOLY_FULL") == "1":
		return all
	case testing.Short():
		return max(1, sample/10)
	}
	return sample
}

func TestBuildIsValidOnEveryKindOfBox(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		for n := range rounds(70, 300) {
			for _, leaf := range []int{0, 1, 3, 8, 2000} {
				tree := build(t, s.boxes(r, n), Options{MaxLeaf: leaf})
				want := leaf
				if leaf == 0 {
					want = DefaultMaxLeaf
				}
				want = min(want, maxMaxLeaf)
				for _, node := range tree.nodes {
					if int(node.link.count) > want {
						t.Fatalf("leaf of %d boxes, want at most %d", node.link.count, want)
					}
				}
			}
		}
		boxes := s.boxes(r, 5000)
		build(t, boxes, Options{})
		build(t, boxes, Options{MaxLeaf: 5000})
	})
}

func TestBuildGivesTheSameTreeForAnyNumberOfWorkers(t *testing.T) {
	eachSource(t, func(t *testing.T, s source, r *rand.Rand) {
		boxes := s.boxes(r, rounds(30000, 100000))
		want := build(t, boxes, Options{Workers: 1})
		for _, workers := range []int{0, 2, 7} {
			got := build(t, boxes, Options{Workers: workers})
			if !slices.Equal(got.nodes, want.nodes) || !slices.Equal(got.index, want.index) {
				t.Fatalf("%d workers: another tree", workers)
			}
		}
	})
}

// Each box whose index is a multiple of step is a point at the origin. The other boxes are random
// points. A sample with that step contains only boxes at the origin.
func TestBuildWhenTheSampleSeesOnePlace(t *testing.T) {
	const n = 1 << 16
	for _, step := range []int{sampleStep(n), n / sample, 3 * sampleStep(n)} {
		r := rand.New(rand.NewPCG(9, uint64(step)))
		boxes := make([]Box, n)
		for i := range boxes {
			p := r3.Vector{}
			if i%step != 0 {
				p = r3.Vector{X: r.Float64(), Y: r.Float64(), Z: r.Float64()}
			}
			boxes[i] = Box{Min: p, Max: p}
		}
		build(t, boxes, Options{})
	}
}

func TestBuildBoundsTheDepth(t *testing.T) {
	// In the inputs nested and spread, each box is half as large as the previous box. So each split
	// by surface area separates only the largest boxes from the rest.
	var nested, spread, same, line []Box
	for k := range 2000 {
		v := math.Ldexp(1, -k)
		nested = append(nested, Box{Max: r3.Vector{X: v, Y: v, Z: v}})
		spread = append(spread, Box{Min: r3.Vector{X: v, Y: 0, Z: 0}, Max: r3.Vector{X: 2 * v, Y: v, Z: v}})
		same = append(same, Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}})
		line = append(line, Box{Min: r3.Vector{X: float64(k * k * k)}, Max: r3.Vector{X: float64(k * k * k)}})
	}
	for _, row := range []struct {
		name  string
		boxes []Box
	}{{"nested", nested}, {"spread", spread}, {"same", same}, {"line", line}} {
		build(t, row.boxes, Options{MaxLeaf: 1}) // build calls Validate, which checks the depth
	}
}

// The boxes are a fine lattice and one box far away. A single integer grid over all boxes would not
// resolve the lattice. But a query in the lattice must visit few nodes.
func TestBuildResolvesDetails(t *testing.T) {
	for _, far := range []float64{1e3, 1e9, 1e14} {
		var boxes []Box
		for k := range 4096 {
			p := r3.Vector{X: float64(k & 15), Y: float64(k >> 4 & 15), Z: float64(k >> 8 & 15)}
			boxes = append(boxes, Box{Min: p, Max: p.Add(r3.Vector{X: 1, Y: 1, Z: 1})})
		}
		boxes = append(boxes, Box{Min: r3.Vector{X: far, Y: far, Z: far}, Max: r3.Vector{X: far, Y: far, Z: far}})
		tree := build(t, boxes, Options{MaxLeaf: 1})
		var w PointWalk
		for k := range 200 {
			x := float64(k%16) + 0.5
			w.Start(tree, r3.Vector{X: x, Y: math.Mod(3*x, 16), Z: math.Mod(7*x, 16)})
			for _, _, ok := w.Next(); ok; _, _, ok = w.Next() {
			}
		}
		if w.Nodes > 200*60 {
			t.Errorf("far %g: %d nodes for 200 points in a lattice of 4096 boxes", far, w.Nodes)
		}
	}
}

func TestBuildRefusesBadBoxes(t *testing.T) {
	good := Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}
	nan, inf := math.NaN(), math.Inf(1)
	for _, row := range []struct {
		name string
		box  Box
	}{
		{"empty", EmptyBox()},
		{"inverted x", Box{Min: r3.Vector{X: 1}}},
		{"inverted y", Box{Min: r3.Vector{Y: 1}}},
		{"inverted z", Box{Min: r3.Vector{Z: 1}}},
		{"NaN minimum", Box{Min: r3.Vector{Y: nan}, Max: good.Max}},
		{"NaN maximum", Box{Max: r3.Vector{X: 1, Y: 1, Z: nan}}},
		{"infinite", Box{Max: r3.Vector{X: inf, Y: 1, Z: 1}}},
		{"infinite minimum", Box{Min: r3.Vector{X: -inf}, Max: good.Max}},
	} {
		for _, n := range []int{1, 10, 20000} {
			boxes := make([]Box, n)
			for i := range boxes {
				boxes[i] = good
			}
			at := n / 2
			boxes[at], boxes[n-1] = row.box, row.box
			tree, err := Build(context.Background(), boxes, Options{Workers: 2})
			var bad *BoxError
			if !errors.As(err, &bad) || bad.Index != at || tree != nil {
				t.Errorf("%s at %d of %d: got %v, %v", row.name, at, n, tree, err)
			}
		}
	}
}

func TestBuildStopsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{0, 1, 10000} {
		if tree, err := Build(ctx, make([]Box, n), Options{}); !errors.Is(err, context.Canceled) || tree != nil {
			t.Errorf("%d boxes: got %v, %v", n, tree, err)
		}
	}
	// The context ends after a few calls of Err.
	r := rand.New(rand.NewPCG(1, 2))
	boxes := sources()[0].boxes(r, 50000)
	for k := range 8 {
		if tree, err := Build(&countdown{Context: context.Background(), left: k}, boxes, Options{Workers: 1}); !errors.Is(err, context.Canceled) || tree != nil {
			t.Errorf("after %d checks: got %v, %v", k, tree, err)
		}
	}
}

type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left == 0 {
		return context.Canceled
	}
	c.left--
	return nil
}

func TestValidateNoticesDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	boxes := sources()[0].boxes(r, 500)
	damage := map[string]func(t *Tree){
		"index repeated":     func(t *Tree) { t.index[3] = t.index[4] },
		"index out of range": func(t *Tree) { t.index[3] = 500 },
		"box shrunk":         func(t *Tree) { t.nodes[5].box[3] = math.Nextafter(t.nodes[5].box[3], -9) },
		"box grown":          func(t *Tree) { t.nodes[5].box[0] = math.Nextafter(t.nodes[5].box[0], -9) },
		"odd pair":           func(t *Tree) { t.nodes[0].link.first++ },
		"lost leaf":          func(t *Tree) { t.nodes[0].link = link{0, 1} },
		"trailing nodes":     func(t *Tree) { t.nodes = append(t.nodes, node{}, node{}) },
		"swapped entries":    func(t *Tree) { t.index[0], t.index[499] = t.index[499], t.index[0] },
	}
	for name, f := range damage {
		tree := build(t, boxes, Options{})
		f(tree)
		if err := tree.Validate(boxes); err == nil {
			t.Errorf("%s: not noticed", name)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("Validate with another number of boxes does not panic")
		}
	}()
	_ = build(t, boxes, Options{}).Validate(boxes[1:])
}

func ExampleBuild() {
	_, err := Build(context.Background(), []Box{{}, EmptyBox()}, Options{})
	fmt.Println(err)
	// Output: bvh: box 1 is empty or not finite: (+Inf, +Inf, +Inf) to (-Inf, -Inf, -Inf)
}

// TestBuildOfSubnormalBoxes builds trees of boxes whose edges are a few times 2⁻¹⁰⁷⁴. Half of such a
// coordinate is not a float64.
func TestBuildOfSubnormalBoxes(t *testing.T) {
	for seed := range uint64(rounds(200, 5000)) {
		r := rand.New(rand.NewPCG(seed, 17))
		low, n := -r.IntN(8), 2+r.IntN(6)
		edge := func() (lo, hi float64) {
			a, b := low+r.IntN(n), low+r.IntN(n)
			return float64(min(a, b)) * 0x1p-1074, float64(max(a, b)) * 0x1p-1074
		}
		boxes := make([]Box, 12)
		for i := range boxes {
			b := &boxes[i]
			b.Min.X, b.Max.X = edge()
			b.Min.Y, b.Max.Y = edge()
			b.Min.Z, b.Max.Z = edge()
		}
		bounds := EmptyBox()
		for _, b := range boxes {
			bounds = bounds.Union(b)
		}
		g := newGrid(bounds)
		for i := range boxes {
			if e := g.put(&boxes[i], 0).extent; min(e.x0, e.y0, e.z0) < 0 || max(e.x1, e.y1, e.z1) > gridMax {
				t.Fatalf("seed %d: box %d is %v on the grid, must be in [0, %d]", seed, i, e, gridMax)
			}
		}
		build(t, boxes, Options{MaxLeaf: 1})
	}
}
