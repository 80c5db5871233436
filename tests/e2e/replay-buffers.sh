# SPDX-License-Identifier: GPL-3.0-or-later
# The memory of request buffers: a worker has a buffer for its own requests, long requests share one
# buffer, and a refusal for lack of memory names the request.
. "$SRCDIR/tests/e2e/lib.sh"
[ -z "${SANITIZE:-}" ] || skip 'a sanitizer needs all of the address space'

# eight threads; one of them reads 200 MiB at once
mkdir tree
truncate -s 200M tree/big
awk 'BEGIN {
	t = 1700000000
	for (i = 1; i <= 8; i++)
		printf "%d %d.%06d openat(AT_FDCWD, \"big\", O_RDONLY) = %d <0.000001>\n", 100 + i, t, i, 2 + i
	printf "101 %d.001000 pread64(3, \"\"..., 209715200, 0) = 209715200 <0.010000>\n", t
	for (i = 1; i <= 8; i++)
		printf "%d %d.%06d pread64(%d, \"\"..., 4096, 0) = 4096 <0.000001>\n", 100 + i, t, 20000 + i, 2 + i
}' >in.strace
expect_status 0 "$VALIDATE" import -q --from strace in.strace -o in.trace

# within KIBIBYTES STATUS OPTION...: with this size of the address space
within() {
	kib=$1 wanted=$2
	shift 2
	(
		ulimit -v "$kib"
		exec "$VALIDATE" replay --dir tree "$@" in.trace
	) >out 2>err && status=0 || status=$?
	[ $status -eq "$wanted" ] || fail "status $status in $kib KiB: $*: $(cat out err)"
}

# a buffer of 200 MiB for each worker would take 1.6 GiB
for how in '--engine event' '--engine coordinator' '--order none --workers 8' '--placement rotate' '--processes'; do
	within 1500000 0 $how
	case $how in
	*none*) ;; # a read may come before its open
	*) grep -q '^mismatches *0$' out || fail "$how: $(cat out)" ;;
	esac
done
if ${CC:-cc} --version >/dev/null 2>&1; then
	expect_status 0 "$VALIDATE" replay --engine compiled --dir tree in.trace
	within 1500000 0 --engine compiled
fi

# refused, with the request that needs the longest buffer
within 200000 3
expect_line err 'not enough memory for '
expect_line err 'record 8, a pread of 209715200 bytes by thread 101'

# content that is generated before each write is in the worker's own buffer
sed 's/O_RDONLY/O_RDWR/; s/pread64/pwrite64/' in.strace >write.strace
expect_status 0 "$VALIDATE" import -q --from strace write.strace -o in.trace
within 1500000 0 --payload random
grep -q '^mismatches *0$' out || fail "$(cat out)"

# engine block: four workers, each with a read of 100 MiB
awk 'BEGIN { for (i = 1; i <= 40; i++) printf "1281663720%05d000,h,0,Read,%d,%d,100\n", i, i * 4096, (i > 36 ? 104857600 : 4096) }' >in.csv
expect_status 0 "$VALIDATE" import -q --from msr in.csv -o in.trace
truncate -s 200M device
(
	ulimit -v 900000
	exec "$VALIDATE" replay --engine block --device device --read-only --workers 4 --mode afap in.trace
) >out 2>err || fail "engine block: $(cat out err)"
grep -q '^mismatches *0$' out || fail "$(cat out)"
