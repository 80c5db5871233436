# SPDX-License-Identifier: GPL-3.0-or-later
# Limits that are too low for the program: it refuses with the name of the limit and does not crash.
# Commands that need little memory run with little memory.
. "$SRCDIR/tests/e2e/lib.sh"
[ -z "${SANITIZE:-}" ] || skip 'the sanitizers need more memory than these limits'
cp "$SRCDIR/tests/data/trace-v1.trace" in.trace

# a small stack
(ulimit -s 64 && expect_status 3 "$VALIDATE" info in.trace) || exit 1
(
	ulimit -s 64
	"$VALIDATE" info in.trace 2>err || :
	expect_line err 'the stack limit is 64 KiB'
) || exit 1
(ulimit -s 512 && expect_status 0 "$VALIDATE" info in.trace) || exit 1

# 200 threads with a file each: a descriptor for each file, and few further ones
${CC:-cc} -w -O1 -o threads "$SRCDIR/tests/programs/threads.c" -pthread ||
	fail 'threads.c does not compile'
mkdir target
head -c 4096 /dev/zero >target/data
(cd target && expect_status 0 "$VALIDATE" capture app -o ../many.trace --root . -- ../threads 200 data) || exit 1
rm -f target/out target/err
(ulimit -n 1024 && expect_status 0 "$VALIDATE" replay --dir target many.trace) || exit 1
expect_line out '200 workers'
(ulimit -n 100 && expect_status 3 "$VALIDATE" replay --dir target many.trace) || exit 1
expect_line err 'descriptors (the trace has 200 open at one time), but only 100 are permitted'

# a small memory cgroup: as root, with version 1 or 2
for group in /sys/fs/cgroup/memory/validate-limits-$$ /sys/fs/cgroup/unified/validate-limits-$$ /sys/fs/cgroup/validate-limits-$$; do
	[ -e "$(dirname "$group")/cgroup.procs" ] && mkdir "$group" 2>/dev/null || continue
	file=memory.max
	[ -e "$group/$file" ] || file=memory.limit_in_bytes
	if (echo 5242880 >"$group/$file") 2>/dev/null; then
		status=0
		sh -c 'echo $$ >"$1/cgroup.procs" && exec "$2" info in.trace' sh "$group" "$VALIDATE" >out 2>err || status=$?
		[ $status -eq 3 ] &&
			grep -q 'the memory cgroup has room for .* KiB, but this program needs' err ||
			fail "status $status in a memory cgroup of 5 MiB: $(cat err)"
	fi
	rmdir "$group"
done
