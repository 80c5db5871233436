# SPDX-License-Identifier: GPL-3.0-or-later
# Standard output and standard error of one redirection are one open file, in traces and in replays.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

cat >program.sh <<'S'
echo a
echo bc >&2
echo def
/bin/echo ghij >&2
/bin/echo klmno
S
replayed() { # TRACE: the replay leaves all 20 bytes
	for order in fs temporal; do
		rm -rf dir
		mkdir dir
		expect_status 0 "$VALIDATE" replay --order $order --prepare --dir dir "$1"
		expect_line out 'mismatches      0'
		size=$(find dir -name both -exec stat -c %s {} \;)
		[ "$size" = 20 ] || fail "$1, order $order: $size bytes"
	done
}
offsets() { # TRACE: offsets of its writes to the file
	"$VALIDATE" export -q --to csv "$1" -o - |
		sed -n 's/.*,f*write,"path=[^;]*both;fd=1;offset=\([0-9]*\);.*/\1/p' | tr '\n' ' '
}

"$VALIDATE" capture app --root . -o app.trace -- sh program.sh >both 2>&1 || fail "$(cat both)"
replayed app.trace
[ "$(offsets app.trace)" = '0 2 5 ' ] || fail "app: $(offsets app.trace)"

if command -v strace >/dev/null; then
	rm both
	strace -f -ttt -T -yy -o log sh program.sh >both 2>&1 || fail 'strace'
	expect_status 0 "$VALIDATE" import log -o strace.trace
	replayed strace.trace
fi

rm both
if "$VALIDATE" capture vfs -o vfs.trace -- sh program.sh >both 2>&1; then
	replayed vfs.trace
	[ "$(offsets vfs.trace)" = '0 2 5 9 14 ' ] || fail "vfs: $(offsets vfs.trace)"
fi
