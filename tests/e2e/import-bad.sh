# SPDX-License-Identifier: GPL-3.0-or-later
# validate import of bad input, for every readable format: truncated, with garbage, of another
# format, with all line ends, out of order, and with an endless line. The result is a clear error.
# With --lenient, skipped lines are counted.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/import-lib"

for f in $text_formats; do
	head=$(head_lines $f) last=$((n_good + $(head_lines $f)))
	good $f >$f.good
	expect_status 0 "$VALIDATE" import --from $f $f.good -o $f.trace
	requests $f.trace >$f.want
	[ "$(wc -l <$f.want)" -eq $((n_good + 1)) ] || fail "$f: the good file has not $n_good requests"
	expect_status 0 "$VALIDATE" import $f.good -o told.trace # by its first bytes
	requests told.trace | cmp - $f.want || fail "$f is taken for another format"

	# cut off within the last line
	sed "$last s/^\(.\{12\}\).*/\1/" $f.good | head -c -1 >$f.cut
	refused $f $f.cut "$f.cut: line $last, column "
	let_pass $f $f.cut $((n_good - 1)) 1

	# bytes of all kinds between two lines
	{
		head -n $((head + 2)) $f.good
		printf '\377\376\000\001garbage\200\n\000\n\033[2J%s\n' '%n%s%999999d'
		tail -n +$((head + 3)) $f.good
	} >$f.garbage
	refused $f $f.garbage "line $((head + 3))"
	let_pass $f $f.garbage $n_good some
	LC_ALL=C grep -q "$(printf '\033')" err out && fail "$f: control characters of the file are printed"

	# line ends of all kinds
	awk 'BEGIN { ORS = ""; end[0] = "\n"; end[1] = "\r\n"; end[2] = "\r"; end[3] = "\n\n" } { print $0 end[NR % 4] }' $f.good >$f.mixed
	expect_status 0 "$VALIDATE" import --from $f $f.mixed -o mixed.trace
	requests mixed.trace | cmp - $f.want || fail "$f: mixed line ends"
	head -c -1 $f.good >$f.open # the last line has none
	expect_status 0 "$VALIDATE" import --from $f $f.open -o open.trace
	requests open.trace | cmp - $f.want || fail "$f: a last line without an end"

	# later requests first: sorted, with a message
	{
		head -n "$head" $f.good
		tail -n +$((head + 1)) $f.good | sed '1!G;h;$!d'
	} >$f.back
	expect_status 0 "$VALIDATE" import --from $f $f.back -o back.trace
	expect_line out "sorted by start time: $((n_good - 1)) requests came after a request with a later start time"

	# a line of 2 MB (of 1 GB: below) with little memory
	{ cat $f.good; head -c 2000000 /dev/zero | tr '\0' 7; } >$f.long
	(memory_limit 200000 && refused $f $f.long "line $((last + 1))") || exit 1
	rm $f.long
done

# no format takes another's file
for f in $text_formats; do
	for g in $text_formats; do
		[ $f = $g ] || ! "$VALIDATE" import -q --from $g $f.good -o other.trace 2>>others.err || fail "$g takes a file of $f"
	done
done
[ "$(grep -c '\.good: line [12], column [1-9]' others.err)" -eq "$(wc -l <others.err)" ] || fail "not all say where: $(cat others.err)"

# blktrace: truncated within a record; garbage between records; times that go back; an invalid
# length
data=$SRCDIR/tests/data/formats
head -c $((48 * 30)) "$data/sda.blktrace.1" >blk.good
expect_status 0 "$VALIDATE" import blk.good -o blk.trace
n=$(requests blk.trace | wc -l)
head -c $((48 * 30 - 7)) "$data/sda.blktrace.1" >blk.cut
refused blktrace blk.cut 'byte 1392: the file ends within a record'
let_pass blktrace blk.cut $((n - 1)) 1
{ head -c 480 blk.good; printf 'some noise that is no event.'; tail -c +481 blk.good; } >blk.noise
refused blktrace blk.noise 'byte 480: not a record of blktrace: its magic number is 656d6f73'
let_pass blktrace blk.noise $((n - 1)) 1
{ head -c 46 blk.good; printf '\377\377'; tail -c +49 blk.good; } >blk.lies
refused blktrace blk.lies 'the file ends within a record'
expect_status 3 "$VALIDATE" import blk.good missing -o x.trace
expect_line err missing
head -c 24 /dev/zero >o.oracleGeneral
head -c 17 /dev/zero >>o.oracleGeneral
expect_status 3 "$VALIDATE" import --as read o.oracleGeneral -o x.trace
expect_line err 'byte 24: the file ends within a request'

# strace: calls that do not match, descriptors that were not opened, a thread that ends within a call
cat >odd.strace <<'S'
10 1.000001 read(7, "", 10) = 10 <0.000001>
10 1.000002 <... write resumed>) = 3 <0.000001>
10 1.000003 pread64(9, "", 4096,  <unfinished ...>
10 1.000004 write(1, "", 1) = 1 <0.000001>
11 1.000005 pread64(9, "", 4096,  <unfinished ...>
11 1.000006 <... pread64 resumed>) = 10 <0.000001>
S
refused strace odd.strace 'line 6, column 34: pread64 has only 3 arguments'
expect_status 0 "$VALIDATE" import --lenient 1 odd.strace -o odd.trace
expect_line out 'odd.trace: 3 requests'
expect_line out 'begin and never end: 1'
expect_line out 'whose beginning is not in the trace: 1'

# 1 GB without a line end, in bounded memory; the file has no blocks, so reading takes less than a
# second. A thread that is its own child.
cat >self.strace <<'S'
7 1795227730.000001 openat(AT_FDCWD, "/a", O_RDONLY) = 3
7 1795227730.000002 clone(child_stack=NULL, flags=SIGCHLD) = 7
7 1795227730.000003 close(3) = 0
S
expect_status 0 "$VALIDATE" import self.strace -o self.trace
requests self.trace >self
expect_line self 'close,"path=a;fd=3'

# a call that ends beyond all times
printf '1 1.000000 close(3) = 0 <0.000001>\n1 1795270936.951729 close(3) = 0 <8000003514.000000>\n' >long.strace
refused strace long.strace 'line 2, column 32: the end of the call exceeds the limit of the trace format'
expect_status 0 "$VALIDATE" import --from strace --lenient 1 long.strace -o long.trace
expect_line out 'long.trace: 1 request'

# an empty input: no times, and so no resolution
: >nothing.strace
expect_status 0 "$VALIDATE" import --from strace nothing.strace -o nothing.trace
expect_line out 'Resolution unknown'

# a descriptor's name that consists of its first character only is no name
cat >begun.strace <<'S'
7 1795227730.000001 openat(AT_FDCWD, "/a", O_RDONLY) = 3<
7 1795227730.000003 close(3) = 0
S
expect_status 0 "$VALIDATE" import begun.strace -o begun.trace
requests begun.trace >begun
expect_line begun 'open,"path=a;'
expect_line begun 'close,"path=a;fd=3'

# a line for each new process of a process with very many descriptors or mappings, with little
# memory
made() { # a mapping in each child, so that the child has its own list
	awk 'BEGIN { for (i = 0; i < 2000; i++)
		printf "20 1.5 clone(child_stack=NULL, flags=SIGCHLD) = %d\n%d 1.6 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0) = 0x1000\n", 100 + i, 100 + i }'
}
{ printf '20 1.1 open("/a", O_RDWR) = 3\n20 1.2 dup2(3, 1048500) = 1048500\n' && made; } >descriptors.strace
{ echo '20 1.1 open("/a", O_RDWR) = 3' && awk 'BEGIN { for (i = 1; i < 16000; i++)
	printf "20 1.3 mmap(NULL, 4096, PROT_READ, MAP_SHARED, 3, 0) = 0x%x000\n", i * 2 }' && made; } >mappings.strace
for f in descriptors mappings; do
	(memory_limit 400000 && expect_status 0 "$VALIDATE" import --from strace $f.strace -o made.trace) || exit 1
	rm $f.strace made.trace
done

for f in msr strace csv; do
	good $f >huge.$f
	truncate -s 1G huge.$f
	(memory_limit 400000 && refused $f huge.$f 'line ') || exit 1
	rm huge.$f
done
