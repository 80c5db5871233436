# SPDX-License-Identifier: GPL-3.0-or-later
# validate export: written files can be imported again, and other tools read them.
. "$SRCDIR/tests/e2e/lib.sh"
data=$SRCDIR/tests/data/formats

expect_status 0 "$VALIDATE" import -q "$data/sda.merged" -o block.trace
"$VALIDATE" export -q --to csv block.trace -o block.csv
for format in msr snia spc; do
	expect_status 0 "$VALIDATE" export --to $format block.trace -o block.$format
	expect_line err '200 requests written'
	expect_status 0 "$VALIDATE" info block.$format
	expect_line out "format \"$format\""
	expect_line out 'Requests   200 over'
	# exported again: everything that the format can express is kept
	expect_status 0 "$VALIDATE" export -q --to $format block.$format -o again.$format
	cmp block.$format again.$format || fail "$format changes in a round trip"
done
grep -o 'offset=[0-9]*;length=[0-9]*' block.csv >want
"$VALIDATE" export -q --to csv block.spc -o - | grep -o 'offset=[0-9]*;length=[0-9]*' >have
cmp want have || fail "spc: offsets or lengths differ"

expect_status 0 "$VALIDATE" export --to blkreplay block.trace -o block.blkreplay
grep -Eqv '^[0-9]+\.[0-9]{9} ; [0-9]+ ; [0-9]+ ; [RW] ; 0\.0 ; 0\.0$' block.blkreplay && fail "blkreplay: a line of another form"
[ "$(wc -l <block.blkreplay)" -eq 200 ] || fail "blkreplay: not 200 lines"
expect_status 0 "$VALIDATE" export --to btrecord block.trace -o block.replay.0
[ "$(wc -c <block.replay.0)" -eq $((32 + 200 * 40)) ] || fail "btrecord: another size"
[ "$(od -An -tu8 -j16 -N16 block.replay.0 | tr -s ' ')" = ' 200 200' ] || fail "btrecord: other numbers of bunches and packets"

# ARTC supports neither a base directory for names nor descriptors that were not opened
mkdir below
"$VALIDATE" microbench createfiles --requests 1 --files 16 --dir below -o made.trace >out
expect_status 0 "$VALIDATE" export --to artc made.trace -o made.artc
grep -q ' open("/below/' made.artc || fail "names that ARTC cannot resolve: $(head -n 3 made.artc)"
"$VALIDATE" microbench random-read --requests 3 --file-size 64K --dir below -o reads.trace >out
expect_status 0 "$VALIDATE" export --to artc reads.trace -o reads.artc
expect_line err 'descriptors that the trace opens'
[ ! -s reads.artc ] || fail "reads of a descriptor that was never opened: $(cat reads.artc)"
cat >copied.strace <<'S'
10 1.000000 open("/d/in", O_RDONLY) = 3 <0.000001>
10 1.000010 dup(3) = 4 <0.000001>
10 1.000020 read(4, "x"..., 1) = 1 <0.000001>
10 1.000030 dup2(4, 7) = 7 <0.000001>
10 1.000040 read(7, "x"..., 2) = 2 <0.000001>
10 1.000050 dup2(0, 8) = 8 <0.000001>
10 1.000060 read(8, "x"..., 3) = 3 <0.000001>
S
expect_status 0 "$VALIDATE" export --to artc copied.strace -o copied.artc
[ "$(sed 's/^[^ ]* [^ ]* //; s/(.*//' copied.artc | tr '\n' ' ')" = 'open dup read dup2 read ' ] || fail "descriptors that were copied: $(cat copied.artc)"

# every format with a writer, byte for byte; UPDATE=1 writes the files again
for file in "$data"/golden/want.*; do
	format=${file##*.}
	expect_status 0 "$VALIDATE" export -q --to "$format" "$data/golden/input.csv" -o "have.$format"
	[ -z "${UPDATE:-}" ] || cp "have.$format" "$file"
	cmp "$file" "have.$format" || fail "$format is written otherwise than it was"
done
expect_status 0 "$VALIDATE" export -q --to csv "$data/golden/input.csv" -o have.csv
cmp "$data/golden/input.csv" have.csv || fail "csv is written otherwise than it was"
expect_status 2 "$VALIDATE" export --to nonsense block.trace -o none
expect_line err 'format "nonsense" is unknown (--to list prints all formats)'
# the message is a single line, whatever the names are
name=$(printf 'a\n\033[2Jb')
cp "$data/golden/input.csv" "$name.csv"
expect_status 0 "$VALIDATE" export --to iolog "$name.csv" -o "$name.iolog"
[ -e "$name.iolog" ] && [ "$(grep -c '^a??\[2Jb\.' err)" -eq "$(wc -l <err)" ] || fail "told: $(cat -v err)"
"$VALIDATE" export --to list | awk '$3 == "yes" { print $1 }' >written
[ "$(wc -l <written)" -gt 10 ] || fail "the list of formats is another"
while read -r format; do
	case $format in csv | trace | artc-init) continue ;; esac
	[ -e "$data/golden/want.$format" ] || fail "$format has no golden file"
done <written

# system calls
expect_status 0 "$VALIDATE" import -q "$data/strace-ns.strace" -o app.trace
expect_status 0 "$VALIDATE" export --to strace app.trace -o app.strace
expect_line err '83 requests written as strace'
expect_status 0 "$VALIDATE" import -q app.strace -o back.trace
for t in app back; do # times count from the first line; clone is not in it, so no processes share a position
	"$VALIDATE" export -q --to csv $t.trace -o - | cut -d, -f2,5- | sed '/,pread\|,pwrite\|,mmap/!s/;offset=[0-9]*//' >$t.calls
done
cmp app.calls back.calls || { diff app.calls back.calls | head >&2; fail "strace changes in a round trip"; }
# threads come back as threads, and processes with their parents and the threads that waited for them
# calls whose flags only the newer call has
cat >flags.strace <<'S'
10 1.000000 faccessat2(AT_FDCWD, "/d/f", X_OK, AT_EACCESS) = 0 <0.000001>
10 1.000010 faccessat2(AT_FDCWD, "/d/f", R_OK, AT_SYMLINK_NOFOLLOW) = 0 <0.000001>
10 1.000020 access("/d/f", R_OK) = 0 <0.000001>
10 1.000030 fchmodat2(AT_FDCWD, "/d/f", 0640, AT_SYMLINK_NOFOLLOW) = 0 <0.000001>
10 1.000040 chmod("/d/f", 0600) = 0 <0.000001>
10 1.000050 unlinkat(AT_FDCWD, "/d/e", AT_REMOVEDIR) = 0 <0.000001>
S
expect_status 0 "$VALIDATE" import -q flags.strace -o flags.trace
expect_status 0 "$VALIDATE" export --to strace flags.trace -o flags.again
for call in 'faccessat2(AT_FDCWD, "/d/f", 01, AT_EACCESS)' 'fchmodat2(AT_FDCWD, "/d/f", 0640, AT_SYMLINK_NOFOLLOW)' 'rmdir("/d/e")' 'chmod("/d/f", 0600)'; do
	expect_line flags.again "$call"
done
expect_status 0 "$VALIDATE" import -q flags.again -o flags-again.trace
"$VALIDATE" export -q --to csv flags.trace -o - | cut -d, -f5- >want
"$VALIDATE" export -q --to csv flags-again.trace -o - | cut -d, -f5- | cmp - want || fail 'flags change in a round trip'

cat >family.strace <<'S'
10 1.000000 openat(AT_FDCWD</w>, "a", O_RDWR|O_CREAT, 0644) = 3</w/a> <0.000001>
10 1.000010 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 11 <0.000002>
11 1.000020 write(3</w/a>, "x", 1) = 1 <0.000001>
11 1.000030 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[12]}, 88) = 12 <0.000001>
12 1.000040 openat(AT_FDCWD</w>, "b", O_RDWR|O_CREAT, 0644) = 4</w/b> <0.000001>
11 1.000050 write(4</w/b>, "y", 1) = 1 <0.000001>
11 1.000060 vfork() = 13 <0.000001>
13 1.000070 write(4</w/b>, "z", 1) = 1 <0.000001>
12 1.000080 wait4(13, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 13 <0.000001>
10 1.000090 wait4(11, [{WIFEXITED(s) && WEXITSTATUS(s) == 0}], 0, NULL) = 11 <0.000001>
S
expect_status 0 "$VALIDATE" import -q family.strace -o family.trace
for source in family.strace family.trace; do
	expect_status 0 "$VALIDATE" export --to strace $source -o again.strace
	expect_line err '5 requests written as strace'
	expect_status 0 "$VALIDATE" import -q again.strace -o again.trace
	for t in family again; do
		"$VALIDATE" export -q --to csv $t.trace -o - | cut -d, -f1-8 >$t.calls
		"$VALIDATE" info --json $t.trace | sed -n '/"processes"/,/\]/p' >>$t.calls
	done
	[ "$(grep -c waited_by family.calls)" = 2 ] || fail "waits for processes: $(cat family.calls)"
	diff family.calls again.calls ||
		fail "threads and processes of $source change in a round trip"
done
# ARTC's dialect: its names, no decorations, no equal times, no call before the thread's previous
# call has ended; and its list of files
printf '10 1.000000100 openat(AT_FDCWD</>, "d/f", O_RDWR|O_CREAT, 0644) = 3</d/f> <0.000002000>\n10 1.000000200 pwrite64(3</d/f>, ""..., 5, 7) = 5 <0.000001500>\n10 1.000000300 newfstatat(3</d/f>, "", {st_mode=S_IFREG|0644, st_size=12, ...}, AT_EMPTY_PATH) = 0 <0.000001000>\n10 1.000005000 access("/d/g", F_OK) = -1 ENOENT (No such file or directory) <0.000001000>\n10 1.000006000 newfstatat(AT_FDCWD, "/d/g", 0x7ffd, AT_SYMLINK_NOFOLLOW) = -1 ENOENT (No such file or directory) <0.000001000>\n10 1.000007000 close(3</d/f>) = 0 <0.000001000>\n' >a.strace
expect_status 0 "$VALIDATE" export --to artc a.strace -o a.artc
expect_line err '1 record left out; the first is number 3 (access): ARTC does not support the call'
cat >want <<'W'
10 1.000000 open("/d/f", O_RDWR|O_CREAT, 0644) = 3 <0.000002>
10 1.000003 pwrite(3, ""..., 5, 7) = 5 <0.000001>
10 1.000005 fstat(3, {st_dev=makedev(0, 0), st_mode=S_IFREG|0644, st_size=0, ...}) = 0 <0.000001>
10 1.000007 lstat("/d/g", 0x7ffc00000000) = -1 ENOENT (No such file or directory) <0.000001>
10 1.000009 close(3) = 0 <0.000001>
W
cmp want a.artc || { diff want a.artc >&2; fail "ARTC's dialect"; }
expect_status 3 "$VALIDATE" export --to artc-init a.strace -o a.init
expect_line err 'no list of the files'
mkdir -p "tree/sub dir"
head -c 12345 /dev/zero >"tree/sub dir/file"
ln -s "sub dir/file" tree/link
expect_status 0 "$VALIDATE" capture app --snapshot -o snap.trace -- cat tree/link "tree/sub dir/file"
expect_status 0 "$VALIDATE" export --to artc-init snap.trace -o snap.init
grep -q '^dir#.*/tree/sub dir$' snap.init && grep -q '^file#.*/tree/sub dir/file#12345$' snap.init &&
	grep -q '^symlink#.*/tree/link#sub dir/file$' snap.init && grep -qx "dir#$(dirname "$PWD")" snap.init || { cat snap.init >&2; fail "ARTC's list of files"; }

expect_status 0 "$VALIDATE" export --to perfetto app.trace -o app.json
expect_line app.json '"name":"pwritev"'
expect_status 0 "$VALIDATE" export --to events app.trace -o app.events
[ "$(head -n 1 app.events)" -eq "$(($(wc -l <app.events) - 1))" ] || fail "events: the first line is not their number"
expect_line err 'left out'
# two threads pass a descriptor on; an inherited descriptor and a seek are left out; unlink appears
# as the replayer's rmdir
cat >threads.csv <<'C'
pid,tid,begin,end,function,args,rvalue
7,7,1000,2000,mkdir,path=d;mode=0755,0
7,7,3000,4000,open,"path=d/a;fd=5;flags=0x42;mode=0644",5
7,8,5000,6000,pwrite,"path=d/a;fd=5;offset=0;length=10",10
7,7,5500,6500,lseek,"path=d/a;fd=5;offset=0;whence=0",0
7,8,7000,8000,pread,"path=d/a;fd=5;offset=0;length=10",10
7,7,9000,9500,close,"path=d/a;fd=5",0
9,9,9600,9700,read,"path=d/a;fd=1;offset=0;length=1",1
7,8,9800,9900,unlink,path=d/a,0
C
expect_status 0 "$VALIDATE" export --to events threads.csv -o threads.events
expect_line err '2 records left out; the first is number 3 (lseek): the replayer would seek to another position'
sed 's/"rvalue":\([^,]*\),"parents":\([^ ]*\),"caller":{"tid":"\([0-9]*\)","pid":"\([0-9]*\)".*"begin":\([0-9.]*\),.*"call":\("[a-z]*"\),"args":\(.*\),"id":\([0-9]*\),.*"children":\(.*\)}/\8 \6 \7 = \1 by \4.\3 at \5, \2 - \9/; s/[{]//' threads.events >have
cat >want <<'W'
6
1 "mkdir" ["d","493"] = 0 by 1.7 at 0.0, [] - [2]
2 "open" ["d/a","66","420"] = 5 by 1.7 at 2.0, [1] - [5,3]
3 "pwrite" ["d/a","5","10","0"] = 10 by 1.8 at 4.0, [2] - [4]
4 "pread" ["d/a","5","10","0"] = 10 by 1.8 at 6.0, [3] - [6,5]
5 "close" ["5"] = 0 by 1.7 at 8.0, [2,4] - []
6 "rmdir" ["d/a"] = 0 by 1.8 at 8.0, [4] - []
W
cmp want have || { diff want have >&2; fail "events: calls or what they follow"; }
expect_status 0 "$VALIDATE" export --to iolog app.trace -o app.iolog
expect_line app.iolog 'fio version 3 iolog'
expect_status 0 "$VALIDATE" info app.iolog
if command -v fio >/dev/null; then # fio reads what we write
	printf 'fio version 3 iolog\n0 f add\n0 f open\n10 f write 0 4096\n20 f read 0 4096\n30 f close\n' >own.log
	expect_status 0 "$VALIDATE" export -q --to iolog own.log -o ours.log
	fio --name=x --read_iolog=ours.log --ioengine=sync --output-format=terse >fio.out 2>&1 || { cat fio.out >&2; fail "fio refuses our iolog"; }
fi

expect_status 0 "$VALIDATE" export --to list
expect_status 2 "$VALIDATE" export --to alibaba app.trace -o x
expect_line err 'can only be read'
expect_status 2 "$VALIDATE" export --to strac app.trace -o x
expect_line err 'did you mean "strace"?'
expect_status 2 "$VALIDATE" export --to csv - <app.trace

# a user's file beside the output keeps its content, whatever its name, even if it is the input;
# outputs of other kinds do not overwrite the input, under any of its names; and a name of 255 bytes
# works like any other
"$VALIDATE" slice app.trace -o app.csv.tmp >out
cp app.csv.tmp before
expect_status 0 "$VALIDATE" export -q --to csv app.csv.tmp -o app.csv
expect_status 0 "$VALIDATE" info app.csv.tmp --csv app.csv
expect_status 0 "$VALIDATE" slice app.csv.tmp -o app.csv
expect_status 0 "$VALIDATE" import app.csv.tmp -o app.csv
expect_status 0 "$VALIDATE" deps app.csv.tmp --dot app.csv
cmp before app.csv.tmp || fail "the input was changed"
ln -s app.csv.tmp link
ln app.csv.tmp hard
for name in app.csv.tmp link hard "$PWD/app.csv.tmp"; do
	for how in 'export --to csv -o' 'info --csv' 'info --html' 'deps --dot'; do
		expect_status 3 "$VALIDATE" $how "$name" app.csv.tmp
		expect_line err "$name: the output would overwrite the input"
	done
done
cmp before app.csv.tmp || fail "the input was changed"
long=$(printf '%0255d' 0)
expect_status 0 "$VALIDATE" export -q --to csv app.trace -o "$long"
expect_status 0 "$VALIDATE" slice app.trace -o "$long"
mkdir target
"$VALIDATE" import -q "$data/sda.blkparse" -o blk.trace
refuse() { # NAME WHY: every command that writes a trace, or an input of another tool, refuses NAME before it does anything
	for how in 'slice app.trace' 'import -q app.trace' 'deps --infer blk.trace' 'microbench rr --requests 1 --file-size 4K --dir target' \
		"capture app --root $PWD --scratch $PWD" "capture causality --scratch $PWD"; do
		after= wrong=3
		case $how in
		'capture causality'*) after='-- touch started' wrong=2 ;;
		capture*) after='-- touch started' ;;
		esac
		expect_status $wrong "$VALIDATE" $how -o "$1" $after
		expect_line err "$2"
	done
	[ ! -e started ] && [ -z "$(ls target)" ] || fail "something was done before a wrong name was refused"
}
refuse - 'not to standard output'
[ ! -e - ] || fail "a file is named -"
# the name of a disk in place of the name of a file
if [ "$(id -u)" -eq 0 ]; then
	truncate -s 1M disk
	if device=$(losetup -f --show disk 2>/dev/null); then
		trap 'losetup -d "$device"' EXIT
		cksum "$device" >before
		refuse "$device" 'is a block device'
		for how in 'export --to csv -o' 'export --to strace -o' 'info --csv' 'info --html' 'deps --dot'; do
			expect_status 3 "$VALIDATE" $how "$device" app.trace
			expect_line err 'is a block device'
		done
		cksum "$device" | cmp - before || fail "a disk was written over"
		trap - EXIT
		losetup -d "$device"
	fi
fi
for how in csv parallel iolog; do
	expect_status 3 "$VALIDATE" export --to $how app.trace -o ''
	expect_line err 'name of the output file is empty'
done
[ -z "$(find . -name '.validate-*')" ] || fail "left behind: $(find . -name '.validate-*')"
