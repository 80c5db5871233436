# SPDX-License-Identifier: GPL-3.0-or-later
# capture app and a replay: a forked child inherits the buffers of streams and writes them at its
# exit; _exit(), an exec, a signal and abort() discard them; fflush(NULL) writes all; dprintf() has
# no buffer; freopen() without a path opens the same file. The files have the sizes and the contents
# that the program left.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
${CC:-cc} -w -O1 -o buffers "$SRCDIR/tests/programs/buffers.c" || fail 'buffers.c does not compile'
mkdir in
(cd in && expect_status 0 "$VALIDATE" capture app --content --root . -o ../app.trace -- ../buffers) || exit 1
rm -f in/out in/err
[ "$(cat in/twice in/lost in/flushed in/again in/formatted)" = 'buffered 1
child
buffered 1
keptfirstsecond0123456789end12xxy67' ] || fail "the program: $(head in/*)"
for engine in event compiled; do
	rm -rf target
	mkdir target
	expect_status 0 "$VALIDATE" replay --engine $engine --payload captured --prepare --dir target app.trace
	expect_line out 'mismatches      0'
	diff -r in target >differs || fail "$engine: $(cat differs)"
done
