// Package dem simulates particles that push each other where they overlap. It implements the part
// of the discrete element method that is needed for experiments with neighbor methods and polygons.
// Package rigid simulates balls and polyhedra that rotate, with friction and walls of triangles.
//
//   - Spheres and Disks: balls in space and disks in the plane. Linear springs and dashpots act
//     between them and at walls. The integrator is the Verlet method (Muth, Müller, Eberhard, Luding 2007).
//   - Polygons: convex polygons in the plane that rotate. The force depends on the area of the overlap
//     and acts at its centroid. Polygons can have friction. The integrator is Gear's predictor and
//     corrector (Schinner 1999).
//   - PackSpheres, PackDisks, ThermalSpheres and ThermalDisks prepare dense gases: positions without
//     overlap, and velocities (Ogarko and Luding 2012, §4).
//
// In this package, spheres and disks do not rotate and have no friction. There is no cohesion. A
// scene can be periodic: then opposite walls of an axis are connected.
//
// The caller chooses the neighbor.Method that finds the contacts. All methods find the same
// contacts in the same order. Forces are summed in this order, without fused multiply-adds.
// Therefore the trajectory does not depend on the method or on the number of workers, not even in
// the last bit.
//
// A step takes the time of the neighbor method, plus a time proportional to the number of particles
// and contacts. A step that fails does not change the world. With one worker, steps stop allocating
// when the buffers are large enough. With several workers, each step allocates to start goroutines.
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
// The package is a separate module: go get github.com/inpoly/inpoly/dem. It uses only public
// packages of the module github.com/inpoly/inpoly. While github.com/inpoly/inpoly has no published
// version, the go.mod of dem replaces github.com/inpoly/inpoly with the parent folder. Therefore,
// dem builds only in a clone of the repository.
package dem
