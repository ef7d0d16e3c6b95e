#!/bin/sh
# Claims answers, but writes none.
echo '{"build":1,"mqps":2,"nt":8,"np":3,"threads":2,"inside":1,"boundary":1}'
