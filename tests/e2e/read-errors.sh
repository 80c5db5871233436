# SPDX-License-Identifier: GPL-3.0-or-later
# A trace with a read error in one place: every command fails with a message, or its output is
# right. Each call that reads the trace fails once, in a run of its own.
. "$SRCDIR/tests/e2e/lib.sh"
[ -z "${SANITIZE:-}" ] || skip 'a library is preloaded, which the sanitizer must be first of'
${CC:-cc} -O1 -shared -fPIC -o failing.so "$SRCDIR/tests/programs/failing-reads.c" -ldl

# heap items of every kind, in more than one block
awk 'BEGIN {
	t = 1700000000
	for (i = 0; i < 30; i++)
		printf "%d.%06d rename(\"a%d\", \"%0900d\") = -1 ENOENT (No such file or directory) <0.000010>\n", t, i * 100, i, i
	printf "%d.%06d symlink(\"to\", \"link\") = 0 <0.000010>\n", t, 4000
	printf "%d.%06d openat(AT_FDCWD, \"f\", O_RDWR|O_CREAT, 0644) = 3</tmp/x/f> <0.000010>\n", t, 4100
	printf "%d.%06d writev(3</tmp/x/f>, [{iov_base=\"\"..., iov_len=5}, {iov_base=\"\"..., iov_len=6}], 2) = 11 <0.000010>\n", t, 4200
	printf "%d.%06d fsetxattr(3</tmp/x/f>, \"user.a\", \"b\", 1, 0) = 0 <0.000010>\n", t, 4300
	printf "%d.%06d close(3</tmp/x/f>) = 0 <0.000010>\n", t, 4400
}' >in.strace
expect_status 0 "$VALIDATE" import -q --from strace in.strace -o plain.trace
expect_status 0 "$VALIDATE" slice plain.trace -o bad.trace
mkdir target


# the result of a command, without the parts that differ from run to run
result() {
	rm -rf "$1" && mkdir "$1"
	if [ -e made.replay ]; then
		"$VALIDATE" export -q --to csv made.replay -o - | cut -d, -f5-9 >"$1/replay"
		return
	fi
	[ ! -e made.trace ] || "$VALIDATE" export -q --to csv made.trace -o made.text
	rm -f made.trace
	cp out "$1"
	for f in made.*; do
		[ ! -e "$f" ] || cp "$f" "$1"
	done
}

# once AT ERRNO COMMAND...: call AT fails; `note` exists if that call was made. Short reads have the
# errno 0
once() {
	at=$1 with=$2
	shift 2
	rm -rf made.* note target/* && status=0
	FAIL_FILE=/bad.trace FAIL_AT=$at FAIL_WITH=$with FAIL_NOTE=note LD_PRELOAD=$PWD/failing.so \
		timeout 20 "$VALIDATE" "$@" >out 2>err || status=$?
	case $status in
	0) result have && diff -r want have >differ ||
		fail "call $at fails with $with, status 0, and the output is another: $*" ;;
	[1-6]) [ -s err ] || fail "call $at fails with $with, status $status without a message: $*" ;;
	*) fail "call $at fails with $with, status $status: $*" ;;
	esac
}

# check LEAST COMMAND...: at least LEAST calls read the trace
check() {
	least=$1
	shift
	rm -rf made.*
	expect_status 0 "$VALIDATE" "$@"
	result want
	n=0
	while once $((n + 1)) 5 "$@" && [ -e note ]; do
		for error in $errors; do
			once $((n + 1)) $error "$@"
		done
		n=$((n + 1))
		[ $n -lt 1000 ] || fail "no end: $*"
	done
	[ $n -ge "$least" ] || fail "only $n calls read the trace: $*"
	echo "$n calls: $*"
}

errors='4 12 0'
check 4 info bad.trace
check 4 info --json bad.trace
check 6 export -q --to csv bad.trace -o made.csv
check 6 export -q --to strace bad.trace -o made.strace
check 6 slice bad.trace -o made.trace
check 4 metrics plain.trace bad.trace
check 6 replay --prepare --dir target bad.trace -o made.replay

# the same of compressed blocks; their reads are the same calls
errors=0
expect_status 0 "$VALIDATE" slice --compress plain.trace -o bad.trace
[ "$(stat -c %s bad.trace)" -lt "$(($(stat -c %s plain.trace) / 2))" ] ||
	fail 'the trace is not compressed'
check 4 info bad.trace
check 6 export -q --to strace bad.trace -o made.strace
check 6 slice bad.trace -o made.trace
check 4 metrics plain.trace bad.trace
check 6 replay --prepare --dir target bad.trace -o made.replay
