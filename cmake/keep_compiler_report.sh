#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Compiler launcher: runs the command, keeps what it says about resources beside the object file, and passes the rest on.
object=
previous=
for word in "$@"; do
  [ "$previous" = -o ] && object=$word
  previous=$word
done
[ -n "$object" ] || exec "$@"
"$@" 2>"$object.report"
status=$?
# Where there is nothing but remarks on resources, nothing is passed on.
if [ $status -ne 0 ] || grep -qE 'warning|error' "$object.report"; then
  grep -vE 'ptxas info|bytes (gmem|stack frame)|kernel-resource-usage|^$' "$object.report" >&2
fi
exit $status
