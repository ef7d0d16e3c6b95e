#!/bin/sh
# A peer's driver: MESH POINTS OUT THREADS.
printf '\000\001\002' > "$3"
echo '{"build":1,"query":1.5,"mqps":2,"nt":8,"np":3,"threads":2,"inside":1,"boundary":1}'
