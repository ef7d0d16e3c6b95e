// Package dem moves particles that push each other where they overlap: the discrete
// element method, as far as the experiments with neighbour methods and with polygons need it.
//
//   - Spheres and Disks: balls in space and disks in the plane, linear spring and dashpot,
//     walls of the same law, the Verlet integrator (Muth, Müller, Eberhard, Luding 2007).
//
// Contacts are found by a neighbor.Method of the caller's choice. All of them find the
// same contacts in the same order, forces are kept by contact and summed in that order, and
// no product is fused with a sum: so a trajectory is the same, bit by bit, for every
// method, for any number of workers and on every machine.
//
// A step that fails leaves the world as it was.
package dem
