package locate

// WindingMethods returns the methods for winding numbers under w.
func WindingMethods(w Workload) []Method { return measured.windingMethods(w) }

// Exact returns the Locator that others fall back to.
func Exact(s *Surface) Locator { return rays{s} }
