# SPDX-License-Identifier: GPL-3.0-or-later
# replay --prepare removes the directories that an earlier replay of the trace left. It refuses to
# remove other files, before it changes anything.
. "$SRCDIR/tests/e2e/lib.sh"

header=pid,tid,begin,end,function,args,rvalue,error

# trace NAME: reads records "FUNCTION|ARGS|RVALUE[,ERROR]" of one thread. Names in `heap` are in
# hexadecimal: in, out, new
trace() {
	awk -F'|' -v header=$header 'BEGIN { print header }
		{ printf "1,1,%d,%d,%s,\"%s\",%s\n", NR * 100, NR * 100 + 10, $1, $2, $3 ($3 ~ /,/ ? "" : ",") }' >"$1.csv"
	"$VALIDATE" import -o "$1.trace" "$1.csv" >/dev/null
}

state() {
	find dir -printf '%P %y %s %m %l\n' | sort
}

# refused TRACE DIRECTORY FILE [OPTION]...: nothing changes; one message names both
refused() {
	state >before
	trace=$1 top=$2 file=$3
	shift 3
	expect_status 6 "$VALIDATE" replay --prepare "$@" --dir dir "$trace.trace"
	expect_line err "dir: refused, nothing was changed: --prepare would remove the directory $top (absent"
	expect_line err "it contains $file, which the trace does not use: move this file, or choose an empty directory"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one message: $(cat err)"
	state | diff before - || fail "$trace: the refused replay changed files"
}

# a directory that the trace makes. Its first record removes nothing if the replay is refused
trace made <<'E2'
open|path=first;flags=0x42;mode=0644|3
close|fd=3;path=first|0
mkdir|path=d;mode=0755|0
mkdir|path=d/sub;mode=0755|0
open|path=d/sub/x;flags=0x42;mode=0644|3
write|fd=3;path=d/sub/x;length=100|100
close|fd=3;path=d/sub/x|0
open|path=d/failed;flags=0x42;mode=0644|-1,EMFILE
E2
mkdir -p dir
for i in 1 2; do # the second run removes what the first left, and a file that only failed in the trace
	expect_status 0 "$VALIDATE" replay --prepare --dir dir made.trace
	[ -f dir/d/sub/x ] && [ -f dir/d/failed ] || fail "run $i: $(state)"
done
echo precious >dir/d/sub/own
refused made d d/sub/own
refused made d d/sub/own --no-keep
refused made d d/sub/own --prepare-only
mv dir/d/sub/own dir/own # outside the directories of the trace, a file remains
expect_status 0 "$VALIDATE" replay --prepare --no-keep --dir dir made.trace
[ "$(ls -A dir)" = own ] || fail "no-keep: $(ls -A dir)"

# names with other contents: a directory where the trace makes a file; a name that it only looks for
mkdir dir/first dir/first/own
refused made first first/own
rm -r dir/first
trace looked <<'E2'
stat|path=d|-1,ENOENT
open|path=f;flags=0x42;mode=0644|3
close|fd=3;path=f|0
E2
mkdir -p dir/d/own
refused looked d d/own
rmdir dir/d/own
expect_status 0 "$VALIDATE" replay --prepare --dir dir looked.trace
[ ! -e dir/d ] || fail 'an empty directory remains'
rm -r dir

# renamed directories, and paths through a symbolic link: what an earlier replay left is no obstacle
trace renamed <<'E2'
mkdir|path=tmp;mode=0755|0
mkdir|path=tmp/in;mode=0755|0
symlink|path=tmp/link;heap=696e|0
open|path=tmp/link/x;flags=0x42;mode=0644|3
close|fd=3;path=tmp/link/x|0
rename|path=tmp;heap=6f7574|0
open|path=old/x;flags=0;mode=0|3
close|fd=3;path=old/x|0
rename|path=old;heap=6e6577|0
E2
mkdir dir
for i in 1 2; do
	expect_status 0 "$VALIDATE" replay --prepare --dir dir renamed.trace
	[ -f dir/out/in/x ] && [ -L dir/out/link ] && [ -f dir/new/x ] || fail "run $i: $(state)"
done
echo precious >dir/new/own
refused renamed new new/own
rm dir/new/own
ln -s ../own dir/out/in/own # a link is not followed, and not removed
refused renamed out out/in/own
rm dir/out/in/own

# directories that their owner cannot list, as a replay may leave them
owner=
[ "$(id -u)" -ne 0 ] || owner='setpriv --bounding-set -dac_override,-dac_read_search'
chmod 0 dir/out/in
# shellcheck disable=SC2086
expect_status 0 $owner "$VALIDATE" replay --prepare --dir dir renamed.trace
rm -r dir
trace nested <<'E2'
mkdir|path=d;mode=0755|0
mkdir|path=d/a;mode=0755|0
mkdir|path=d/a/b;mode=0755|0
open|path=d/a/b/x;flags=0x42;mode=0644|3
close|fd=3;path=d/a/b/x|0
E2
mkdir -p dir/d/a/b
echo precious >dir/d/a/b/own
for mode in 0 600 100; do
	chmod $mode dir/d/a/b dir/d/a
	# shellcheck disable=SC2086
	expect_status 6 $owner "$VALIDATE" replay --prepare --dir dir nested.trace
	expect_line err "it contains d/a/b/own, which the trace does not use"
	[ "$(stat -c %a dir/d/a)" = $mode ] || fail "the refused replay changed a mode to $(stat -c %a dir/d/a)"
	chmod 755 dir/d/a
	[ "$(stat -c %a dir/d/a/b)" = $mode ] || fail "the refused replay changed a mode to $(stat -c %a dir/d/a/b)"
	chmod 755 dir/d/a/b
done
rm dir/d/a/b/own
chmod 0 dir/d/a/b dir/d/a
# shellcheck disable=SC2086
expect_status 0 $owner "$VALIDATE" replay --prepare --dir dir nested.trace
