package mesh

import (
	"context"
	"slices"
)

// inOrder divides [0, n) into blocks [lo, hi) and calls work for each block in order. It checks ctx
// before each block, so that long sequential loops end soon after ctx ends. It returns the error of
// ctx.
func inOrder(ctx context.Context, n int, work func(lo, hi int)) error {
	for lo := 0; lo < n; lo += blockSize {
		if err := ctx.Err(); err != nil {
			return err
		}
		work(lo, min(n, lo+blockSize))
	}
	return nil
}

// sortContext sorts a list with a comparison, which must be a total order. It checks ctx once for
// each block. After an error, the order of the list is undefined.
func sortContext[T any](ctx context.Context, list []T, compare func(a, b T) int) error {
	err := inOrder(ctx, len(list), func(lo, hi int) { slices.SortFunc(list[lo:hi], compare) })
	if err != nil || len(list) <= blockSize {
		return err
	}
	from, to := list, make([]T, len(list))
	for width := blockSize; width < len(list); width *= 2 {
		for lo := 0; lo < len(list); lo += 2 * width {
			mid, hi := min(lo+width, len(list)), min(lo+2*width, len(list))
			if err := merge(ctx, to[lo:hi], from[lo:mid], from[mid:hi], compare); err != nil {
				return err
			}
		}
		from, to = to, from
	}
	if &from[0] == &list[0] {
		return nil
	}
	return copyBlocks(ctx, list, from)
}

// copyBlocks copies src[:len(dst)] to dst. It checks ctx once for each block.
func copyBlocks[T any](ctx context.Context, dst, src []T) error {
	return inOrder(ctx, len(dst), func(lo, hi int) { copy(dst[lo:hi], src[lo:hi]) })
}

// merge merges the sorted lists a and b into dst. dst must have the length len(a) + len(b).
func merge[T any](ctx context.Context, dst, a, b []T, compare func(a, b T) int) error {
	i, j := 0, 0
	return inOrder(ctx, len(dst), func(lo, hi int) {
		for k := lo; k < hi; k++ {
			if j == len(b) || i < len(a) && compare(a[i], b[j]) <= 0 {
				dst[k] = a[i]
				i++
			} else {
				dst[k] = b[j]
				j++
			}
		}
	})
}
