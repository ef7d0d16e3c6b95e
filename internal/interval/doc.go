// Package interval writes a number with the bound of its error. The printed interval
// encloses the exact one: the number is rounded to the digits that the bound leaves, and
// the bound is rounded up after the rounding error of the number is added.
//
//	fmt.Println(interval.New(0.58856871414, 4.2e-10)) // 0.5885687141 ± 5e-10
//	fmt.Println(interval.Up(4.2e-10))                 // 5e-10
package interval
