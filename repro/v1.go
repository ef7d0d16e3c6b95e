package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r2"
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/dem"
)

// speed2007 returns the speed of each of two equal particles whose collision has the given overlap.
// The overlap is v·√(m/2k), where v is the relative speed, m the mass of a particle, and k the
// stiffness. The paper states no speeds.
func speed2007(overlap, mass, stiffness float64) float64 {
	return overlap / math.Sqrt(mass/(2*stiffness)) / 2 // each particle has half of the relative speed
}

// disks2007 returns the system of §3.1 with 25·2^k cells of side 7 mm.
func disks2007(ctx context.Context, r *Run, k, n int) (*system, float64, error) {
	const mean, width, cell = 1e-3, 0.5, 7e-3 // mean radius and cell size in meters; width of the distribution of radii, relative to the mean
	s := &system{opt: dem.Options{TimeStep: 1e-7, Stiffness: 1e7, Density: 7000, Workers: r.Threads}}
	// The box has 5×5 cells. Its shorter side is doubled k times (figure 11).
	nx, ny := 5<<((k+1)/2), 5<<(k/2)
	s.size = r3.Vector{X: cell * float64(nx), Y: cell * float64(ny), Z: 0}
	random := rand.New(rand.NewPCG(uint64(n), 11))
	radii, area := make([]float64, n), 0.0
	for i := range radii {
		radii[i] = mean * (1 + width*(2*random.Float64()-1))
		area += math.Pi * radii[i] * radii[i]
	}
	var err error
	s.disks, err = scatterDisks(ctx, random, radii, r2.Point{X: s.size.X, Y: s.size.Y}, 0.005)
	if err != nil {
		return nil, 0, err
	}
	s.velocities = velocities(random, n, speed2007(0.01*mean, s.opt.Density*math.Pi*mean*mean, s.opt.Stiffness))
	return s, area / (s.size.X * s.size.Y), nil
}

// runV1 repeats figures 12 and 13 of Muth, Müller, Eberhard, Luding 2007.
func runV1(ctx context.Context, r *Run) (*Result, error) {
	counts := pick(r.Size, []int{244, 488}, []int{244, 488, 975, 1950}, []int{244, 488, 975, 1950, 3900, 7800})
	steps := pick(r.Size, 3, 500, 1000)
	names := []string{methodVL, methodLLL, methodLC, methodLLLx, methodLCx, methodGrid}
	curves := make([]Series, len(names))
	table := Table{Name: "V1-times", Title: "Milliseconds per step", Columns: []string{"particles", "area fraction", "contacts"}}
	for i, name := range names {
		curves[i].Name = name
		table.Columns = append(table.Columns, name)
	}
	var trials []*trial
	var fractions []float64
	for k, n := range counts {
		s, fraction, err := disks2007(ctx, r, k, n)
		if err != nil {
			return nil, err
		}
		t, err := newTrial(ctx, fmt.Sprintf("%d particles", n), s, names, 7e-3, 1.5e-3)
		if err != nil {
			return nil, err
		}
		trials, fractions = append(trials, t), append(fractions, fraction)
	}
	if err := inTurns(ctx, r, trials, steps); err != nil {
		return nil, err
	}
	for k, n := range counts {
		got := trials[k].results()
		row := []any{n, fractions[k], got[0].contacts}
		for i := range got {
			curves[i].Add(float64(n), 1e3*got[i].seconds)
			row = append(row, 1e3*got[i].seconds)
		}
		table.Add(row...)
	}
	f12 := Figure{Name: "V1-fig12", Title: "In the plane, area fraction about 0.67: Verlet list against cells and sorted lists", X: "number of particles", Y: "computation time [ms a step]", Series: curves[:3]}
	f13 := Figure{Name: "V1-fig13", Title: "In the plane: the linear methods of the paper against ours", X: "number of particles", Y: "computation time [ms a step]", Series: curves[1:]}
	for i := range f13.Series {
		f13.Series[i].Hue = i + 2
	}
	f13.Series = append(f13.Series, straight(curves[1], 1950))
	vl, lll, lc := fitTail(curves[0], 0), fitTail(curves[1], 0), fitTail(curves[2], 0)
	return &Result{
		Figures: []Figure{f12, f13}, Tables: []Table{table}, Notes: lockstepNotes(steps, true, "particles of mean radius"),
		Statements: []Statement{
			{"Linked cell and linked linear list are O(n).", fmt.Sprintf("The exponent is %s for linked cell and %s for the linked linear list.", lc, lll), verdict(within(lc, 0.8, 1.2) && within(lll, 0.8, 1.2))},
			{"The curve of the Verlet list is the steepest.", fmt.Sprintf("The exponent is %s. The list is rebuilt every %d steps.", vl, verletSteps), verdict(vl.Exponent > lc.Exponent && vl.Exponent > lll.Exponent)},
			sameContacts(steps, len(counts)),
		},
	}, nil
}

func within(p Power, lo, hi float64) bool { return p.Exponent >= lo && p.Exponent <= hi }

// sameContacts returns the statement that all methods found the same contacts. Trials check this.
func sameContacts(steps, systems int) Statement {
	return Statement{"All methods find the same contacts at every step.",
		fmt.Sprintf("All methods find the same contacts in %d systems with %d steps each.", systems, steps), "yes"}
}

// lockstepNotes returns the notes on a comparison. The last argument names the two particles whose
// collision defines the speed.
func lockstepNotes(steps int, verlet bool, two string) []string {
	how, list := "", "The linked linear list has one list per axis for all particles. It is an option of package neighbor. The linked cell method tests all pairs of particles in neighboring cells (§2.2)."
	if verlet {
		how = " For Verlet lists, the time is a weighted sum of two medians. The median of the steps that build the list has the weight 0.01. The median of the other steps has the weight 0.99."
		list = "The Verlet list is built from all pairs every 100 steps. Its neighbor spheres have five times the largest radius (§2.1). The linked linear list has one list per axis for all particles. Both methods are options of package neighbor. The linked cell method tests all pairs of particles in neighboring cells (§2.2)."
	}
	return []string{
		fmt.Sprintf("The times are medians of %d steps, including integration and forces. The methods take turns: each method moves its copy of the world by one step. The systems (rows of the first table) alternate every %d steps.%s", steps, max(1, steps/rounds), how),
		list,
		fmt.Sprintf("The paper states neither speeds nor initial positions. Here the particles begin at random positions. Their overlaps are at most ½ %% of the diameter of the smaller particle. All particles begin with the same speed. At this speed, two %s that collide head-on overlap by 1 %% of their radius. The figures of the paper are normalized by the value for the smallest number of particles. Here the times are as measured.", two),
	}
}

// straight returns a line through the first point of s and through the last point with x ≤ upTo.
// The line has a point for each x of s. The paper compares the gradients below and above 1950
// particles.
func straight(s Series, upTo float64) Series {
	k := 0
	for i, x := range s.X {
		if x <= upTo {
			k = i
		}
	}
	line := Series{Name: fmt.Sprintf("straight, LLL up to %g", s.X[k]), Style: Prediction, Hue: 2}
	for _, x := range s.X {
		line.Add(x, s.Y[0]+(s.Y[k]-s.Y[0])*(x-s.X[0])/(s.X[k]-s.X[0]))
	}
	return line
}
