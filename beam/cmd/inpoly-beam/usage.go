package main

const usage = `Usage:
  inpoly-beam --mesh MESH --points FILES --out PREFIX [flags]

Tells which points are inside a mesh, as inpoly does, in shards over any number of
machines, on Apache Beam. See inpoly help for what is read, written and answered.

Example:
  inpoly-beam --mesh part.stl --points 'scans/*.csv' --out answers/part
  inpoly merge answers/part-manifest.json --out-dir merged

Files:
      --mesh MESH        the mesh; given several times, each is a solid
      --points FILES     point files; a pattern such as 'scans/*.csv' stands for all that
                         match; may be given several times. Local paths, gs://
  -o, --out PREFIX       write PREFIX-00000-of-00012.csv and so on, and at last
                         PREFIX-manifest.json
      --shard-points N   about so many points a shard (default 4000000)

Answer and input, as in inpoly:
      --state --winding --certify --distance --nearest --body --keep --format
      --method --epsilon --rule --tolerance --orient --seed --columns --xyz --text
      --workers --max-memory --strict --verify (N points of each shard)

Running:
      --runner NAME      prism (default: in this process), flink, spark, dataflow or
                         universal; with Beam's own flags, such as --endpoint,
                         --environment_type, --environment_config, --parallelism,
                         --project, --region, --staging_location
      --processes N      so many workers of a Prism server with PROCESS workers
      --tries N          how often to submit when the engine fails, as when a worker
                         dies; shards that are done stay done (default 3)
      --silence TIME     a worker of a Prism server of which nothing is heard for so long
                         counts as dead, however long a shard takes (default 30s)
  -q, --quiet            no progress, warnings and summary
      --verbose          the log of the engine
      --version          which version this is

A run that has failed or was interrupted keeps its shards in PREFIX.parts-KEY; the same
command goes on with them.

Exit codes:
  0 done, 1 input, output or engine error, 2 usage, 3 refused by --strict, 130
  interrupted by Ctrl-C
`
