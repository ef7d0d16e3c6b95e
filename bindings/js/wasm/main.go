//go:build js && wasm

// Command wasm is the WebAssembly module of the npm package inpoly (bindings/js/README.md). It stands on
// package binding. The package has the build with the tag small, which leaves out zstandard.
//
// The module finds the object inpoly in the global scope, and calls its function ready with an object
// of three functions, and a text that describes the exports of few.go:
//
//	call(method, params, done, progress)  starts a method and returns its number
//	cancel(number)                        cancels the method with this number
//	sync(method, params)                  runs a method to its end and returns {value} or {error}
//
// A method of call ends with done(undefined, value) or done({code, message}). progress(stage, done,
// total) can be called before. Methods of call let other events happen about 60 times a second, for
// which they use inpoly.later(f); see yielding.
package main

import (
	"context"
	"fmt"
	"runtime/debug"
	"syscall/js"
	"time"

	"github.com/inpoly/inpoly/internal/binding"
)

// progressFunc reports the progress of a method. It can be nil.
type progressFunc func(stage string, done, total int64)

// method computes a value that js.ValueOf accepts. A method that panics with a js.Error fails with
// the code of arguments.
type method func(ctx context.Context, params js.Value, progress progressFunc) (any, error)

// methods maps the names of methods to functions. Files with a build tag add to it in init.
var methods = map[string]method{}

// host is the object of the engine that has started this module.
var host = js.Global().Get("inpoly")

func main() {
	// A WebAssembly memory has 4 GiB. Near this limit, garbage is collected more often.
	debug.SetMemoryLimit(3 << 30)
	c := calls{cancel: map[int]context.CancelFunc{}}
	host.Call("ready", map[string]any{
		"call":   js.FuncOf(c.start),
		"cancel": js.FuncOf(c.stop),
		"sync":   js.FuncOf(run),
		"few":    fewAnswers(),
	})
	select {}
}

// calls holds the running calls. All of it runs on one thread.
type calls struct {
	last   int
	cancel map[int]context.CancelFunc
}

func (c *calls) start(_ js.Value, args []js.Value) any {
	name, params, done, report := args[0].String(), args[1], args[2], args[3]
	c.last++
	id := c.last
	lastYield = time.Now() // JavaScript handles an event now
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel[id] = cancel
	go func() {
		value, err := invoke(yielding{ctx}, name, params, throttled(report))
		cancel()
		delete(c.cancel, id)
		if err != nil {
			done.Invoke(failure(err))
			return
		}
		done.Invoke(js.Undefined(), value)
	}()
	return id
}

func (c *calls) stop(_ js.Value, args []js.Value) any {
	if cancel := c.cancel[args[0].Int()]; cancel != nil {
		cancel()
	}
	return nil
}

// run is the function sync.
func run(_ js.Value, args []js.Value) any {
	value, err := invoke(context.Background(), args[0].String(), args[1], nil)
	if err != nil {
		return map[string]any{"error": failure(err)}
	}
	return map[string]any{"value": value}
}

// invoke calls a method and turns panics into errors.
func invoke(ctx context.Context, name string, params js.Value, progress progressFunc) (value any, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case js.Error: // such as a typed array that cannot be allocated
			err = fmt.Errorf("%w: %s", binding.ErrArgument, p.Value.Get("message").String())
		case *js.ValueError: // a parameter is missing or has another type
			err = fmt.Errorf("%w: %w", binding.ErrArgument, p)
		default:
			err = binding.Panicked{Value: p}
		}
	}()
	f := methods[name]
	if f == nil {
		return nil, fmt.Errorf("%w: unknown method %q", binding.ErrArgument, name)
	}
	value, err = f(ctx, params, progress)
	if err == nil {
		err = ctx.Err()
	}
	return value, err
}

func failure(err error) map[string]any {
	return map[string]any{"code": binding.CodeOf(err).String(), "message": err.Error()}
}

// throttled returns a function that reports the progress to report at most 20 times a second, and
// whenever the stage changes or ends.
func throttled(report js.Value) progressFunc {
	if report.Type() != js.TypeFunction {
		return nil
	}
	var stage string
	var last time.Time
	return func(s string, done, total int64) {
		if s == stage && done != total && time.Since(last) < 50*time.Millisecond {
			return
		}
		stage, last = s, time.Now()
		report.Invoke(s, done, total)
	}
}
