package dem

import "math"

// ContactTime returns how long two particles of the given reduced mass m_a·m_b/(m_a+m_b)
// touch, if nothing else touches them: half a period of the oscillator
// m·δ″ + damping·δ′ + stiffness·δ = 0, π/√(k/m − (d/2m)²). Against a wall the reduced mass
// is that of the particle. It returns +Inf if the damping is so strong that they
// do not part.
func ContactTime(reducedMass, stiffness, damping float64) float64 {
	rate := damping / (2 * reducedMass)
	square := stiffness/reducedMass - rate*rate
	if square <= 0 {
		return math.Inf(1)
	}
	return math.Pi / math.Sqrt(square)
}

// Restitution returns the speed at which such particles part over that at which they
// met: exp(−d/(2m)·ContactTime). Contact ends where the overlap does; before that the
// dashpot may have pulled (the force of eq. 1 has no other limit than δ > 0).
func Restitution(reducedMass, stiffness, damping float64) float64 {
	if damping == 0 {
		return 1
	}
	return math.Exp(-damping / (2 * reducedMass) * ContactTime(reducedMass, stiffness, damping))
}
