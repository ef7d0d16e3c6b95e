package main

import (
	queue "container/heap"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/neighbor"
)

// hardBalls is the event-driven simulation of Lubachevsky and Stillinger 1990 with which Ogarko and Luding 2012, §4.2,
// make packings. Hard balls move in the unit cube between collisions while all radii grow at constant rates. The
// simulation suits some thousand balls, because each window of time begins with a test of all pairs.
type hardBalls struct {
	at, v       []r3.Vector // the positions at their times
	rate, mass  []float64   // the radius of a ball at time t is rate·t
	time        []float64   // time of each position
	collisions  []int       // number of collisions of each ball; an event is void if one of its balls has collided since
	events      events
	now, window float64
	random      *rand.Rand
}

// event is the next collision of balls a and b, or of ball a with a wall if b is negative.
type event struct {
	time   float64
	a, b   int32
	na, nb int // numbers of collisions of a and b when the event was found
}

// events is a heap by time.
type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].time < e[j].time }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	list := *e
	x := list[len(list)-1]
	*e = list[:len(list)-1]
	return x
}

// growSpeed is the mean speed of a ball, in edges of the cube for each unit of time; the growth takes one unit
// of time. Faster balls find their places earlier.
const growSpeed = 10

// growBalls lets balls grow to the given radii. They begin as points at random places.
func growBalls(ctx context.Context, radii []float64, seed uint64) ([]neighbor.Sphere, error) {
	n := len(radii)
	g := &hardBalls{rate: radii, time: make([]float64, n), collisions: make([]int, n), random: rand.New(rand.NewPCG(seed, 1990))}
	for _, r := range radii {
		g.at = append(g.at, r3.Vector{X: g.random.Float64(), Y: g.random.Float64(), Z: g.random.Float64()})
		g.v = append(g.v, r3.Vector{X: g.random.NormFloat64(), Y: g.random.NormFloat64(), Z: g.random.NormFloat64()})
		g.mass = append(g.mass, r*r*r)
	}
	for g.now < 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g.begin()
		g.run()
	}
	balls := make([]neighbor.Sphere, n)
	for i := range balls {
		balls[i] = neighbor.Sphere{Center: g.at[i], Radius: radii[i]}
	}
	return balls, nil
}

// begin scales the speeds, chooses the end of a window of time, and finds the events of pairs that can collide in
// it.
func (g *hardBalls) begin() {
	sum, fastest := 0.0, 0.0
	for _, v := range g.v {
		sum += v.Norm() / float64(len(g.v))
	}
	for i := range g.v { // collisions with growing balls accelerate
		g.v[i] = g.v[i].Mul(growSpeed / sum)
		fastest = max(fastest, g.v[i].Norm())
	}
	// In a window, the fastest ball moves by a third of the mean distance of balls.
	g.window = min(1, g.now+math.Cbrt(1/float64(len(g.v)))/(3*fastest))
	g.events = g.events[:0]
	for i := range g.at {
		for k := i + 1; k < len(g.at); k++ {
			g.meet(int32(i), int32(k))
		}
		g.meetWall(int32(i))
	}
}

// run handles the events of a window in order of time, and moves all balls to its end.
func (g *hardBalls) run() {
	for len(g.events) > 0 {
		e := queue.Pop(&g.events).(event)
		if e.na != g.collisions[e.a] || e.b >= 0 && e.nb != g.collisions[e.b] {
			continue
		}
		g.now = e.time
		if e.b < 0 {
			g.bounce(e)
		} else {
			g.collide(e)
		}
		for _, i := range []int32{e.a, e.b} {
			if i < 0 {
				continue
			}
			g.meetWall(i)
			for k := range int32(len(g.at)) {
				if k != i && k != e.a {
					g.meet(i, k)
				}
			}
		}
	}
	g.now = g.window
	for i := range g.at {
		g.move(int32(i))
	}
}

// move moves ball i to the present.
func (g *hardBalls) move(i int32) {
	g.at[i] = g.at[i].Add(g.v[i].Mul(g.now - g.time[i]))
	g.time[i] = g.now
}

// meet adds the next collision of balls a and b if it is in the window: |d + u·t| = (radii at now) + growth·t.
func (g *hardBalls) meet(a, b int32) {
	u := g.v[b].Sub(g.v[a])
	d := g.at[b].Add(g.v[b].Mul(g.now - g.time[b])).Sub(g.at[a].Add(g.v[a].Mul(g.now - g.time[a])))
	growth := g.rate[a] + g.rate[b]
	reach := growth * g.now
	if far := (u.Norm()+growth)*(g.window-g.now) + reach; d.Norm2() > far*far {
		return
	}
	p, q, r := u.Norm2()-growth*growth, d.Dot(u)-reach*growth, d.Norm2()-reach*reach
	var t float64
	switch disc := q*q - p*r; {
	case r <= 0 && q < 0: // they touch, up to rounding, and approach
		t = 0
	case disc < 0 || q >= 0 && p >= 0:
		return
	default: // the smaller root if p > 0, else the only positive root
		t = r / (-q + math.Sqrt(disc))
	}
	if t = max(t, 0); g.now+t <= g.window {
		queue.Push(&g.events, event{g.now + t, a, b, g.collisions[a], g.collisions[b]})
	}
}

// meetWall adds the next collision of ball a with a wall if it is in the window.
func (g *hardBalls) meetWall(a int32) {
	x, v := g.at[a].Add(g.v[a].Mul(g.now-g.time[a])), g.v[a]
	least := math.Inf(1)
	for k := range 3 {
		for _, side := range []float64{0, 1} {
			gap, speed := component(x, k)-g.rate[a]*g.now, component(v, k)-g.rate[a]
			if side == 1 {
				gap, speed = 1-component(x, k)-g.rate[a]*g.now, -component(v, k)-g.rate[a]
			}
			if speed < 0 {
				least = min(least, max(0, -gap/speed))
			}
		}
	}
	if g.now+least <= g.window {
		queue.Push(&g.events, event{g.now + least, a, -1, g.collisions[a], 0})
	}
}

// collide reflects two balls elastically. They then separate as fast as they approached, relative to their
// growth.
func (g *hardBalls) collide(e event) {
	g.move(e.a)
	g.move(e.b)
	normal := g.at[e.b].Sub(g.at[e.a]).Normalize()
	growth := g.rate[e.a] + g.rate[e.b]
	change := 2 * (growth - g.v[e.b].Sub(g.v[e.a]).Dot(normal))
	all := g.mass[e.a] + g.mass[e.b]
	g.v[e.a] = g.v[e.a].Sub(normal.Mul(change * g.mass[e.b] / all))
	g.v[e.b] = g.v[e.b].Add(normal.Mul(change * g.mass[e.a] / all))
	g.collisions[e.a]++
	g.collisions[e.b]++
}

// bounce reflects a ball from the walls that it touches and approaches.
func (g *hardBalls) bounce(e event) {
	g.move(e.a)
	const touch = 1e-12
	r := g.rate[e.a]
	flip := func(x float64, v *float64) {
		if x-r*g.now < touch && *v < r {
			*v = 2*r - *v
		}
		if 1-x-r*g.now < touch && -*v < r {
			*v = -2*r - *v
		}
	}
	flip(g.at[e.a].X, &g.v[e.a].X)
	flip(g.at[e.a].Y, &g.v[e.a].Y)
	flip(g.at[e.a].Z, &g.v[e.a].Z)
	g.collisions[e.a]++
}

// packingStatement compares the work of the search in two kinds of packings: those that grew in an event-driven
// simulation, as in the paper, and ours. Both then move elastically for the same number of steps.
func (r *Run) packingStatement(ctx context.Context) (Statement, error) {
	spec := packingSpec{"UV", 10, pick(r.Size, 100, 1000, 2000), pick(r.Size, 0.2, 0.5, 0.55), pick(r.Size, 5, 300, 500)}
	grown, ours := &packed{}, &packed{}
	balls, err := growBalls(ctx, spec.scaledSizes(), 1)
	if err != nil {
		return Statement{}, err
	}
	if err := grown.relax(ctx, spec, balls); err != nil {
		return Statement{}, err
	}
	if err := ours.make(ctx, spec); err != nil {
		return Statement{}, err
	}
	low, high := math.Inf(1), 0.0
	most := 0
	for n := 1; n <= timedLevels; n++ {
		sizes := neighbor.LevelSizes(ours.radii(), 1, 3, n)
		if len(sizes) != n {
			continue
		}
		var works [2]float64
		for i, p := range []*packed{grown, ours} {
			if works[i], err = workWith(ctx, p.balls, sizes); err != nil {
				return Statement{}, err
			}
		}
		most, low, high = n, min(low, works[0]/works[1]), max(high, works[0]/works[1])
	}
	s := counted("H1.packing", "event-driven packings need the same work", "§4.2: balls grow in an event-driven simulation, then move elastically. (Our packings relax overlaps instead of the growth.)",
		fmt.Sprintf("%d balls (UV, ω = %g, ν = %g), 1 to %d levels: packings that grew need %.2f to %.2f times the work of ours.", spec.n, spec.ratio, spec.fraction, most, low, high),
		".9–1.1", low >= 0.9 && high <= 1.1, Parameters, "").uncounted(Addition)
	if r.Size == Tiny {
		s = s.unchecked()
	}
	return s, nil
}
