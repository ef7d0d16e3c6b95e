package predicates

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/golang/geo/r3"
	"pgregory.net/rapid"

	"github.com/inpoly/inpoly/internal/referee"
)

// cases returns fullCount if INPOLY_FULL is set, and a tenth of it otherwise.
func cases(fullCount int) int {
	if os.Getenv("INPOLY_FULL") != "" {
		return fullCount
	}
	return fullCount / 10
}

// generators holds functions that return random points with adversarial coordinates.
var generators = map[string]func(*rand.Rand) r3.Vector{
	"uniform": func(r *rand.Rand) r3.Vector {
		return r3.Vector{X: r.Float64() - .5, Y: r.Float64() - .5, Z: r.Float64() - .5}
	},
	"small grid": func(r *rand.Rand) r3.Vector {
		return r3.Vector{X: float64(r.IntN(4)), Y: float64(r.IntN(4)), Z: float64(r.IntN(4))}
	},
	"near plane": func(r *rand.Rand) r3.Vector {
		x, y := r.Float64(), r.Float64()
		return r3.Vector{X: x, Y: y, Z: 0.3*x + 0.7*y + 0.1}
	},
	"near line": func(r *rand.Rand) r3.Vector {
		t := r.Float64()
		return r3.Vector{X: .1 + t, Y: .2 + 3*t, Z: .3 + .7*t}
	},
	"float32 offset": func(r *rand.Rand) r3.Vector {
		return r3.Vector{X: 1e6 + float64(float32(r.Float64()))/128, Y: 1e6 + float64(r.IntN(3))/256, Z: -1e6 + float64(r.IntN(5))/1024}
	},
	"tiny 1e-120": func(r *rand.Rand) r3.Vector {
		return r3.Vector{X: 1e-120 * float64(r.IntN(3)), Y: 1e-120 * (1 + r.Float64()), Z: 1e-120 * float64(r.IntN(2))}
	},
	"mixed 1 and 1e-170": func(r *rand.Rand) r3.Vector {
		pick := func() float64 { return []float64{0, 1, 1e-170, -1e-170, -1, 2}[r.IntN(6)] }
		return r3.Vector{X: pick(), Y: pick(), Z: pick()}
	},
	"huge 1e300": func(r *rand.Rand) r3.Vector {
		return r3.Vector{X: 1e300 * float64(r.IntN(3)), Y: 1e300 * (1 + r.Float64()), Z: 1e300 * float64(r.IntN(3))}
	},
	"subnormal": func(r *rand.Rand) r3.Vector {
		u := math.SmallestNonzeroFloat64
		return r3.Vector{X: u * float64(r.IntN(3)), Y: u * float64(r.IntN(3)), Z: u * float64(r.IntN(9))}
	},
	"all exponents": func(r *rand.Rand) r3.Vector {
		f := func() float64 { return math.Ldexp(r.Float64()-.5, r.IntN(1400)-700) }
		return r3.Vector{X: f(), Y: f(), Z: f()}
	},
}

func TestOrient3DEqualsReferee(t *testing.T) {
	for name, gen := range generators {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			var k Counter
			for range cases(100_000) {
				a, b, c, d := gen(r), gen(r), gen(r), gen(r)
				if got, want := k.Orient3D(a, b, c, d), referee.Orient3D(a, b, c, d); got != want {
					t.Fatalf("Orient3D(%v, %v, %v, %v) = %d, want %d", a, b, c, d, got, want)
				}
			}
			t.Logf("filter %d, expansion %d, exact %d", k.Filter, k.Expansion, k.Exact)
		})
	}
}

// Each d lies within a few ulps of the plane of a, b and c. Expansions must decide some of the
// signs.
func TestOrient3DNearlyCoplanar(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var k Counter
	ulps := func(x float64) float64 {
		for n := r.IntN(5) - 2; n != 0; {
			if n > 0 {
				x, n = math.Nextafter(x, math.Inf(1)), n-1
			} else {
				x, n = math.Nextafter(x, math.Inf(-1)), n+1
			}
		}
		return x
	}
	for i := range cases(200_000) {
		p := func() r3.Vector { return generators["uniform"](r).Mul(math.Ldexp(1, r.IntN(60)-30)) }
		a, b, c := p(), p(), p()
		u, v := r.Float64(), r.Float64()
		d := a.Mul(1 - u - v).Add(b.Mul(u)).Add(c.Mul(v))
		d = r3.Vector{X: ulps(d.X), Y: ulps(d.Y), Z: ulps(d.Z)}
		if got, want := k.Orient3D(a, b, c, d), referee.Orient3D(a, b, c, d); got != want {
			t.Fatalf("case %d: Orient3D(%v, %v, %v, %v) = %d, want %d", i, a, b, c, d, got, want)
		}
	}
	if k.Expansion == 0 {
		t.Fatal("no case reached the expansions: the test tests nothing")
	}
}

func TestStages(t *testing.T) {
	one := func(x, y, z float64) r3.Vector { return r3.Vector{X: x, Y: y, Z: z} }
	for _, tc := range []struct {
		name       string
		a, b, c, d r3.Vector
		want       Counter
	}{
		{"generic", one(1, 0, 0), one(0, 1, 0), one(0, 0, 1), one(0, 0, 0), Counter{Filter: 1}},
		{"coplanar", one(1, 0, 0), one(0, 1, 0), one(0, 0, 1), one(.5, .25, .25), Counter{Expansion: 1}},
		{"products underflow", one(1e-120, 0, 0), one(0, 1e-120, 0), one(0, 0, 1e-120), one(0, 0, 0), Counter{Exact: 1}},
		{"products overflow", one(1e120, 0, 0), one(0, 1e120, 0), one(0, 0, 1e120), one(0, 0, 0), Counter{Exact: 1}},
		{"scale 1e-18", one(1e-18, 0, 0), one(0, 1e-18, 0), one(0, 0, 1e-18), one(0, 0, 0), Counter{Filter: 1}},
		{"scale 1e18", one(1e18, 0, 0), one(0, 1e18, 0), one(0, 0, 1e18), one(0, 0, 0), Counter{Filter: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var k Counter
			k.Orient3D(tc.a, tc.b, tc.c, tc.d)
			if k != tc.want {
				t.Errorf("stages %+v, want %+v", k, tc.want)
			}
		})
	}
}

// The filter must decide nearly all calls with random points, because the other stages are slow.
func TestFilterDecidesGenericCalls(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var k Counter
	gen := generators["uniform"]
	for range 100_000 {
		k.Orient3D(gen(r), gen(r), gen(r), gen(r))
	}
	if k.Filter < 99_990 {
		t.Errorf("filter decided %d of 100000 random calls, want at least 99990", k.Filter)
	}
}

func vector(t *rapid.T, name string) r3.Vector {
	f := rapid.OneOf(rapid.Float64Range(-2, 2), rapid.Float64Range(-1e300, 1e300), rapid.SampledFrom([]float64{0, 1, .5, -1, 1e-170}))
	return r3.Vector{X: f.Draw(t, name+".x"), Y: f.Draw(t, name+".y"), Z: f.Draw(t, name+".z")}
}

func TestOrient3DSymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c, d := vector(t, "a"), vector(t, "b"), vector(t, "c"), vector(t, "d")
		s := Orient3D(a, b, c, d)
		for name, got := range map[string]int{
			"swap ab": -Orient3D(b, a, c, d), "swap bc": -Orient3D(a, c, b, d), "swap cd": -Orient3D(a, b, d, c),
			"rotate abc": Orient3D(b, c, a, d), "swap two pairs": Orient3D(b, a, d, c),
		} {
			if got != s {
				t.Fatalf("%s: %d, want %d for %v %v %v %v", name, got, s, a, b, c, d)
			}
		}
		if got := Orient3D(a, b, a, d); got != 0 {
			t.Fatalf("two equal points: %d, want 0", got)
		}
	})
}

func TestTrianglePredicatesEqualReferee(t *testing.T) {
	for name, gen := range generators {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(7, 8))
			on := 0
			for range cases(60_000) {
				a, b, c, p := gen(r), gen(r), gen(r), gen(r)
				switch r.IntN(6) {
				case 0:
					p = a
				case 1:
					p = a.Add(b).Mul(.5)
				case 2:
					c = b
				case 3:
					p = a.Mul(.5).Add(b.Mul(.25)).Add(c.Mul(.25))
				}
				if got, want := OnTriangle(p, a, b, c), referee.OnTriangle(p, a, b, c); got != want {
					t.Fatalf("OnTriangle(%v, %v, %v, %v) = %v, want %v", p, a, b, c, got, want)
				} else if got {
					on++
				}
				if got, want := ZeroArea(a, b, c), referee.ZeroArea(a, b, c); got != want {
					t.Fatalf("ZeroArea(%v, %v, %v) = %v, want %v", a, b, c, got, want)
				}
			}
			if on == 0 {
				t.Error("no point on a triangle: the test tests nothing")
			}
		})
	}
}

func TestNoAllocationBeforeLastStage(t *testing.T) {
	a, b, c := r3.Vector{X: 1}, r3.Vector{Y: 1}, r3.Vector{Z: 1}
	p := r3.Vector{X: .5, Y: .25, Z: .25}
	q := r3.Vector{X: 1. / 3, Y: 1. / 3, Z: 1. / 3}
	var k Counter
	if n := testing.AllocsPerRun(100, func() {
		k.Orient3D(a, b, c, p)
		k.Orient3D(a, b, c, q)
		k.OnTriangle(p, a, b, c)
		k.ZeroArea(a, p, q)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if k.Exact != 0 || k.Expansion == 0 {
		t.Errorf("stages %+v: want expansions and no exact stage", k)
	}
}

func BenchmarkOrient3D(b *testing.B) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, name := range []string{"uniform", "small grid"} {
		b.Run(name, func(b *testing.B) {
			ps := make([]r3.Vector, 4096)
			for i := range ps {
				ps[i] = generators[name](r)
			}
			i, s := 0, 0
			for b.Loop() {
				s += Orient3D(ps[i&4095], ps[(i+1)&4095], ps[(i+2)&4095], ps[(i+3)&4095])
				i++
			}
			_ = s
		})
	}
}
