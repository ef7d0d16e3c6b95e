package locate

// WindingMethods returns the methods for winding numbers under w.
func WindingMethods(w Workload) []Method { return measured.windingMethods(w) }
