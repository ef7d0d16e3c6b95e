package skin

import "slices"

// reduce removes corners that repeat their neighbor, and spikes: a corner whose two neighbors are the
// same vertex. It changes the slice and returns the beginning of it. In the result, no rotation of the
// cycle equals its reversal. Proof: suppose that a reflection maps the cycle to itself. The axis of the
// reflection passes through a corner or between two corners. In the first case the neighbors of this
// corner are equal, in the second case the two corners. reduce has removed both.
func reduce(cycle []int32) []int32 {
	out := cycle[:0]
	for _, c := range cycle {
		n := len(out)
		switch {
		case n > 0 && out[n-1] == c:
		case n > 1 && out[n-2] == c:
			out = out[:n-1]
		default:
			out = append(out, c)
		}
	}
	for {
		n := len(out)
		switch {
		case n < 3:
			return nil
		case out[0] == out[n-1], out[0] == out[n-2]: // a repeated corner, or the tip of a spike
			out = out[:n-1]
		case out[1] == out[n-1]: // corner 0 is the tip of a spike
			out = out[1:]
		default:
			return out
		}
	}
}

// canonical rotates the cycle, and reverses it if necessary, so that equal cycles become equal slices
// whatever their first corner and direction are. It reports whether it has reversed the cycle. The
// cycle must be reduced.
func canonical(cycle []int32) (reversed bool) {
	rotate(cycle)
	if len(cycle) == 3 || cycle[0] != slices.Min(cycle[1:]) {
		// The lowest corner occurs once. It stays in front.
		if cycle[1] < cycle[len(cycle)-1] {
			return false
		}
		reverse(cycle)
		return true
	}
	other := slices.Clone(cycle)
	reverse(other)
	rotate(other)
	if slices.Compare(other, cycle) > 0 {
		return false
	}
	copy(cycle, other)
	return true
}

// reverse reverses the direction of the cycle. The first corner stays in front.
func reverse(cycle []int32) { slices.Reverse(cycle[1:]) }

// rotate moves the least rotation in lexicographic order to the front. It takes O(n) time for n
// corners (Shiloach, "Fast canonization of circular strings", 1981).
func rotate(cycle []int32) {
	n := len(cycle)
	at := func(i int) int32 {
		if i >= n {
			i -= n
		}
		return cycle[i]
	}
	i, j, k := 0, 1, 0 // i and j are candidates whose first k corners agree
	for i < n && j < n && k < n {
		a, b := at(i+k), at(j+k)
		switch {
		case a == b:
			k++
			continue
		case a > b:
			i += k + 1
		default:
			j += k + 1
		}
		if i == j {
			j++
		}
		k = 0
	}
	first := min(i, j)
	slices.Reverse(cycle[:first])
	slices.Reverse(cycle[first:])
	slices.Reverse(cycle)
}
