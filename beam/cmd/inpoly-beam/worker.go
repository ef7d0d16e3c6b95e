package main

import (
	"context"
	"flag"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/container/tools"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

// isWorker reports whether an engine starts a worker with this command line, either by the boot
// program of a container (--worker) or directly (Beam's PROCESS environment).
func isWorker(args []string) bool {
	for _, a := range args {
		if name := strings.TrimLeft(a, "-"); len(name) < len(a) && (name == "worker" || strings.HasPrefix(name, "worker=") || strings.HasPrefix(name, "provision_endpoint")) {
			return true
		}
	}
	return false
}

// workerArgs returns the flags of Beam's worker. An engine that starts a process gives it an id and
// the address of a service that knows the rest. Prism up to 2.77 puts the id in quotes, which no
// shell removes.
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
		return nil, fmt.Errorf("provision service %s: no endpoints for logging and control", *provision)
	}
	return []string{"--worker", "--id=" + name, "--logging_endpoint=" + logging, "--control_endpoint=" + control}, nil
}

func hasFlag(args []string, name string) bool {
	for _, a := range args {
		if t := strings.TrimLeft(a, "-"); len(t) < len(a) && (t == name || strings.HasPrefix(t, name+"=")) {
			return true
		}
	}
	return false
}
