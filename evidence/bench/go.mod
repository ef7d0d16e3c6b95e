module github.com/inpoly/inpoly/evidence/bench

go 1.26.0

require (
	github.com/golang/geo v0.0.0-20260818125358-b200a1149890
	github.com/inpoly/inpoly v0.0.0
	github.com/inpoly/inpoly/evidence/repro v0.0.0
)

require (
	codeberg.org/go-fonts/liberation v0.5.0 // indirect
	codeberg.org/go-latex/latex v0.1.0 // indirect
	codeberg.org/go-pdf/fpdf v0.10.0 // indirect
	git.sr.ht/~sbinet/gg v0.6.0 // indirect
	github.com/ajstarks/svgo v0.0.0-20211024235047-1546f124cd8b // indirect
	github.com/campoy/embedmd v1.0.0 // indirect
	github.com/golang/freetype v0.0.0-20170609003504-e2365dfdc4a0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/pmezard/go-difflib v1.0.0 // indirect
	github.com/qmuntal/gltf v0.28.0 // indirect
	golang.org/x/image v0.48.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	gonum.org/v1/plot v0.16.0 // indirect
)

replace github.com/inpoly/inpoly => ../../

replace github.com/inpoly/inpoly/dem => ../../dem

replace github.com/inpoly/inpoly/evidence/repro => ../repro
