module github.com/inpoly/inpoly/dem

go 1.25.0

require (
	github.com/golang/geo v0.0.0-20260818125358-b200a1149890
	github.com/inpoly/inpoly v0.0.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/sys v0.44.0 // indirect

replace github.com/inpoly/inpoly => ../
