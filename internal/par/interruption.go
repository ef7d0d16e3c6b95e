package par

import (
	"context"
	"time"
)

// Interruption is a context that ends when a channel is closed. If the channel is nil, the context
// never ends.
type Interruption <-chan struct{}

// Deadline returns false: there is no deadline.
func (c Interruption) Deadline() (deadline time.Time, ok bool) { return time.Time{}, false }

// Done returns c.
func (c Interruption) Done() <-chan struct{} { return c }

// Value returns nil.
func (c Interruption) Value(any) any { return nil }

// Err returns context.Canceled if c is closed.
func (c Interruption) Err() error {
	select {
	case <-c:
		return context.Canceled
	default:
		return nil
	}
}
