// Package arch holds the test of who may import whom. It has no code.
package arch
