//go:build !small

package loaders

import (
	"github.com/inpoly/inpoly/loaders/internal/cityjson"
	"github.com/inpoly/inpoly/loaders/internal/msh"
	"github.com/inpoly/inpoly/loaders/internal/soup"
	"github.com/inpoly/inpoly/loaders/internal/vtk"
)

func mshFormat() soup.Format { return msh.Format() }

func vtkFormat() soup.Format { return vtk.Format() }

func cityJSONFormat() soup.Format { return cityjson.Format() }
