# SPDX-License-Identifier: GPL-3.0-or-later
# Names of a trace that lead out of the target directory or to a device are not passed to replayers
# of other projects. The replay is refused with status 6 and names them.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

here=$PWD
# trace ROW...: a row is OP NAME [HEAP], where HEAP is a second name
trace() {
	{
		echo 'pid,tid,begin,end,function,args,rvalue'
		for row; do
			set -- $row
			heap=
			[ $# -lt 3 ] || heap=";heap=$(printf %s "$3" | od -An -v -tx1 | tr -d ' \n')"
			case $1 in
			pread | pwrite) echo "1,1,1000,2000,$1,\"path=$2;fd=3;offset=0;length=4096\",4096" ;;
			mknod) echo "1,1,1000,2000,mknod,\"path=$2;mode=0010600;offset=0\",0" ;;
			mkdir) echo "1,1,1000,2000,mkdir,\"path=$2;mode=0755\",0" ;;
			*) echo "1,1,1000,2000,$1,\"path=$2;flags=0x0$heap\",0" ;;
			esac
		done
	} >in.csv
}
replay() { # STATUS OPTION...
	expected=$1
	shift
	rm -f out.trace.printed
	expect_status "$expected" "$VALIDATE" replay --engine exec --times none --dir target -o out.trace \
		--command '["/bin/cat", "{trace}"]' "$@" in.csv
	case $expected in
	0) [ -s out.trace.printed ] || fail 'the command was not started' ;;
	*) [ ! -e out.trace.printed ] || fail 'the command was started' ;;
	esac
}
refused() { # NAME REASON ROW...
	name=$1 reason=$2
	shift 2
	trace "$@"
	replay 6
	expect_line err "refused: the name \"$name\" $reason"
}
accepted() { # ROW...
	trace "$@"
	replay 0
}

mkdir -p target/d/e target/sub outside
head -c 8192 /dev/zero >target/a
cp target/a target/d/b
cp target/a outside/file
ln -s a target/inside
ln -s ../a target/d/inside
ln -s "$here/outside/file" target/out
ln -s "$here/outside/new" target/dangling
ln -s ../outside target/up
ln -s missing/../../outside/new target/later
mkfifo target/sub/fifo
ln -s sub/fifo target/tofifo

# --- the meaning of names ----------------------------------------------------------------------
accepted 'pread a' 'pwrite d/b' 'pwrite new' 'pwrite d/../a' 'pread inside' 'pread d/inside' 'mkdir n' 'pwrite n/x' 'pread d'
# an open changes no name, so links that lead out of the target do not matter
accepted 'open a' 'pread a'
refused out 'leads out' 'open out'
accepted "pread $here/target/a" "pwrite $here//target/./d/b"
refused "$here/outside/file" 'is absolute' "pwrite $here/outside/file"
refused /dev/null 'is absolute' 'pwrite /dev/null'
# the message states how to leave such requests out
trace 'pread a' 'pwrite /dev/null' "pread $here/outside/file" 'pwrite d/b'
replay 6
expect_line err "\"validate slice --object '[!/]*'\""
expect_status 0 "$VALIDATE" slice --object '[!/]*' in.csv -o inside.trace
expect_status 0 "$VALIDATE" export -q --to csv inside.trace -o in.csv
[ "$(grep -c path= in.csv)" -eq 2 ] || fail "remaining requests: $(cat in.csv)"
replay 0
refused ../outside/new 'leads out of the target directory' 'pread a' 'pwrite ../outside/new'
refused d/../../outside/new 'leads out' 'pwrite d/../../outside/new'
refused n/../../outside/new 'has ".." and does not exist' 'mkdir n' 'pwrite n/../../outside/new'
refused ../outside/new 'leads out' "pwrite $here/target/../outside/new"
for name in out dangling up/file up/new; do
	refused $name 'leads out' "pwrite $name"
done
refused later 'leads to a missing file through a symbolic link' 'mkdir missing' 'pwrite later'
refused sub/fifo 'is a FIFO' 'pread sub/fifo'
refused tofifo 'is a FIFO' 'pread tofifo'
refused ../b 'leads out' 'rename a ../b'
refused "$here/b" 'is absolute' "link a $here/b"
if [ "$(id -u)" -eq 0 ] && mknod target/null c 1 3 2>/dev/null; then
	ln -s null target/tonull
	refused null 'is a character device' 'pwrite null'
	refused tonull 'is a character device' 'pwrite tonull'
	refused tonull 'is a character device' 'rename tonull b' 'pwrite b'
	rm target/null target/tonull
fi

# --- requests that change names ----------------------------------------------------------------
refused "$here/outside" 'is the target of a new link' "symlink n $here/outside" 'pwrite n/file'
refused ../outside 'is the target of a new link' 'symlink n ../outside' 'pwrite n/file'
trace 'mknod n'
replay 6
expect_line err 'refused: the trace creates a FIFO'
rm target/out target/dangling target/up target/later
refused "$here/target/sub/fifo" 'is a FIFO' 'rename sub n' 'pwrite n/fifo'
rm target/sub/fifo target/tofifo
refused "$here/target/d/inside" 'is a link that may lead out of the target directory after a rename' 'rename d/inside n' 'pwrite n'
rm target/d/inside
refused d/../a 'has ".." and may lead out of the target directory, because requests of the trace' 'unlink d/b' 'pread d/../a'
accepted 'rename d n' 'symlink l a' 'pwrite l' 'unlink a'

# --- formats with names below the trace's root ---------------------------------------------------
accepted 'pwrite a'
replay 6 --export strace
expect_line err 'refused: in the format strace, all names begin with "'
expect_status 0 "$VALIDATE" microbench random-read --level 2 --requests 4 --file-size 64K --dir "$here/target" -o made.trace
rm -f out.trace.printed
expect_status 0 "$VALIDATE" replay --engine exec --times none --export strace --dir target -o out.trace \
	--command '["/bin/cat", "{trace}"]' made.trace
grep -q "$here/target" out.trace.printed || fail 'the names are not below the root of the trace'
mkdir moved
expect_status 6 "$VALIDATE" replay --engine exec --times none --export strace --dir moved --prepare -o out.trace \
	--command '["/bin/cat", "{trace}"]' made.trace

# ARTC, by a stand-in: its root is the root of the trace, so absolute names stay inside
mkdir bin
printf '#!/bin/sh\nmkdir "$4" && printf "all:\\n" >"$4/Makefile"\n' >bin/artc
printf '#!/bin/sh\n' >bin/artrun
chmod +x bin/artc bin/artrun
artc() { # STATUS ROW...
	expected=$1
	shift
	trace "$@"
	VALIDATE_ARTC=$here/bin/artrun expect_status "$expected" "$VALIDATE" replay --engine artc --times none --dir target -o out.trace in.csv
}
artc 0 'stat a' 'stat /etc/passwd'
artc 6 'stat /../../etc/passwd'
expect_line err 'leads out of the target directory'
artc 6 'stat ../../b'

# calls on files do not apply to a device
trace 'pwrite a'
expect_status 2 "$VALIDATE" replay --engine beefs --destructive --dir target --device target/a -o out.trace in.csv
expect_line err 'replays calls on files: use --dir'

# --- names that another process exchanges during the replay -------------------------------------
# The directory around the target is watched, so the processes communicate in other directories.
mkdir around
mv target around/target
inner=around/target
# soon CONDITION: waits for it, at most 60 s, so that no process stays after a failure
soon() {
	tries=3000
	until eval "$1"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || exit 1
		sleep 0.02
	done
}
# meanwhile COMMANDS STATUS: the commands run between the start and the end of the replayer
meanwhile() {
	rm -f asked answered
	(
		soon '[ -e asked ]'
		eval "$1"
		: >answered
	) &
	expect_status "$2" "$VALIDATE" replay --engine exec --times none --dir $inner -o out.trace \
		--command "[\"sh\", \"-c\", \": >$here/asked; until [ -e $here/answered ]; do sleep 0.02; done\"]" in.csv
	wait
}
trace 'pwrite a' 'pread d/b'
meanwhile ':' 0
rm out.trace
meanwhile 'mv $inner/a kept; ln -s ../../outside/file $inner/a' 3
expect_line err "target during the replay: refused: the name \"a\" leads out of the target directory"
[ ! -e out.trace ] || fail 'a trace of a replay with other names'
mv kept $inner/a
meanwhile 'mv $inner/a kept; mkfifo $inner/a' 3
expect_line err 'the name "a" is a FIFO'
mv -f kept $inner/a
meanwhile 'mv $inner/d kept; ln -s ../../outside $inner/d' 3
expect_line err 'the name "d/b" leads out of the target directory'
rm $inner/d
mv kept $inner/d
# names that the trace moves may refer to other files afterwards
trace 'rename a n' 'pwrite n'
meanwhile 'mv $inner/a $inner/n' 0
mv $inner/n $inner/a
mv around/target target

# --- fio, which would write outside ------------------------------------------------------------
command -v fio >/dev/null || skip 'no fio; everything before passed'
sum=$(cksum <outside/file)
ln -s "$here/outside/file" target/out
for name in out "$here/outside/file" "$here/outside/new" ../outside/new; do
	trace 'pread a' "pwrite $name"
	expect_status 6 "$VALIDATE" replay --engine fio --times none --dir target -o out.trace in.csv
	expect_line err "refused: the name \"$name\""
done
[ "$(cksum <outside/file)" = "$sum" ] && [ ! -e outside/new ] || fail 'a file outside was written'

# a name that is exchanged while fio runs
rm target/out
mv target around/target
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,0,1000,pread,"path=a;fd=3;offset=0;length=4096",4096'
	echo '1,1,1000000000,1000001000,pread,"path=a;fd=3;offset=4096;length=4096",4096'
} >in.csv
(
	soon 'pgrep -f "^[^ ]*fio .*$here/out.trace.run-" >/dev/null'
	mv $inner/a kept
	ln -s ../../outside/file $inner/a
) &
expect_status 3 "$VALIDATE" replay --engine fio --times none --dir $inner -o out.trace in.csv
expect_line err 'the name "a" leads out of the target directory'
wait
