// Package rigid simulates rigid balls and polyhedra that touch each other and walls of triangles.
package rigid
