module github.com/inpoly/inpoly/tools

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.6.0
	golang.org/x/tools v0.52.0
)

require (
	golang.org/x/mod v0.43.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
)
