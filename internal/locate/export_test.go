package locate

// WindingMethods returns the methods for winding numbers for w.
func WindingMethods(w Workload) []Method { return measured.windingMethods(w) }
