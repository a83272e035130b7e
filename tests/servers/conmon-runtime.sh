#!/bin/sh
# Takes the place of runc where conmon keeps the log of a container: starts the program of the bundle, and writes its process id.
pid_file='' program=''
while [ $# -gt 0 ]; do
    case $1 in
        --pid-file) pid_file=$2 && shift ;;
        --bundle) program=$2/program && shift ;;
    esac
    shift
done
[ -n "$pid_file" ] || exit 0
"$program" &
echo $! >"$pid_file"
