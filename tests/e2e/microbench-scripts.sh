# SPDX-License-Identifier: GPL-3.0-or-later
# Workloads that play scripts, from the command line: files before and after, repetition, refusals,
# a kill.
. "$SRCDIR/tests/e2e/lib.sh"

mkdir target
run() { # status, then arguments
	want=$1
	shift
	expect_status "$want" "$VALIDATE" microbench "$@"
}
options() {
	case $1 in
	fileserver) echo '--requests 20 --min-duration 0 --files 90 --file-size 8K --append-size 1K --anon-memory 1M' ;;
	postmark) echo '--requests 40 --files 30 --subdirs 3' ;;
	createfiles | copyfiles) echo '--level 4 --requests 12 --files 30 --file-size 8K' ;;
	compile) echo '--requests 6 --files 4 --headers 70 --includes 5 --pause 1ms' ;;
	esac
}
requests() { # of a trace: thread after thread, without times, numbers and descriptors
	"$VALIDATE" info "$1" --csv - | tail -n +2 | sort -s -t , -k 2,2n |
		sed -E 's/^([^,]*,){4}//; s/fd=[0-9]+/fd=/; s/,[0-9]*,[0-9]*,[0-9]*$//; s/^(open,"[^"]*"),[0-9]+/\1/'
}

for name in fileserver postmark compile createfiles copyfiles; do
	for level in 1 3; do
		set -- $(options $name) --level $level --dir target
		run 0 $name "$@" --prepare-only
		find target -type f -size +0 | sort | xargs -r cksum >before
		[ "$name" = postmark ] || [ "$name" = createfiles ] || [ -s before ] || fail "$name prepared no files"
		run 0 $name "$@" -o first
		expect_line out "$name, $level thread$([ "$level" -eq 1 ] || echo s): "
		# again with the files of the first run: prepared again, the requests are the same
		run 0 $name "$@" --prepare-only
		find target -type f -size +0 | sort | xargs -r cksum >again
		cmp before again || fail "$name: another run left something behind after preparing"
		run 0 $name "$@" -o second --no-prepare
		requests first >first.txt
		requests second >second.txt
		[ -s first.txt ] && cmp first.txt second.txt || fail "$name: the same seeds made other requests"
		# files that were not prepared are refused (postmark leaves none)
		if [ "$name" != postmark ]; then
			run 3 $name "$@" -o third --no-prepare
			[ ! -e third ] || fail "$name ran on what an earlier run had left"
		fi
		run 0 $name "$@" -o first --seed 2 --remove
		requests first >first.txt
		! cmp -s first.txt second.txt || fail "$name: another seed made the same requests"
		[ -z "$(ls target)" ] || fail "$name --remove left $(ls target)"
	done
	"$VALIDATE" info first --json >first.json
	grep -q '"files"' first.json || fail "info shows no files of $name"
done

# a file that such a workload cannot have created stays, and the run is refused
for name in fileserver postmark compile createfiles copyfiles; do
	mkdir "target/$name"
	echo precious >"target/$name/letter"
	echo old >"target/$name/00000009"
	for verb in --prepare --remove; do
		run 6 $name $(options $name) $verb --dir target -o refused
		expect_line err 'this workload did not create it'
		[ "$(cat "target/$name/letter")" = precious ] || fail "$name changed a file of another user"
		[ -e "target/$name/00000009" ] || fail "$name removed something and refused then"
	done
	rm -r "target/$name"
	mkdir elsewhere
	echo precious >elsewhere/1
	ln -s ../elsewhere "target/$name"
	run 6 $name $(options $name) --dir target -o refused
	rm "target/$name"
	mkdir "target/$name"
	ln -s ../../elsewhere "target/$name/00000001"
	run 6 $name $(options $name) --dir target -o refused
	[ "$(cat elsewhere/1)" = precious ] || fail "$name went through a link"
	rm -r "target/$name" elsewhere
	[ ! -e refused ] || fail 'a refused run left a trace'
done

# the trace must not be in the workload's directory
run 0 fileserver $(options fileserver) --dir target --prepare-only
run 3 fileserver $(options fileserver) --dir target -o target/fileserver/trace
expect_line err 'write the trace to another directory'
rm -r target/fileserver

# the file server runs for the given time; a kill leaves no trace, and no files with --remove
run 0 fileserver $(options fileserver) --min-duration 300ms --dir target -o long --remove
"$VALIDATE" info long --json | tr -d ' \n' >long.json
span=$(sed -n 's/.*"wall_ns":\([0-9]*\).*/\1/p' long.json)
[ "${span:-0}" -ge 300000000 ] || fail "the run lasted ${span:-?} ns"
"$VALIDATE" microbench fileserver $(options fileserver) --min-duration 60s --dir target -o killed --remove 2>err &
pid=$!
until [ "$(ls "/proc/$pid/task" 2>/dev/null | wc -l)" -eq 5 ]; do
	kill -0 "$pid" 2>/dev/null || fail "the run ended by itself: $(cat err)"
	sleep 0.05
done
kill "$pid"
status=0
wait "$pid" || status=$?
[ "$status" -eq 3 ] || fail "status $status after SIGTERM"
expect_line err 'interrupted'
[ ! -e killed ] || fail 'a killed run left a trace'
[ -z "$(ls target)" ] || fail "a killed run left $(ls target)"

# a file that disappears during the run ends it, the request is named, and the trace exists
"$VALIDATE" microbench compile $(options compile) --requests 100000 --pause 5ms --dir target -o gone 2>err >out &
pid=$!
n=0
until [ -d target/compile/obj0 ]; do
	kill -0 "$pid" 2>/dev/null || fail "the run ended by itself: $(cat err)"
	sleep 0.05
done
rm -r target/compile/src
status=0
wait "$pid" || status=$?
[ "$status" -eq 3 ] || fail "status $status without sources"
expect_line err '(stat) failed: No such file or directory; the trace ends there'
expect_line err 'compile/src/'
"$VALIDATE" info gone >info.txt || fail 'the trace of a run that failed cannot be read'
expect_line info.txt 'rename'

# a device that replaces a file while the workload runs is not opened
[ "$(id -u)" -eq 0 ] || skip 'devices need root; everything before passed'
dd if=/dev/urandom of=image bs=1M count=1 2>/dev/null
device=$(losetup -f --show image 2>losetup.err) || skip "no loop device: $(cat losetup.err)"
trap 'losetup -d "$device"' EXIT
sum=$(cksum <"$device")
mkdir guarded
fileserver() {
	"$VALIDATE" microbench fileserver --files 40 --requests 3000 --file-size 8K --append-size 1K --dir guarded "$@"
}
expect_status 0 fileserver --prepare-only
mknod guarded/node b $((0x$(stat -c %t "$device"))) $((0x$(stat -c %T "$device")))
(cd guarded && find fileserver -type f) >names
cp names expected
fileserver -o guarded.trace >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && cmp -s names expected; do # until it makes and removes files
	sleep 0.1
	(cd guarded && find fileserver -type f) >names
done
while kill -0 $pid 2>/dev/null; do
	while read -r name; do
		ln -f guarded/node "guarded/$name" 2>/dev/null || :
	done <names
done
status=0
wait $pid || status=$?
[ $status -eq 3 ] || fail "status $status with a device among the files: $(cat err)"
expect_line err '(open) failed: Permission denied'
[ "$(cksum <"$device")" = "$sum" ] || fail 'the device was written'
