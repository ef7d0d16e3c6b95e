// Command door_go measures the Go package for the table doors. All doors have the same arguments and
// the same output.
//
// usage: door_go MESH.ply POINTS.f64 OUT THREADS
//
// The command opens the mesh for the number of points, and locates all points in repeated batches.
// Then it locates the first points one by one. The output is a line of JSON with three CPU times in
// seconds: the time for the mesh and the index, the median time of a batch (without the first), and
// the mean time of a single point. OUT gets the side of each point as a byte. The other doors also
// measure batches of the same points as float32; OUT then has their sides too.
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly"
)

// These numbers are the same in all drivers: the largest number of batches, the largest CPU time of
// all batches, and the number of single points.
const (
	repetitions = 15
	limit       = 2.0
	singles     = 100_000
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: door_go MESH.ply POINTS.f64 OUT THREADS")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		fmt.Fprintln(os.Stderr, "door_go:", err)
		os.Exit(1)
	}
}

func cpuSeconds() float64 {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err) // the arguments are valid
	}
	return (time.Duration(r.Utime.Nano()) + time.Duration(r.Stime.Nano())).Seconds()
}

func run(path, file, out, threads string) error {
	ctx := context.Background()
	workers, err := strconv.Atoi(threads)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	pts := make([]r3.Vector, len(data)/24)
	if _, err := binary.Decode(data, binary.LittleEndian, pts); err != nil {
		return err
	}
	start := cpuSeconds()
	s, err := inpoly.Open(ctx, path, inpoly.Options{Workers: workers, ExpectedPoints: int64(len(pts))})
	if err != nil {
		return err
	}
	build := cpuSeconds() - start
	sides := make([]inpoly.Side, len(pts))
	double, err := median(func() error { return s.SidesTo(ctx, sides, pts) })
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(sides))), len(sides)), 0o644); err != nil {
		return err
	}

	n := min(singles, len(pts))
	start = cpuSeconds()
	for i, p := range pts[:n] {
		sides[i] = s.Side(p)
	}
	one := (cpuSeconds() - start) / float64(n)
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"build": build, "float64": double, "one": one, "version": string(s.Report().Method),
	})
}

// median calls f repeatedly and returns the median of the CPU seconds. The first call does not count:
// it builds indexes and touches memory.
func median(f func() error) (float64, error) {
	var all []float64
	for begin := cpuSeconds(); len(all) < 2 || len(all) <= repetitions && cpuSeconds()-begin < limit; {
		start := cpuSeconds()
		if err := f(); err != nil {
			return math.NaN(), err
		}
		all = append(all, cpuSeconds()-start)
	}
	all = all[1:]
	slices.Sort(all)
	return all[len(all)/2], nil
}
