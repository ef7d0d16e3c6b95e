package view

import (
	"fmt"
	"image/color"

	"github.com/inpoly/inpoly/view/internal/raster"
)

// checkColors returns an error for invalid PictureOptions.Colors.
func (s *Scene) checkColors(colors []color.NRGBA) error {
	if len(colors) > 0 && len(colors) != len(s.parts) {
		return fmt.Errorf("view: %d Colors for %d solids: expected one for each solid", len(colors), len(s.parts))
	}
	for i, c := range colors {
		if c.A != 255 && c != (color.NRGBA{}) {
			return fmt.Errorf("view: the color %v of solid %d has the alpha %d: expected 255, or the zero color", c, i, c.A)
		}
	}
	return nil
}

// colored divides the mesh of the scene into meshes of one color each, in the order of their first faces.
func (p *painter) colored(whole raster.Mesh) (out []raster.Mesh) {
	colors := p.opt.Colors
	if len(colors) == 0 {
		return []raster.Mesh{whole}
	}
	s := p.scene
	index := map[color.NRGBA]int{}
	for f, face := range whole.Faces {
		solid := 0
		if s.surface.label != nil {
			solid = s.owner[s.surface.label[f]]
		}
		c := colors[solid]
		i, ok := index[c]
		if !ok {
			i = len(out)
			index[c] = i
			m := whole
			m.Faces, m.Normals = nil, nil
			if c.A != 0 {
				m.Color = rgb{c.R, c.G, c.B}.linear()
			}
			out = append(out, m)
		}
		out[i].Faces = append(out[i].Faces, face)
		out[i].Normals = append(out[i].Normals, whole.Normals[3*f:3*f+3]...)
	}
	return out
}
