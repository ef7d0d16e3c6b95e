package collide

import (
	"github.com/golang/geo/r3"

	"github.com/inpoly/inpoly/internal/pose"
)

// Pose places a shape in the world. It is inpoly.Pose.
type Pose = pose.Pose

// frame is the motion of a pose, with rounded numbers.
type frame = pose.Frame

// ErrPose is inpoly.ErrPose. A World also returns it for a body with a coordinate beyond 2^498.
var ErrPose = pose.ErrPose

// At is inpoly.PoseAt.
func At(t r3.Vector) Pose { return pose.At(t) }

// Turned is inpoly.PoseTurned.
func Turned(axis r3.Vector, angle float64, t r3.Vector) (Pose, error) {
	return pose.Turned(axis, angle, t)
}

// FromMatrix is inpoly.PoseFromMatrix.
func FromMatrix(m [3][3]float64, t r3.Vector) (Pose, error) { return pose.FromMatrix(m, t) }
