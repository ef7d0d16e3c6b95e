// The application that bundles are tested with has no Go code. As a module of its own, it is not in the download of
// the module above.
module github.com/inpoly/inpoly/bindings/js/test/app

go 1.26.0
