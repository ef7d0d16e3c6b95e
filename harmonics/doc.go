// Package harmonics holds the real-potential solid harmonics of the multipole
// method: R_n^m and S_n^m.
package harmonics
