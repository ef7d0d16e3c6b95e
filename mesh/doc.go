// Package mesh holds indexed triangle meshes: welding, boundary chain, diagnosis, bodies and generators.
package mesh
