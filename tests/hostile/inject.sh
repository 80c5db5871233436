#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Injects faults into all commands: the n-th call of a family fails, for as many n as the time
# allows.
#
# usage: tests/hostile/inject.sh SECONDS [COUNTFILE] [OPTION OF inject_walk]...
#
# SECONDS: how long the preloaded library injects faults. A file system (FUSE) injects them for a
# quarter of that time more, if it can be mounted. COUNTFILE: lines "NAME COUNT", to which this
# run's inject-preload, inject-fuse and inject-failures are added; -: none. The count so far is the
# seed, so that each run tries different calls.
#
# BUILD: the directory of the program (build). VALIDATE: the program. WORK: directory of the runs,
# kept after a failure (BUILD/inject). TORTURE_JOBS: walks with the library that run at the same
# time and share the cases (1). FUSE=no: only the preloaded library. PRELOAD=no: only the file
# system, if it can be mounted. KEEP: if set, WORK stays, and a later call with it reuses its content
# and the compiled tools.
#
# A failure is printed with the option --at that repeats it: tests/hostile/inject.sh 0 - --only CASE
# --at FAMILY:N:FAULT. Exit status: 0, 1 if a fault had a wrong outcome, 3 if the script cannot run.
set -u
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd) || exit 3
src=$(cd "$here/../.." && pwd) || exit 3
# the injector precedes a sanitizer's library; memory that is not freed at the end is no failure
ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}"
TSAN_OPTIONS="halt_on_error=1:suppressions=$here/../tsan.supp:${TSAN_OPTIONS:-}"
export ASAN_OPTIONS TSAN_OPTIONS
build=$(cd "${BUILD:-$src/build}" && pwd) || exit 3
VALIDATE=${VALIDATE:-$build/validate}
work=${WORK:-$build/inject}
seconds=${1:?usage: inject.sh SECONDS [COUNTFILE] [OPTION]...} counts=${2:--}
[ $# -gt 1 ] && shift 2 || shift
case $counts in -|/*) ;; *) counts=$PWD/$counts ;; esac

die() {
	echo "inject.sh: $*" >&2
	exit 3
}
count_of() { # NAME
	[ "$counts" != - ] && [ -f "$counts" ] && awk -v n="$1" '$1 == n { s = $2 } END { print s + 0 }' "$counts" || echo 0
}
count_add() { # NAME N
	[ "$counts" != - ] || return 0
	touch "$counts" && awk -v n="$1" -v more="$2" '$1 == n { $2 += more; found = 1 } { print }
		END { if (!found) print n, more }' "$counts" >"$counts.new" && mv "$counts.new" "$counts"
}

[ "${KEEP:-}" ] || rm -rf "$work"
mkdir -p "$work/in" "$work/tools" || exit 3
tools=$work/tools
compile() { # NAME SOURCES AND FLAGS
	to=$tools/$1
	shift
	[ ! "${KEEP:-}" ] || [ ! -e "$to" ] || return 0
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -o "$to" "$@" || die "cannot compile $to"
}
compile inject.so -shared -fPIC -fno-builtin "$here/inject.c"
compile inject_walk "$here/inject_walk.c" "$here/inject_case.c" "$here/inject_tree.c" "$here/inject_run.c"

# --- inputs of the cases ----------------------------------------------------------------------
prepare() {
	cd "$work/in" || exit 3
	make_input() {
		"$VALIDATE" "$@" >../make.out 2>../make.err || die "cannot prepare the cases: $* : $(cat ../make.err)"
	}
	mkdir -p old made history
	formats=$src/tests/data/formats
	cp "$formats"/sda.blktrace.? "$formats/sda.blkparse" "$formats/strace-us.strace" "$formats/tracepoints-ftrace.txt" "$formats/perf-trace.txt" \
		"$formats/parallel.txt" .
	cp "$formats/golden/input.csv" calls.csv
	cp "$formats/golden/want.iolog" in.iolog
	cp "$src/tests/data/compare"/*.json .
	cp "$here"/inject-*.sh .
	for file in out.trace out.txt out.html out.json; do
		echo 'what was there before' >old/$file
	done
	awk 'BEGIN { for (i = 0; i < 60; i++)
		printf "%.0f,hm,0,%s,%d,4096,600\n", 128166372003061629 + i * 500, i % 3 ? "Read" : "Write", (i * 37 % 256) * 4096 }' >in.msr.csv
	printf 'name\tt\to\toff\tlen\nx y\t1.5\tget\t2\t100\nz\t2\tput\t3\t50\n' >own.txt
	cat >own.map <<'END'
[format]
delimiter = tab
header = yes
object = path
level = syscall
[column t]
field = begin
unit = ms
[column o]
field = operation
values = get:pread, put:pwrite
[column off]
field = offset
unit = 4K
[column len]
field = length
[column name]
field = object
END
	cat >made.json <<'END'
{"schema": 1, "environment": {"host": "elsewhere", "kernel": {"release": "6.1"}, "date": "2026-01-01T00:00:00Z"},
 "methods": [{"method": "app", "calibration": [{"op": "read", "bias_ns": 100, "u_ns": 12}, {"op": "pread", "bias_ns": 90, "u_ns": 9}]}]}
END
	printf 'a key of thirty-two bytes or more' >key
	seq 100 130 >a.txt
	seq 102 132 >b.txt
	awk 'BEGIN { print "name,value"; for (i = 0; i < 30; i++) print "x," 100 + i * 7 % 13 }' >table.csv
	truncate -s 1M made/image
	for i in 1 2 3; do
		sed "s/\"campaign\": *\"[0-9a-f]*\"/\"campaign\": \"000000000000000$i\"/; s/\"host\": *\"[^\"]*\"/\"host\": \"lab$i\"/" old.json >lab$i.json
	done
	make_input import calls.csv -o calls.trace
	make_input import in.msr.csv -o block.trace
	make_input microbench random-write --level 2 --requests 20 --file-size 64K --dir made -o small.trace
	make_input replay --dir made --prepare small.trace -o replayed.trace
	make_input slice --compress small.trace -o packed.trace
	make_input history add history/db lab1.json --label one
	cat >tiny.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
bank = 1
min-duration = 0
settle = 0
[target here]
cache = as-is
[workload reads]
type = random-read
file-size = 64K
requests = 20
[replayer event]
order = temporal
END
	mkdir nested && cp -a made nested/files
	if command -v "${CC:-cc}" >/dev/null; then
		make_input replay --engine compiled --program-cache programs --dir made -o ../compiled.trace small.trace
	fi
	"$VALIDATE" run tiny.conf -o results --quiet >../make.out 2>../make.err
	case $? in 0 | 1 | 4) ;; *) die "cannot prepare the cases: $(cat ../make.err)" ;; esac
	"$VALIDATE" report results >../make.out 2>&1
	touch ready
}
[ -f "$work/in/ready" ] || prepare
cd "$work" || exit 3
jobs=${TORTURE_JOBS:-1}
devices=
walks=
mounted=no
unmount() {
	[ $mounted = no ] || fusermount3 -u "$work/fuse" 2>/dev/null || umount -l "$work/fuse"
	mounted=no
}
end() {
	[ ! "$walks" ] || kill $walks 2>/dev/null
	unmount
	for device in $devices; do
		losetup -d "$device"
	done
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
# A device for writes, if permitted; otherwise its cases are left out.
device_make() { # DIR: for the walk in it
	rm -f "$1/in/device"
	truncate -s 1M "$1/disk"
	device=$(losetup -f --show "$1/disk" 2>/dev/null) || return 0
	devices="$devices $device"
	[ ! -b "$device" ] || ln -s "$device" "$1/in/device"
}
device_make "$work"
job=1
while [ $job -lt "$jobs" ]; do
	mkdir -p "$work/job-$job"
	rm -rf "$work/job-$job/in"
	cp -a in "$work/job-$job/in"
	device_make "$work/job-$job"
	job=$((job + 1))
done

# --- faults -------------------------------------------------------------------------------------------------------------------
failed=0
walk() { # NAME JOBS OPTION...
	name=$1 n=$2 job=0
	shift 2
	seed=$(($(count_of "$name") + 1))
	while [ $job -lt "$n" ]; do
		dir=$work
		[ $job -eq 0 ] || dir=$work/job-$job
		(cd "$dir" && exec "$tools/inject_walk" --seed "$seed" --part "$job/$n" "$@" "$dir" "$VALIDATE" "$here/inject-cases") \
			>"$work/$name-$job.log" 2>&1 &
		walks="$walks $!"
		job=$((job + 1))
	done
	job=0
	for pid in $walks; do
		status=0
		wait "$pid" || status=$?
		[ $status -le 1 ] || failed=3
		cat "$work/$name-$job.log"
		set -- $(sed -n 's/^inject: \([0-9]*\) faults.* \([0-9]*\) failures$/\1 \2/p' "$work/$name-$job.log")
		count_add "$name" "${1:-0}"
		count_add inject-failures "${2:-0}"
		[ "${2:-0}" -eq 0 ] || [ $failed -eq 3 ] || failed=1
		job=$((job + 1))
	done
	walks=
}
fuse=no
if [ "${FUSE:-}" != no ] && [ -w /dev/fuse ] && pkg-config --exists fuse3 &&
	{ [ "$(id -u)" -eq 0 ] || command -v fusermount3 >/dev/null; }; then # libfuse mounts as root
	fuse=yes
fi
[ "${PRELOAD:-}$fuse" = noyes ] || walk inject-preload "$jobs" --library "$tools/inject.so" --seconds "$seconds" "$@"

# the same commands on a file system that fails: includes the kernel's reads for a mapped file
if [ $fuse = yes ]; then
	compile eio_fs "$here/eio_fs.c" $(pkg-config --cflags --libs fuse3)
	mkdir -p "$work/fuse" "$work/behind"
	rm -rf "$work/behind/in"
	cp -a "$work/in" "$work/behind/in"
	[ -f "$work/state" ] || truncate -s 16M "$work/state"
	"$tools/eio_fs" "$work/behind" "$work/fuse" "$work/state" 2>"$work/eio_fs.err" &
	tries=500
	while ! mountpoint -q "$work/fuse"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || die "cannot mount: $(cat "$work/eio_fs.err")"
		sleep 0.01
	done
	mounted=yes
	walk inject-fuse 1 --base "$work/fuse" --seconds $((seconds / 4)) "$@"
	unmount
	wait
elif [ "${FUSE:-}" != no ]; then
	echo 'inject: no FUSE here: nothing was tried on a failing file system'
fi
[ $failed -ne 0 ] || [ "${KEEP:-}" ] || rm -rf "$work"
exit $failed
