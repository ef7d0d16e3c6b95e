//go:build !unix

package main

import "errors"

func cpuSeconds() (float64, error) {
	return 0, errors.New("the table peers measures CPU time, which needs Unix")
}
