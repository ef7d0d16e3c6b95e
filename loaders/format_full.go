//go:build !small

package loaders

import (
	"github.com/inpoly/inpoly/loaders/internal/msh"
	"github.com/inpoly/inpoly/loaders/internal/soup"
)

func mshFormat() soup.Format { return msh.Format() }
