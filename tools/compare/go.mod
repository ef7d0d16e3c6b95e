module github.com/inpoly/inpoly/tools/compare

go 1.26.0

require (
	github.com/golang/geo v0.0.0-20260818125358-b200a1149890
	github.com/inpoly/inpoly v0.0.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/qmuntal/gltf v0.28.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
)

replace github.com/inpoly/inpoly => ../..
