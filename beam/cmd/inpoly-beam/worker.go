package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// isWorker reports whether args is the command line of a worker that an engine has started. The
// boot program of a container passes --worker. Beam's PROCESS environment passes
// --provision_endpoint.
func isWorker(args []string) bool {
	return hasFlag(args, "worker") || hasFlag(args, "provision_endpoint")
}

// work runs a worker of an engine. It returns only if the worker fails.
func work(args []string) int {
	args, err := workerArgs(context.Background(), args)
	if err == nil {
		err = flag.CommandLine.Parse(args)
	}
	if err != nil {
		return report(err)
	}
	beam.Init() // runs the worker
	return report(errors.New("the worker has ended unexpectedly"))
}

// workerArgs returns the flags of Beam's worker. An engine that starts a process passes only an id
// and the address of a provision service. The provision service returns the values of the other
// flags. Prism up to 2.77 adds shell quotes to the id, but starts no shell that removes them.
func workerArgs(ctx context.Context, args []string) ([]string, error) {
	set := flag.NewFlagSet("worker", flag.ContinueOnError)
	set.SetOutput(new(strings.Builder))
	id := set.String("id", "", "")
	provision := set.String("provision_endpoint", "", "")
	for _, name := range []string{"logging_endpoint", "control_endpoint", "artifact_endpoint", "semi_persist_dir", "status_endpoint"} {
		set.String(name, "", "")
	}
	if hasFlag(args, "worker") {
		return args, nil
	}
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	name := strings.Trim(*id, "'\"")
	info, err := tools.ProvisionInfo(grpcx.WriteWorkerID(ctx, name), *provision)
	if err != nil {
		return nil, fmt.Errorf("provision service %s: %w", *provision, err)
	}
	logging, control := info.GetLoggingEndpoint().GetUrl(), info.GetControlEndpoint().GetUrl()
	if logging == "" || control == "" {
		return nil, fmt.Errorf("provision service %s: the endpoints for logging and control are missing", *provision)
	}
	return []string{"--worker", "--id=" + name, "--logging_endpoint=" + logging, "--control_endpoint=" + control}, nil
}

func hasFlag(args []string, name string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		t := strings.TrimLeft(arg, "-")
		return len(t) < len(arg) && (t == name || strings.HasPrefix(t, name+"="))
	})
}
