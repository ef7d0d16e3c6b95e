package collide

import "time"

// Stats counts the work of a World. The counts are the same for any number of workers. Nodes and
// Asked include failed steps, as far as those completed the phases that count them. Steps, Pairs,
// Contacts, Tests and FacePairs are of successful steps alone.
type Stats struct {
	Indexes   uint64 // indexes built: one for each Solid, whatever moves
	Steps     uint64 // successful calls of Step
	Pairs     uint64 // pairs of bodies whose boxes meet in the world
	Nodes     uint64 // nodes compared with the box of another body, in failed steps as well
	Asked     uint64 // of these, nodes in that box, whose side was asked for, in failed steps as well
	Contacts  uint64 // of these, nodes that are not outside
	Tests     uint64 // pairs of triangles compared
	FacePairs uint64 // of these, pairs that touch
}

// Stats returns what has been counted since the beginning.
func (w *World) Stats() Stats { return w.step.stats }

// Timings tells how long the phases of all steps took, those included that a failed step completed.
type Timings struct {
	Broad     time.Duration // bodies whose boxes meet
	Filter    time.Duration // their nodes in the box of the other, in its frame
	Sides     time.Duration // of these, as the solids answer
	Depths    time.Duration // of those not outside
	Contacts  time.Duration // put together in order
	Triangles time.Duration // that touch
}

// Timings returns how long the phases took, since the beginning.
func (w *World) Timings() Timings { return w.step.timings }
