package dem

// degrees is the number of coordinates of a rigid body in the plane: x, y and the angle.
const degrees = 3

// gearOrder is the order of the highest derivative that the integrator keeps.
const gearOrder = 5

// gearState holds the coordinates of a body and their scaled derivatives: row n is
// hⁿ/n! times the n-th derivative with respect to time.
type gearState [gearOrder + 1][degrees]float64

// gearWeights are Gear's for a differential equation of second order whose right side depends
// on positions and velocities, with six values (C. W. Gear, Numerical Initial Value Problems
// in Ordinary Differential Equations, 1971; Allen and Tildesley, Computer Simulation of
// Liquids, 1987, Table E.2). Schinner 1999, §5, names the method but neither order
// nor weights.
var gearWeights = [gearOrder + 1]float64{3. / 16, 251. / 360, 1, 11. / 18, 1. / 6, 1. / 60}

// predict moves to the next step by the Taylor series: row n becomes Σ_{m≥n} C(m, n)·row m,
// by Pascal's triangle.
func (g *gearState) predict() {
	for n := range gearOrder {
		for m := gearOrder - 1; m >= n; m-- {
			for d := range degrees {
				g[m][d] += g[m+1][d]
			}
		}
	}
}

// correct takes account of the accelerations at the predicted place, scaled as row 2 is.
func (g *gearState) correct(scaled [degrees]float64) {
	for d := range degrees {
		change := scaled[d] - g[2][d]
		for n := range g {
			g[n][d] += float64(gearWeights[n] * change)
		}
	}
}
