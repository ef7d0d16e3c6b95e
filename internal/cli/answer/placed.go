package answer

import (
	"context"
	"errors"
	"fmt"

	"github.com/golang/geo/r3"
	"gonum.org/v1/gonum/num/quat"

	"github.com/inpoly/inpoly"
	"github.com/inpoly/inpoly/internal/cli/term"
	"github.com/inpoly/inpoly/pose"
)

// NewPose returns the pose of 3, 7 or 12 numbers: a translation, and after it no rotation, a unit quaternion
// (qw, qx, qy, qz) or a rotation matrix in row-major order.
//
// Errors: pose.ErrInvalid if the numbers are not a pose.
func NewPose(v []float64) (pose.Pose, error) {
	p := pose.At(r3.Vector{X: v[0], Y: v[1], Z: v[2]})
	switch rest := v[3:]; len(rest) {
	case 4:
		p.Rotation = quat.Number{Real: rest[0], Imag: rest[1], Jmag: rest[2], Kmag: rest[3]}
	case 9:
		m := [3][3]float64{[3]float64(rest[0:3]), [3]float64(rest[3:6]), [3]float64(rest[6:9])}
		var err error
		if p, err = pose.FromMatrix(m, p.Translation); err != nil {
			return p, err
		}
	}
	return p, p.Check()
}

// parsePose parses the value of --pose. It returns nil for the empty string.
func parsePose(s string) (*pose.Pose, error) {
	if s == "" {
		return nil, nil
	}
	v, err := ParseNumbers(s, 3, 7, 12)
	if err != nil {
		return nil, fmt.Errorf("--pose %w", err)
	}
	p, err := NewPose(v)
	if err != nil {
		return nil, fmt.Errorf("--pose %q: %w", s, err)
	}
	return &p, nil
}

// Place puts all solids at the pose of --pose. The caller must have called f.Options.
func (f *Flags) Place(s *Solids) error {
	if f.pose == nil {
		return nil
	}
	poses := make([]pose.Pose, s.Len())
	for i := range poses {
		poses[i] = *f.pose
	}
	var err error
	s.Assembly, err = s.Assembly.At(poses)
	return placeError(err)
}

// placeError names the flag in an error about the pose.
func placeError(err error) error {
	if errors.Is(err, pose.ErrInvalid) {
		return term.Usagef("--pose: %w", err)
	}
	return err
}

// OpenTarget opens the mesh at path as OpenSolid does, and puts it at the pose of --pose.
func (f *Flags) OpenTarget(ctx context.Context, t *term.Terminal, path string, opt inpoly.Options, outcome string) (inpoly.Target, error) {
	s, err := OpenSolid(ctx, t, path, opt, f.Strict, outcome)
	if err != nil {
		return nil, err
	}
	if f.pose == nil {
		return s, nil
	}
	at, err := s.At(*f.pose)
	if err != nil {
		return nil, placeError(err)
	}
	return at, nil
}
