// Package dem simulates particles that push each other where they overlap: the discrete
// element method, as far as experiments with neighbor methods and with polygons need it.
//
//   - Spheres and Disks: balls in space and disks in the plane, linear spring and dashpot,
//     walls of the same law, the Verlet integrator (Muth, Müller, Eberhard, Luding 2007).
//   - Polygons: convex polygons in the plane that turn; the force is the area of the overlap,
//     at its centroid; Gear's predictor and corrector (Schinner 1999).
//   - PackSpheres, PackDisks, ThermalSpheres and ThermalDisks prepare dense gases: places
//     without overlap and velocities (Ogarko and Luding 2012, §4).
//
// There is neither friction nor cohesion.
//
// A neighbor.Method of the caller's choice finds the contacts. All methods find the same
// contacts in the same order, forces are summed in that order, and no product is fused with a
// sum. So a trajectory is the same, bit for bit, for every method and any number of workers.
//
// A step takes time proportional to particles and contacts, beside the time of the method. A
// step that fails leaves the world as it was. With one worker, steps do not allocate once
// buffers have grown; with several, starting goroutines allocates.
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
