package locate

// WindingMethods returns the methods that compute winding numbers for the workload w.
func WindingMethods(w Workload) []Method { return measured.windingMethods(w) }

// NewSwept returns the Locator that sweeps over the triangles of a closed mesh.
func NewSwept(s *Surface, w Workload) Locator { return newSwept(s, w) }

// StageOf returns a Stage that only asks l.
func StageOf(s *Surface, l Locator) *Stage {
	if stage, ok := l.(*Stage); ok {
		return stage
	}
	return newStage(Stage{surface: s, locator: l})
}
