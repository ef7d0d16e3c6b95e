package main

const mergeUsage = `Usage:
  inpoly merge PREFIX-manifest.json [flags]

Joins the shards that inpoly-beam has written, in order, to what inpoly itself would
have written for the same points, byte for byte. Each shard is compared with the size
and the checksum that the manifest beside it has. Points of several files become one
file if they are texts with the same columns: the header of the first stays, those of
the others, and what is before them, are left out.
Several shards of a Parquet file are read together, not joined.

Example:
  inpoly merge out-manifest.json --out inside.csv
  inpoly merge out-manifest.json --out-dir answers

Flags:
  -o, --out FILE         write one file, whole or not at all (default standard output)
      --out-dir DIR      write one file for each file of points, named like it
  -q, --quiet            no summary

Exit codes:
  0 done, 1 input or output error, a shard that is not what the manifest says, or
  shards that cannot be joined, 2 usage
`
