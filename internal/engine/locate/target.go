package locate

// setOf returns the Set of an inpoly.Target. Package inpoly provides it before main begins.
var setOf func(target any) *Set

// Provide sets the function behind Of. Only package inpoly calls it, once.
func Provide(of func(target any) *Set) { setOf = of }

// Of returns the Set of an inpoly.Target, for the packages of this module that search its surface. It panics if
// target is of another type.
func Of(target any) *Set { return setOf(target) }
