#!/bin/sh
# Counts two points inside, and writes one.
printf '\000\001\002' > "$3"
echo '{"build":1,"mqps":2,"nt":8,"np":3,"threads":2,"inside":2,"boundary":1}'
