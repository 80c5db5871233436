# SPDX-License-Identifier: GPL-3.0-or-later
# Engine fio: fio on a file, in a directory and, as root, on a loop device, with each of its I/O
# engines; and failures of fio that its exit status does not show.
. "$SRCDIR/tests/e2e/lib.sh"

command -v fio >/dev/null || skip "no fio"
data=$SRCDIR/tests/data/replayers
head -c 67108864 /dev/zero >image

expect_status 0 "$VALIDATE" replay --engine fio --times self --fio-direct no --destructive --device image -o self.trace "$data/requests.trace"
expect_line out '40 of 40; times: self'
expect_line out 'fio-3'
expect_status 0 "$VALIDATE" info --json self.trace
[ "$(jq -r '.clock.resolution_ns // .clock_resolution_ns // 1000000' out)" -ge 1000000 ] || fail 'the times of fio are in ms'

# its log lacks the last completions of asynchronous engines
expect_status 0 "$VALIDATE" replay --engine fio --fio-ioengine libaio --fio-iodepth 8 --times self --fio-direct no --destructive --device image \
	-o self.trace "$data/requests.trace"
expect_line out '40 of 40; times: self'
cat out err | grep -q 'fio takes completions only when its queue is full' || fail 'its response times are not explained'

# the minimal trace of doc/case-fio.md: fio replays all of it and takes no less than the trace
awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$SRCDIR/doc/case-fio.md" >case
mkdir minimal
runtime=$(cd minimal && sh -e ../case 2>../err) || fail "the minimal trace: $(cat err)"
[ "$(grep -c ' read ' minimal/drift.iolog)" -eq 2000 ] || fail 'not 2000 reads'
[ "$runtime" -ge 1000 ] || fail "a trace of 1000 ms took $runtime ms"

# without observation (--times none) the results of the requests are unknown
expect_status 0 "$VALIDATE" replay --engine fio --times none --fio-direct no --destructive --device image -o none.trace "$data/requests.trace"
expect_line out '40 given to the replayer; their results are unknown'
expect_status 3 "$VALIDATE" metrics "$data/requests.trace" none.trace
cat >none.conf <<'END'
[protocol]
replicates = 2
allow-undecidable = yes
[workload w]
type = random-read
[replayer fio]
engine = fio
times = none
END
expect_status 2 "$VALIDATE" run none.conf --dry-run
expect_line err 'times = none needs observation'

# calls in a directory: observed by the preloaded library
mkdir dir
expect_status 0 "$VALIDATE" microbench random-read --level 2 --requests 100 --file-size 1M --dir dir -o calls.trace
expect_status 0 "$VALIDATE" replay --engine fio --dir dir -o preload.trace calls.trace
expect_line out '200 of 200; times: preload'
expect_status 0 "$VALIDATE" replay --engine fio --times self --dir dir -o self.trace calls.trace
expect_line out '200 of 200; times: self'

# a read beyond the end of the file returns fewer bytes, and fio ends with an error: the read is
# skipped
head -c 6000 /dev/zero >dir/short
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,1000,2000,pread,"path=short;fd=3;offset=0;length=4096",4096'
	echo '1,1,3000,4000,pread,"path=short;fd=3;offset=4096;length=4096",1904'
	echo '1,1,5000,6000,pread,"path=short;fd=3;offset=6000;length=4096",0'
} >end.csv
expect_status 0 "$VALIDATE" replay --engine fio --dir dir -o end.trace end.csv
expect_line out '1 of 3; times: preload'
"$VALIDATE" info --json end.trace | grep -q 'it read less than requested' || fail 'skipped requests are not reported'
rm dir/short
expect_status 3 "$VALIDATE" replay --engine fio --dir dir -o end.trace end.csv
expect_line err 'error=No such file or directory'

# in directories of any name
mkdir 'a:b c' 'a:b c/d:e'
expect_status 0 "$VALIDATE" replay --engine fio --times self --dir 'a:b c/d:e' -o 'a:b c/self.trace' --prepare calls.trace
expect_line out '200 of 200; times: self'
cp image 'a:b c/image'
expect_status 0 "$VALIDATE" replay --engine fio --times self --fio-direct no --destructive --device 'a:b c/image' -o 'a:b c/self.trace' "$data/requests.trace"
expect_line out '40 of 40; times: self'

# what cannot be
expect_status 2 "$VALIDATE" replay --engine fio --fio-iodepth 4 --device image -o no.trace "$data/requests.trace"
expect_line err 'fio-iodepth needs fio-ioengine libaio or io_uring'
expect_status 2 "$VALIDATE" replay --engine fio --fio-ioengine libaoi --device image -o no.trace "$data/requests.trace"
expect_line err 'libaio'

# a replacement for fio: it returns 0 although its job crashed; its log is garbage, truncated, or
# out of range
mkdir bin
fake() { # MESSAGE; its commands come from standard input, PREFIX is that of its logs
	{ printf '#!/bin/sh\nfor w; do case $w in --write_lat_log=*) PREFIX=${w#*=} ;; esac; done\n'; cat; } >bin/fio
	chmod +x bin/fio
	VALIDATE_FIO=$PWD/bin/fio expect_status 3 "$VALIDATE" replay --engine fio --times self --destructive --device image -o no.trace "$data/requests.trace"
	expect_line err "$1"
}
fake "signal 11 ended fio's job" <<'S'
echo 'fio: pid=12, got signal=11'
S
fake 'fio_lat.1.log, line 2: time' <<'S'
printf '1, 5000, 1, 4096, 20828160, 0\nnan, 5000, 0, 4096, 0, 0\n' >"${PREFIX}_lat.1.log"
: >"${PREFIX}_slat.1.log"
S
fake 'expected time, response time, direction, size and offset' <<'S'
printf '1, 5000, 1\n' >"${PREFIX}_lat.1.log"
S
fake 'out of range' <<'S'
printf '1, -5000, 1, 4096, 0, 0\n' >"${PREFIX}_lat.1.log"
S
fake 'fio_lat.1.log' <<'S'
exit 0
S

[ "$(id -u)" -eq 0 ] || { echo "its engines on a loop device: not root"; exit 0; }

# as another user, also for --version
if nobody=$(id -u nobody 2>/dev/null); then
	open=$(mktemp -d /var/tmp/validate-user-XXXXXX)
	trap 'rm -rf "$open"' EXIT
	chmod 755 "$open"
	: >"$open/who"
	chmod 666 "$open/who"
	printf '#!/bin/sh\nid -u >>"%s"\n' "$open/who" >"$open/fio"
	chmod 755 "$open/fio"
	VALIDATE_FIO=$open/fio expect_status 3 "$VALIDATE" replay --engine fio --user nobody --times self --destructive --device image -o no.trace "$data/requests.trace"
	[ "$(sort -u "$open/who")" = "$nobody" ] || fail "it ran as $(sort -u "$open/who")"
	[ "$(wc -l <"$open/who")" -eq 2 ] || fail "it was started $(wc -l <"$open/who") times"
	rm -rf "$open"
	trap - EXIT
fi
[ -w /sys/kernel/tracing/instances ] || { echo "its engines on a loop device: no tracefs at /sys/kernel/tracing"; exit 0; }
device=$(losetup -f --show image 2>losetup.err) || { echo "its engines on a loop device: $(cat losetup.err)"; exit 0; }
trap 'losetup -d "$device"' EXIT
for engine in psync libaio io_uring; do
	expect_status 0 "$VALIDATE" replay --engine fio --fio-ioengine $engine --destructive --device "$device" -o block.trace "$data/requests.trace"
	expect_line out '40 of 40; times: block'
	expect_line out 'mismatches      0'
done
