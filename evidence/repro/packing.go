package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/golang/geo/r3"
	"github.com/spf13/cobra"

	"github.com/inpoly/inpoly/bvh"
	"github.com/inpoly/inpoly/dem"
	"github.com/inpoly/inpoly/neighbor"
)

// packed is an elastically relaxed packing in the unit cube, as in Ogarko and Luding 2012, §4.2.
type packed struct {
	balls      []neighbor.Sphere
	velocities []r3.Vector
	seconds    float64 // seconds that the creation of the packing took
}

type packingSpec struct {
	kind     string // mono (one size), bi (two sizes), UV (uniform volume) or US (uniform size)
	ratio    float64
	n        int
	fraction float64
	steps    int // number of relaxation steps
}

// String returns the name of the packing in tables.
func (p packingSpec) String() string {
	if p.kind == "mono" {
		return fmt.Sprintf("mono, %d balls, ν = %g", p.n, p.fraction)
	}
	return fmt.Sprintf("%s, ω = %g, %d balls, ν = %g", p.kind, p.ratio, p.n, p.fraction)
}

// sizes returns the radii in units of the smallest radius.
func (p packingSpec) sizes() []float64 {
	const seed = 2012
	switch p.kind {
	case "bi":
		return dem.Bidisperse(p.n, p.ratio, seed)
	case "UV":
		return dem.UniformVolume(p.n, p.ratio, seed)
	case "US":
		return dem.UniformSize(p.n, p.ratio, seed)
	}
	return dem.UniformVolume(p.n, 1, seed)
}

// scaledSizes returns the radii with which the balls have the volume fraction in the unit cube.
func (p packingSpec) scaledSizes() []float64 {
	sizes, volume := p.sizes(), 0.0
	for _, r := range sizes {
		volume += 4 * math.Pi / 3 * r * r * r
	}
	scale := math.Cbrt(p.fraction / volume)
	for i := range sizes {
		sizes[i] *= scale
	}
	return sizes
}

// unitCube is the box of all packings.
var unitCube = bvh.Box{Max: r3.Vector{X: 1, Y: 1, Z: 1}}

// contactParts is the number of steps that the shortest contact takes.
const contactParts = 50

// worldOptions returns the options of a world with the given balls. Stiffness and density are 1.
func worldOptions(balls []neighbor.Sphere, threads int) dem.Options {
	least := math.Inf(1)
	for _, b := range balls {
		least = min(least, b.Radius)
	}
	mass := 4 * math.Pi / 3 * least * least * least
	return dem.Options{TimeStep: dem.ContactTime(mass/2, 1, 0) / contactParts, Stiffness: 1, Density: 1, Workers: threads}
}

// packing returns a packing, from the cache if possible. The computation uses all processors, but
// the packing does not depend on their number.
func (r *Run) packing(ctx context.Context, spec packingSpec) (*packed, error) {
	path := filepath.Join(r.Cache, fmt.Sprintf("packing-%s-%g-%d-%g-%d.bin", spec.kind, spec.ratio, spec.n, spec.fraction, spec.steps))
	p, err := readPacking(path, spec.n)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return p, err
	}
	r.progress.say("packing " + spec.String())
	p = &packed{}
	p.seconds, err = seconds(func() error { return p.make(ctx, spec) })
	if err != nil {
		return nil, fmt.Errorf("packing %s: %w", spec, err)
	}
	return p, p.write(path)
}

// make packs the balls and simulates their motion for spec.steps steps.
func (p *packed) make(ctx context.Context, spec packingSpec) error {
	balls, err := spec.pack(ctx)
	if err != nil {
		return err
	}
	return p.relax(ctx, spec, balls)
}

// relax moves balls elastically for spec.steps steps.
func (p *packed) relax(ctx context.Context, spec packingSpec, balls []neighbor.Sphere) error {
	opt := worldOptions(balls, 0)
	// On average, two of the smallest balls overlap by 1 % of their radius (§4.2).
	v, err := dem.ThermalSpheres(balls, 0.01, opt, 1)
	if err != nil {
		return err
	}
	w, err := dem.NewSpheres(ctx, dem.SphereScene{Balls: balls, Velocities: v, Walls: unitCube}, neighbor.NewVerletList[neighbor.Sphere](neighbor.VerletOptions{}), opt)
	if err != nil {
		return err
	}
	for range spec.steps {
		if err := w.Step(ctx); err != nil {
			return err
		}
	}
	p.balls, p.velocities = append([]neighbor.Sphere{}, w.Balls()...), append([]r3.Vector{}, w.Velocities()...)
	return nil
}

// pack places the balls. If there is only one large ball, pack places it in the middle. The small
// balls begin at random positions around the large ball, and are pushed apart. The general method
// would have to make room for the large ball, which takes longer.
func (spec packingSpec) pack(ctx context.Context) ([]neighbor.Sphere, error) {
	sizes := spec.sizes()
	if pair := 1 + spec.ratio*spec.ratio*spec.ratio; spec.kind != "bi" || float64(spec.n) >= 2*pair {
		return dem.PackSpheres(ctx, unitCube, sizes, dem.PackOptions{Fraction: spec.fraction, Seed: 1})
	}
	sizes = spec.scaledSizes()
	random, balls := rand.New(rand.NewPCG(1, 2012)), make([]neighbor.Sphere, spec.n)
	middle, large := r3.Vector{X: 0.5, Y: 0.5, Z: 0.5}, slices.Max(sizes)
	for i, r := range sizes {
		balls[i] = neighbor.Sphere{Center: middle, Radius: r}
		for r < large && balls[i].Center.Sub(middle).Norm() < large {
			balls[i].Center = r3.Vector{X: random.Float64(), Y: random.Float64(), Z: random.Float64()}
		}
	}
	return balls, pushApart(ctx, random, balls, unitCube.Max, 0.005)
}

// world returns a world in the state of the packing.
func (p *packed) world(ctx context.Context, method neighbor.Method[neighbor.Sphere], threads int) (*dem.Spheres, error) {
	return dem.NewSpheres(ctx, dem.SphereScene{Balls: p.balls, Velocities: p.velocities, Walls: unitCube}, method, worldOptions(p.balls, threads))
}

func (p *packed) radii() []float64 { return radiiOf(p.balls) }

func radiiOf(balls []neighbor.Sphere) []float64 {
	list := make([]float64, len(balls))
	for i, b := range balls {
		list[i] = b.Radius
	}
	return list
}

// packingFloats returns the number of float64 values in a file of n balls. The file contains the
// seconds of the creation, and seven values per ball.
func packingFloats(n int) int { return 1 + 7*n }

// write writes the packing to a temporary file and renames it to path.
func (p *packed) write(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "packing-*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // after the rename, Remove fails, and its error is ignored
	list := append(make([]float64, 0, packingFloats(len(p.balls))), p.seconds)
	for i, b := range p.balls {
		v := p.velocities[i]
		list = append(list, b.Center.X, b.Center.Y, b.Center.Z, b.Radius, v.X, v.Y, v.Z)
	}
	w := bufio.NewWriter(f)
	if err := errors.Join(binary.Write(w, binary.LittleEndian, list), w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// readPacking reads a file of n balls that packed.write wrote.
func readPacking(path string, n int) (*packed, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	list := make([]float64, packingFloats(n))
	if want := int64(8 * len(list)); info.Size() != want {
		return nil, fmt.Errorf("%s: the file has %d bytes, expected %d", path, info.Size(), want)
	}
	if err := binary.Read(io.Reader(bufio.NewReader(f)), binary.LittleEndian, list); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p := &packed{seconds: list[0], balls: make([]neighbor.Sphere, n), velocities: make([]r3.Vector, n)}
	for i := range n {
		x := list[1+7*i:]
		p.balls[i] = neighbor.Sphere{Center: r3.Vector{X: x[0], Y: x[1], Z: x[2]}, Radius: x[3]}
		p.velocities[i] = r3.Vector{X: x[4], Y: x[5], Z: x[6]}
	}
	return p, nil
}

// packCommand returns the command that prepares all packings.
func (f *flags) packCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "pack",
		Short: "Make the packings of H1 to H3 that the cache does not have yet",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := f.newRun()
			if err != nil {
				return err
			}
			return r.pack(c.Context(), c.OutOrStdout())
		},
	}
}

// pack prepares all packings and prints the time of each.
func (r *Run) pack(ctx context.Context, out io.Writer) error {
	packings := append(r.packingsH1(), r.packingsH3()...)
	fraction, counts, systems := r.relative2012()
	for _, n := range counts {
		packings = append(packings, r.scaled("mono", 1, n, fraction))
		for _, s := range systems {
			if spec := r.scaled(s.kind, s.ratio, n, fraction); realizable(s.kind, s.ratio, n) && !slices.Contains(packings, spec) {
				packings = append(packings, spec)
			}
		}
	}
	for _, spec := range packings {
		p, err := r.packing(ctx, spec)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s s\n", spec, short(p.seconds))
	}
	return nil
}
