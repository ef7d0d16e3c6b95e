package collide

import "github.com/inpoly/inpoly/internal/motion"

// These are the constants of nodeBound and margin; see motion.Frame.
const (
	nodeReach, nodeOrigins     = 170 * 0x1p-53, 90 * 0x1p-53
	marginReach, marginOrigins = 512 * 0x1p-53, 512 * 0x1p-53
	tiny                       = 0x1p-1060
)

// nodeBound bounds the error of a node position computed with the functions motion.Relative and
// Frame.Apply. nodeDist is at least the distance of the node from the origin of its body.
// originDist is at least the distance between the two origins.
func nodeBound(nodeDist, originDist float64) float64 {
	return nodeReach*nodeDist + nodeOrigins*originDist + tiny
}

// poseBound bounds how much the distance between two bodies changes when the coordinates of their
// translations are rounded to the nearest float64. Each coordinate has an error of at most 2⁻⁵³
// times its magnitude.
func poseBound(a, b *motion.Frame) float64 {
	s, t := a.T.Abs(), b.T.Abs()
	return 0x1p-53 * (s.X + s.Y + s.Z + t.X + t.Y + t.Z)
}

// margin returns the width by which boxes and balls are extended, so that they contain each node
// whose computed position is in the box of the other body. The width covers the error of the
// position (142u and 77u, see motion.Frame) and the rounding of the boxes and balls. Let u = 2⁻⁵³.
// The error of the center comes from a rotation and a translation: (135u + 7u + u) times the reach
// of its body, plus (135u + 70u + 8u) times the distance of the origins. The half lengths are at
// most √3 times the reach of their body, and their error is (135√3 + 7)u times this reach. In
// total, the reach of the body with the node contributes at most 142u, the reach of the other body
// 143u + (135√3 + 7)u < 385u, and the distance 213u + 77u = 290u. Both constants are 512u, which
// exceeds these factors.
//
// The remaining 512u − 290u of the distance and 512u − 190u of each reach exceed query.touch for
// the boxes in the world, whose errors are at most 190u times the reach and 16u times the
// translation.
func margin(reach, origins float64) float64 {
	return marginReach*reach + marginOrigins*origins + tiny
}
