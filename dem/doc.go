// Package dem moves particles that push each other where they overlap: the discrete
// element method, as far as experiments with neighbor methods and with polygons need it.
//
//   - Spheres and Disks: balls in space and disks in the plane, linear spring and dashpot,
//     walls of the same law, the Verlet integrator (Muth, Müller, Eberhard, Luding 2007).
//   - Polygons: convex polygons in the plane that turn, pushed by the area of their overlap at
//     its centroid, Gear's predictor and corrector (Schinner 1999).
//   - PackSpheres, PackDisks and ThermalSpheres prepare dense gases: sizes, places
//     without overlap, velocities (Ogarko and Luding 2012, §4).
//
// There is neither friction nor cohesion.
//
// Contacts are found by a neighbor.Method of the caller's choice. All of them find the
// same contacts in the same order, forces are kept by contact and summed in that order, and
// no product is fused with a sum: so a trajectory is the same, bit by bit, for every
// method and any number of workers.
//
// A step that fails leaves the world as it was. One worker makes steps without
// allocating memory, once buffers have grown; several need some for each start of goroutines.
//
//	balls, err := dem.PackSpheres(ctx, box, dem.UniformVolume(125_001, 50, 1), dem.PackOptions{Fraction: .62})
//	o := dem.Options{Stiffness: 1e5, Density: 2000, TimeStep: 1e-6}
//	velocities, err := dem.ThermalSpheres(balls, .01, o, 1)
//	contacts := neighbor.NewAuto[neighbor.Sphere](neighbor.AutoOptions{})
//	scene := dem.SphereScene{Balls: balls, Velocities: velocities, Walls: box}
//	world, err := dem.NewSpheres(ctx, scene, contacts, o)
//	for world.Time() < 1 {
//		err = world.Step(ctx)
//	}
//	fmt.Println(world.Energy().Total(), world.Momentum())
//
// The package is a module of its own: go get github.com/inpoly/inpoly/dem. It uses public
// packages of github.com/inpoly/inpoly only. Until that module has a version, go.mod
// replaces it by the folder above, so dem builds in a clone of the repository only.
package dem
