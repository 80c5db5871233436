# SPDX-License-Identifier: GPL-3.0-or-later
# capture app on a program under limits: the program behaves as without capture, and lost calls are
# reported.
. "$SRCDIR/tests/e2e/lib.sh"
[ -z "${SANITIZE:-}" ] || skip 'the sanitizers reserve more address space than these limits'
${CC:-cc} -w -O1 -o threads "$SRCDIR/tests/programs/threads.c" -pthread ||
	fail 'threads.c does not compile'
head -c 4096 /dev/zero >data

# under LIMIT N: N threads, each with 2 reads, begin together; all reads are in the trace
under() {
	limit=$1
	n=$2
	sh -c "$limit; ./threads $n data" >alone 2>&1 ||
		fail "$limit: $n threads fail without capture: $(cat alone)"
	expect_status 0 "$VALIDATE" capture app -o trace --root . -- sh -c "$limit; exec ./threads $n data"
	expect_line out 'ended with status 0'
	! grep -q 'lost' out || fail "$limit: $(cat out)"
	"$VALIDATE" info trace --csv csv >/dev/null
	[ "$(grep -c ',pread,' csv)" -eq $((2 * n)) ] ||
		fail "$limit: $(grep -c ',pread,' csv) of $((2 * n)) reads"
}
under 'ulimit -v 204800' 15
under 'ulimit -v 51200' 4
under 'ulimit -d 51200' 4
under 'ulimit -s 64' 40
under 'ulimit -n 60' 40
under 'ulimit -f 4096' 20
under 'ulimit -l 64' 4
under 'ulimit -c 0' 4
under 'exec 3>&- 4>&- 5>&-' 4
under ':' 300

# the collector under the same limit of descriptors
(ulimit -v 204800 && expect_status 0 "$VALIDATE" capture app -o trace --root . -- ./threads 15 data) || exit 1

# a limit that the program sets itself while it runs: the descriptors that capture has taken before
# leave room for the program
expect_status 0 "$VALIDATE" capture app -o trace --root . -- ./threads 15 data 204800
expect_line out 'ended with status 0'
! grep -q 'lost' out || fail "a limit of its own: $(cat out)"

# small stacks of threads and signal handlers, in each mode
${CC:-cc} -w -O1 -o hostile "$SRCDIR/tests/programs/hostile.c" -pthread ||
	fail 'hostile.c does not compile'
mkdir in
cd in
for options in --snapshot --digests --content; do
	for name in small-stacks small-signal-stack; do
		head -c 8192 /dev/zero >data
		head -c 4096 /dev/zero >count
		expect_status 0 "$VALIDATE" capture app $options -o ../trace --root . -- ../hostile $name
		expect_line out 'ended with status 0'
	done
done
