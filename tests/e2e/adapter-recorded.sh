# SPDX-License-Identifier: GPL-3.0-or-later
# Engines blkreplay, artc and beefs with recorded input and output (tests/data/replayers). Scripts
# replace the replayers and check their input. If VALIDATE_BLKREPLAY, VALIDATE_ARTC or
# VALIDATE_BEEFS is set, the real program runs too.
. "$SRCDIR/tests/e2e/lib.sh"

data=$SRCDIR/tests/data/replayers
export data
mkdir bin target outside
head -c 67108864 /dev/zero >image
program() { # NAME: a script that replaces it, from standard input
	{ printf '#!/bin/sh\n'; cat; } >"bin/$1"
	chmod +x "bin/$1"
}

# blkreplay: the trace comes from standard input
program blkreplay <<'S'
cmp - "$data/blkreplay/input" >&2 || exit 9
for word; do last=$word; done
[ -f "$last" ] && [ "$1" = --threads=7 ] && [ "$2" = --with-ordering ] || { echo "$*" >&2; exit 8; }
cat "$data/blkreplay/output"
S
blkreplay() {
	VALIDATE_BLKREPLAY=$PWD/bin/blkreplay expect_status "$@" --times self --destructive --device image -o blk.trace "$data/requests.trace"
}
blkreplay 0 "$VALIDATE" replay --engine blkreplay --blkreplay-threads 7 --blkreplay-conflicts ordered
expect_line out '40 of 40; times: self'
expect_status 0 "$VALIDATE" metrics "$data/requests.trace" blk.trace
expect_line out '40 requests, 0 lost, 0 extra'
# prints this message for a request that ends at the end of the device, at the present position of
# its output, and succeeds
program blkreplay <<'S'
echo 'ERROR: trying to position at 2040 (main_size=2048)'
awk 'NR == 60 { print "ERROR: trying to position at 2040 (main_size=2048)" } { print }' "$data/blkreplay/output"
S
blkreplay 0 "$VALIDATE" replay --engine blkreplay
expect_line out '40 of 40; times: self'
program blkreplay <<'S'
echo 'ERROR: trying to position at 2040 (main_size=2048)'
cat "$data/blkreplay/output"
echo 'ERROR: bad lseek64() -1 on main_fd=3'
S
blkreplay 3 "$VALIDATE" replay --engine blkreplay
expect_line err 'bad lseek64'
program blkreplay <<'S'
head -n 40 "$data/blkreplay/output"
S
blkreplay 3 "$VALIDATE" replay --engine blkreplay
expect_line err 'it ends within the table of requests'
program blkreplay <<'S'
echo 'ERROR: cannot open file: Permission denied'
S
blkreplay 3 "$VALIDATE" replay --engine blkreplay
expect_line err 'ERROR: cannot open file: Permission denied'

# ARTC: artc and make build the program, artrun runs it in bench_root, which is a link to the target
program artc <<'S'
cmp "$2" "$data/artc/input" >&2 || exit 9
grep -qx 'file#/srv/data/there#3' "$3" && grep -qx 'dir#/srv' "$3" || { cat "$3" >&2; exit 8; }
mkdir "$4"
printf 'all:\n\ttouch bench.so\n' >"$4/Makefile"
S
program artrun <<'S'
for word; do before=$last last=$word; done
[ -f "$before" ] && [ -f "$last/bench_root/srv/data/there" ] || { echo "$*" >&2; exit 8; }
[ "$1 $2 $3 $4 $5 $6 $7 $8" = '-n -P -k all -K temporal -c 0' ] || { echo "$*" >&2; exit 7; }
cat "$data/artc/output"
S
printf abc >target/there
VALIDATE_ARTC=$PWD/bin/artrun expect_status 0 "$VALIDATE" replay --engine artc --artc-order temporal --dir target -o artc.trace "$data/calls.trace"
expect_line out '27 of 27; times: self'
expect_status 0 "$VALIDATE" info artc.trace --csv artc.csv
[ "$(grep -c ',pwrite,' artc.csv)" -eq 6 ] || fail 'calls of the replay'
# an observer sees names of files below the link bench_root
program artrun <<'S'
for word; do last=$word; done
mkdir "$last/bench_root/srv/data/d"
S
VALIDATE_ARTC=$PWD/bin/artrun expect_status 0 "$VALIDATE" replay --engine artc --times preload --dir target -o artc.trace "$data/calls.trace"
expect_line out '1 of 27; times: preload'
rmdir target/d
program artc <<'S'
echo 'line 3: syntax error'
exit 1
S
VALIDATE_ARTC=$PWD/bin/artrun expect_status 3 "$VALIDATE" replay --engine artc --dir target -o artc.trace "$data/calls.trace"
expect_line err 'artc ended with status 1: line 3: syntax error'
# a link whose target looks like a line of its list is not taken for a line
ln -s 'there
file#/etc/there#1' target/odd
VALIDATE_ARTC=$PWD/bin/artrun expect_status 3 "$VALIDATE" replay --engine artc --dir target -o artc.trace "$data/calls.trace"
expect_line err 'cannot hold a name with # or a line break'
rm target/odd

# the build of its program also runs as the replayer's user
if [ "$(id -u)" -eq 0 ] && nobody=$(id -u nobody 2>/dev/null); then
	open=$(mktemp -d /var/tmp/validate-user-XXXXXX)
	trap 'rm -rf "$open"' EXIT
	chmod 755 "$open"
	: >"$open/who"
	chmod 666 "$open/who"
	printf '#!/bin/sh\nid -u >>"%s"\nexit 1\n' "$open/who" >"$open/artc"
	cp "$open/artc" "$open/artrun"
	chmod 755 "$open/artc" "$open/artrun"
	mkdir "$open/target"
	VALIDATE_ARTC=$open/artrun expect_status 3 "$VALIDATE" replay --engine artc --user nobody --dir "$open/target" -o "$open/artc.trace" "$data/calls.trace"
	expect_line err 'artc ended with status 1'
	[ "$(cat "$open/who")" = "$nobody" ] || fail "artc ran as $(cat "$open/who")"
	rm -rf "$open"
	trap - EXIT
fi

# beefs_replayer: its working directory is the target
program beefs <<'S'
cmp "$1" "$data/beefs/input" >&2 || exit 9
[ -f there ] && [ "$2 $3 $4 $5" = 'conservative 2 5 debug' ] || { echo "$*" >&2; exit 8; }
cat "$data/beefs/output"
S
VALIDATE_BEEFS=$PWD/bin/beefs expect_status 0 "$VALIDATE" replay --engine beefs --beefs-policy conservative --beefs-workers 2 --beefs-delay 5us \
	--dir target -o beefs.trace "$data/calls.trace"
expect_line out '22 of 27'
expect_line out 'skipped         5 requests'
# it used other descriptor numbers, which is no mismatch; its last call failed
expect_line out 'mismatches      1; the first: request 25 returned failure'

# themselves
real() { # NAME OPTION...
	name=$1 variable=VALIDATE_$(echo "$1" | tr '[:lower:]' '[:upper:]')
	shift
	eval "path=\${$variable:-}"
	[ -n "$path" ] || { echo "$name itself: $variable does not name it"; return; }
	expect_status 0 "$VALIDATE" replay --engine "$name" "$@"
	expect_line out 'times: self'
}
rm -rf target
mkdir target
real beefs --dir target -o out.trace "$data/calls.trace"
rm -rf target
mkdir target
real artc --dir target -o out.trace "$data/calls.trace"
real blkreplay --times self --destructive --device image -o out.trace "$data/requests.trace"
