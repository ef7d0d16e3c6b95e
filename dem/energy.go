package dem

// Energy is that of all particles of a world, in J.
type Energy struct {
	Kinetic    float64 // ½ m v², of the centers of mass
	Rotational float64 // ½ I ω²: zero for balls and disks, which do not turn without friction
	Elastic    float64 // of the springs, walls included
	Potential  float64 // −m g·x
}

// Total returns the sum, which does not change without damping, but for what
// the integrator errs.
func (e Energy) Total() float64 { return e.Kinetic + e.Rotational + e.Elastic + e.Potential }
