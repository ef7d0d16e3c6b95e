#!/bin/sh
echo 'no such mesh' >&2
exit 1
