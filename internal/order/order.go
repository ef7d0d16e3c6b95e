// Package order sorts lists by sorting the numbers of their elements. The compiler makes a separate sort
// function for each type of struct, but only one for int32 numbers. So this package keeps the WebAssembly
// that users download small.
package order

import "slices"

// Of returns the numbers 0 to n−1 in ascending order. The function compare returns a negative number if element i
// is before element j, and a positive number if it is after it. The order of equal elements is arbitrary. n must
// be at most math.MaxInt32.
func Of(n int, compare func(i, j int32) int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, compare)
	return order
}

// Sorted returns the elements of a list in ascending order. It does not change the list.
func Sorted[T any](list []T, compare func(a, b *T) int) []T {
	sorted := make([]T, len(list))
	for k, i := range Of(len(list), func(i, j int32) int { return compare(&list[i], &list[j]) }) {
		sorted[k] = list[i]
	}
	return sorted
}
