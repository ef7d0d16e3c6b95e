package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/inpoly/inpoly/internal/cli/answer"
)

func init() {
	register.DoFn3x1[context.Context, []byte, func([]byte), error](&answerFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&finishFn{})
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
}

// These counters are metrics of Beam. If a shard is tried again, they count the shard again. The
// manifest counts each row once.
var (
	shardsDone   = beam.NewCounter("inpoly", "shards")
	rowsAnswered = beam.NewCounter("inpoly", "rows")
	rowsInside   = beam.NewCounter("inpoly", "inside")
	rowsOutside  = beam.NewCounter("inpoly", "outside")
	rowsOn       = beam.NewCounter("inpoly", "on")
	rowsUnsure   = beam.NewCounter("inpoly", "uncertain")
	bytesWritten = beam.NewCounter("inpoly", "bytes")
	shardMillis  = beam.NewCounter("inpoly", "shard_ms")
	indexes      = beam.NewCounter("inpoly", "indexes_built")
	indexMillis  = beam.NewCounter("inpoly", "index_ms") // time in which bundles wait for the index

	// These distributions over the shards are not used with Prism. Prism up to 2.77 fails if a
	// bundle reports progress while a distribution has no value.
	shardTimes = beam.NewDistribution("inpoly", "shard_ms_each")
	shardBytes = beam.NewDistribution("inpoly", "shard_bytes_each")
)

// answerFn is the step of the pipeline that maps parts to results.
type answerFn struct {
	Task []byte // JSON of a task

	task task
	q    *answer.Query
}

// StartBundle sets f.q. The first bundle of a process builds the index.
func (f *answerFn) StartBundle(ctx context.Context, _ func([]byte)) error {
	if err := json.Unmarshal(f.Task, &f.task); err != nil {
		return permanent(err)
	}
	defer f.task.heartbeat()()
	from := time.Now()
	var fresh bool
	var err error
	if f.q, fresh, err = f.task.query(ctx); err != nil {
		return permanent(err)
	}
	if fresh {
		indexes.Inc(ctx, 1)
	}
	indexMillis.Inc(ctx, time.Since(from).Milliseconds())
	return nil
}

func (f *answerFn) ProcessElement(ctx context.Context, element []byte, emit func([]byte)) error {
	defer f.task.heartbeat()()
	var p part
	if err := json.Unmarshal(element, &p); err != nil {
		return permanent(err)
	}
	from := time.Now()
	r, err := f.task.run(ctx, &p, f.q)
	if err != nil {
		return permanent(err)
	}
	c := &r.Shard.Counts
	shardsDone.Inc(ctx, 1)
	rowsAnswered.Inc(ctx, c.Rows)
	rowsInside.Inc(ctx, c.Inside)
	rowsOutside.Inc(ctx, c.Outside)
	rowsOn.Inc(ctx, c.On)
	rowsUnsure.Inc(ctx, c.Uncertain)
	bytesWritten.Inc(ctx, r.Shard.Bytes)
	took := time.Since(from).Milliseconds()
	shardMillis.Inc(ctx, took)
	if f.task.Distributions {
		shardTimes.Update(ctx, took)
		shardBytes.Update(ctx, r.Shard.Bytes)
	}
	emit(mustJSON(r))
	return nil
}

// finishFn runs the final step when all shards are finished.
type finishFn struct {
	Ending []byte // JSON of a finalStep
}

// ProcessElement runs the final step. One call gets all results, because they have the same key.
func (f *finishFn) ProcessElement(ctx context.Context, _ int, next func(*[]byte) bool) error {
	var e finalStep
	if err := json.Unmarshal(f.Ending, &e); err != nil {
		return permanent(err)
	}
	var list []*shardResult
	var data []byte
	for next(&data) {
		r := &shardResult{}
		if err := json.Unmarshal(data, r); err != nil {
			return permanent(err)
		}
		list = append(list, r)
	}
	return permanent(e.finish(ctx, list))
}

// newPipeline returns the pipeline of a run. The pipeline maps shards to results and passes all
// results to the final step.
func newPipeline(e *finalStep, parts []part) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	all := beam.Flatten(s, answers(s, &e.Task, parts)...)
	end := s.Scope("finish")
	beam.ParDo0(end, &finishFn{Ending: mustJSON(e)}, beam.GroupByKey(end, beam.AddFixedKey(end, all)))
	return p
}

// answers adds the steps that map shards to results. Prism processes the shards of one branch one
// after the other, so the pipeline has up to inProgress branches.
func answers(s beam.Scope, t *task, parts []part) (results []beam.PCollection) {
	branches := 1
	if engine() == "prism" {
		branches = min(inProgress, len(parts))
	}
	lists := make([][][]byte, branches)
	for i := range parts {
		lists[i%branches] = append(lists[i%branches], mustJSON(&parts[i]))
	}
	fn := &answerFn{Task: mustJSON(t)}
	for b, list := range lists {
		at := s.Scope(fmt.Sprintf("answer%d", b))
		results = append(results, beam.ParDo(at, fn, beam.Reshuffle(at, beam.CreateList(at, list))))
	}
	return results
}

// permanentMark matches a permanent error in the text of an engine's error.
var permanentMark = regexp.MustCompile(`<<inpoly ("(?:[^"\\]|\\.)*")>>`)

// permanent marks err as an error of this program, so that the driver does not try again. It does
// not mark an error of a canceled or timed-out shard: the engine has caused this error, and another
// try can succeed.
func permanent(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("<<inpoly %s>>", strconv.Quote(err.Error()))
}

// permanentReason returns the text of the first permanent error in an error of an engine.
func permanentReason(err error) (string, bool) {
	for _, m := range permanentMark.FindAllStringSubmatch(err.Error(), -1) {
		text, bad := strconv.Unquote(m[1])
		if bad == nil {
			return text, true
		}
	}
	return "", false
}
