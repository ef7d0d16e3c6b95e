#!/bin/sh
# A peer's driver that refuses the mesh.
echo "the mesh is not closed" >&2
exit 3
