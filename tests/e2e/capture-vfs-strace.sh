# SPDX-License-Identifier: GPL-3.0-or-later
# capture vfs and strace record the same run of programs written for the test and of common
# programs: the traces agree call by call.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip "tracefs needs root"
[ -w /sys/kernel/tracing/instances ] || skip "no tracefs at /sys/kernel/tracing that may be used"
[ "$(stat -L -c %i /proc/self/ns/pid)" = 4026531836 ] || skip "this is a PID namespace of its own"
command -v strace >/dev/null || skip 'strace is not installed'
strace -o probe true 2>/dev/null || skip 'strace is not allowed to trace here'
${CC:-cc} -w -O1 -o cases "$SRCDIR/tests/programs/cases.c" -pthread -ldl || fail 'cases.c does not compile'

text_tree tree
mkdir in
cd in
cat >../script <<END
for what in data names directories maps threads vforks execs clones by-number; do
	../cases \$what
done
tar cf ../x.tar -C .. tree
tar xf ../x.tar
END
"$VALIDATE" capture vfs --buffer 16M -o ../trace -- strace -f -o ../strace sh ../script >../out 2>../err </dev/null || {
	cat ../err >&2
	fail "capture of strace"
}
cd ..
! grep -q 'lost' out || fail "events were lost"
! grep -q 'paths cannot be read' out || skip "the kernel does not let paths be read: $(cat out)"
"$VALIDATE" info trace --csv trace.csv >/dev/null
"$SRCDIR/tests/e2e/capture-vfs-compare" trace.csv strace >told || {
	tail -n 30 told >&2
	fail "strace and capture disagree"
}
# cases.c has a test with threads
strings -a trace | grep -o '"threads":\[[^]]*\]' | tail -n 1 | grep -q '"tid":[0-9]*,"parent":[1-9]' ||
	fail "the trace has no creators of threads"
alike=$(sed -n '$s/ alike.*//p' told)
[ "$alike" -ge 5000 ] || fail "only $alike calls compared"
tail -n 1 told
