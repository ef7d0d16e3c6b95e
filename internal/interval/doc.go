// Package interval writes a number with the bound of its error so that what is printed
// encloses what is meant: the number is rounded to the digits that the bound leaves,
// and the bound is rounded up, with the rounding of the number added.
//
//	fmt.Println(interval.New(0.58856871414, 4.2e-10)) // 0.5885687141 ± 5e-10
//	fmt.Println(interval.Up(4.2e-10))                 // 5e-10
package interval
