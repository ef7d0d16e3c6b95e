package locate

// WindingMethods returns the methods that compute winding numbers for the workload w.
func WindingMethods(w Workload) []Method { return measured.windingMethods(w) }
