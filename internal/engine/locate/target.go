package locate

// setOf returns the Set of an inpoly.Target. Package inpoly sets setOf in an init function, because
// this package cannot import inpoly.
var setOf func(target any) *Set

// Provide sets the function that Of calls. Only package inpoly calls Provide, once.
func Provide(of func(target any) *Set) { setOf = of }

// Of returns the Set of an inpoly.Target, for the packages of this module that search its surface. It panics if
// target is of another type.
func Of(target any) *Set { return setOf(target) }
