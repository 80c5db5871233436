# SPDX-License-Identifier: GPL-3.0-or-later
# long: 27 s
# Replays of captured programs give the traced results: every subject of tests/programs/cases.c, and
# real applications, in a fresh directory that --prepare makes, for every engine, with threads and
# with a process for each traced process.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
$compiler -w -O1 -o cases "$SRCDIR/tests/programs/cases.c" -ldl -lpthread || fail 'cases.c does not compile'

captured() { # NAME COMMAND...: in ./NAME.run, to ./NAME.trace
	name=$1
	shift
	mkdir -p "$name.run"
	(cd "$name.run" && "$VALIDATE" capture app --snapshot --root "$PWD" -o "../$name.trace" -- "$@") >capture.out 2>&1 ||
		fail "capture of $name: $(cat capture.out)"
}

# replayed NAME ORDER...: without a mismatch, twice in the same directory; by engine event in each
# order, and by the other engines in the first
replayed() {
	name=$1
	shift
	engines='event coordinator compiled'
	for order; do
		for engine in $engines; do
			mkdir -p "$name.$engine"
			expect_status 0 "$VALIDATE" replay --engine $engine --order "$order" --prepare --dir "$name.$engine" \
				-o "$name.out" "$name.trace"
			expect_line out 'mismatches      0'
		done
		engines=event
	done
	expect_status 0 "$VALIDATE" replay --processes --order "$order" --prepare --dir "$name.event" "$name.trace"
	expect_line out 'mismatches      0'
	"$VALIDATE" metrics --reference "$name.trace" "$name.out" >metrics.txt 2>&1 || "$VALIDATE" info "$name.out" >/dev/null ||
		fail "the replay of $name cannot be read"
}

for case in data names directories streams maps forks; do
	captured $case "$PWD/cases" $case
	replayed $case temporal
done
for case in data names directories streams maps; do
	replayed $case fs thread
done
replayed forks fs

# asynchronous requests: each made, with its result, at its place
if $compiler -w -O1 -o aio "$SRCDIR/tests/programs/aio.c" -pthread -laio 2>/dev/null; then
	for kind in libaio posix; do
		captured $kind "$PWD/aio" $kind
		replayed $kind temporal
		"$VALIDATE" info --csv $kind.csv $kind.out >/dev/null || fail "the replay of $kind cannot be read"
		wanted=$([ $kind = libaio ] && echo 100 || echo 11)
		[ "$(grep -c ',aio_.*,4096,' $kind.csv)" -eq "$wanted" ] || fail "requests of $kind: $(grep aio_ $kind.csv | head -5)"
	done
else
	echo 'asynchronous requests are not tried: no libaio to compile with'
fi

# characters read by inlined macros, between calls that show the position of the stream, or continue
# to read
$compiler -w -O2 -o macros "$SRCDIR/tests/programs/macros.c" || fail 'macros.c does not compile'
mkdir -p macros.run
i=0
while [ $i -lt 500 ]; do
	echo "line $i of what is read in line, and by calls"
	i=$((i + 1))
done >macros.run/text
head -c 8192 macros.run/text >macros.run/whole
head -c 8193 macros.run/text >macros.run/one-more
captured macros "$PWD/macros"
replayed macros temporal fs
"$VALIDATE" info --csv macros.csv macros.trace >/dev/null
[ "$(grep -c ',fgetc,"path=text;[^"]*length=4096",1' macros.csv)" -ge 5 ] || fail "macros are not in line: $(cat macros.csv)"

# and written by inlined macros: files get their sizes
$compiler -w -O2 -o put "$SRCDIR/tests/programs/put.c" || fail 'put.c does not compile'
captured put "$PWD/put"
replayed put temporal fs
"$VALIDATE" info --csv put.csv put.trace >/dev/null
[ "$(grep -c ',fputc,"path=mixed;[^"]*length=\([0-9]\{2,\}\)",\1,' put.csv)" -ge 5 ] ||
	fail "inlined characters are not recorded: $(cat put.csv)"
for file in mixed other child more again; do
	for engine in event coordinator compiled; do
		[ "$(stat -c %s put.$engine/$file)" = "$(stat -c %s put.run/$file)" ] ||
			fail "$engine: $file has $(stat -c %s put.$engine/$file) bytes, not $(stat -c %s put.run/$file): $(cat put.csv)"
	done
done

# streams whose position no call shows, appended to and read to the end; a buffer filled by another
# call than the call that reaches the end
cat >more.c <<'END'
#include <stdio.h>
int main(void)
{
	char two[2];
	for (int i = 0; i < 9; i++) {
		FILE *f = fopen("log", "a");
		fprintf(f, "line %d\n", i);
		if (fclose(f))
			return 1;
	}
	FILE *f = fopen("log", "r");
	if (!f || fread(two, 1, 2, f) != 2 || fseek(f, 0, SEEK_SET) || ungetc(getc(f), f) == EOF)
		return 2;
	while (getc_unlocked(f) != EOF)
		;
	fclose(f);
	f = fopen("log", "r");
	char all[100];
	return !f || fread(all, 1, 100, f) != 63 || fclose(f);
}
END
$compiler -w -O2 -o more more.c || fail 'more.c does not compile'
captured more "$PWD/more"
replayed more temporal fs

mkdir -p tar.run/tree/a/b tar.run/tree/c
for i in 1 2 3 4 5 6 7 8 9; do
	head -c $((i * 4321)) /dev/zero >tar.run/tree/a/b/f$i
done
ln -s ../a/b/f1 tar.run/tree/c/link
ln tar.run/tree/a/b/f2 tar.run/tree/c/hard
captured tar tar cf out.tar tree
replayed tar temporal fs thread
mkdir untar.run
cp tar.run/out.tar untar.run/
captured untar tar xf out.tar
replayed untar temporal fs thread
[ "$(readlink untar.event/tree/c/link)" = ../a/b/f1 ] || fail 'no link was made as it was'
[ "$(stat -c %s untar.event/tree/a/b/f9)" -eq $((9 * 4321)) ] || fail 'an unpacked file has another size'

mkdir sort.run
i=0
while [ $i -lt 3000 ]; do
	i=$((i + 1))
	echo $((i * 7919 % 3001))
done >sort.run/in
captured sort sort -S 32K -o out in
replayed sort temporal fs

if command -v sqlite3 >/dev/null; then
	captured sqlite sqlite3 t.db "create table t(a integer primary key, b text); insert into t values(1,'x'),(2,'y');
		update t set b='z' where a=1; begin; delete from t; rollback; vacuum;"
	replayed sqlite temporal fs thread
	grep -q 'skipped' out && fail "locks are not replayed: $(cat out)"
fi
if command -v git >/dev/null; then
	captured git sh -c 'git init -q r && cd r && echo a >f && git add f && git -c user.name=n -c user.email=e commit -q -m m &&
		git mv f g && git status && git log' 2>/dev/null
	replayed git temporal fs
fi

# processes one after another and at the same time, with an inherited output
mkdir pipes.run
cp -r tar.run/tree pipes.run/
captured pipes sh -c 'tar cf - tree | gzip >t.gz; (gzip -dc t.gz; echo; cat tree/a/b/f1) >all; (head -c 100 all; tail -c 50 all) >parts
	(sort -r parts >s1) & (cat parts parts >s2) & wait; cat s1 s2 >s3; rm all parts'
replayed pipes temporal fs
grep -aq '"processes":\[{"pid":[0-9]*,"parent":[0-9]*,"begin_ns":[0-9]*,*.*"waited_by":[0-9]*,"waited_ns":[0-9]*}' pipes.trace ||
	fail 'the trace lacks starts of processes and waits'

# a whole directory is moved: its entries move with it
captured move sh -c 'mkdir -p a/b && echo x >a/b/c && mv a d && cat d/b/c && cp -r d e && rm -r d'
replayed move temporal fs

# links that strace shows but no call created, calls on links themselves, and a descriptor of two
# processes that only one writes to
cat >links.strace <<'END'
100 1000.000001 readlink("/w/there", "../w/d", 4096) = 6 <0.000001>
100 1000.000010 lgetxattr("/w/there", "user.x", NULL, 0) = -1 ENODATA (No data available) <0.000001>
100 1000.000020 llistxattr("/w/nowhere", NULL, 0) = 0 <0.000001>
100 1000.000030 readlink("/w/nowhere", "never/made", 4096) = 10 <0.000001>
100 1000.000040 openat(AT_FDCWD, "/w/there/f", O_RDONLY) = 3 <0.000001>
100 1000.000050 read(3, "0123456789", 10) = 10 <0.000001>
100 1000.000060 close(3) = 0 <0.000001>
100 1000.000070 openat(AT_FDCWD, "/w/some", O_RDONLY|O_NOFOLLOW) = -1 ELOOP (Too many levels of symbolic links) <0.000001>
100 1000.000080 fsync(2</w/log>) = 0 <0.000001>
100 1000.000090 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f) = 200 <0.000001>
200 1000.000100 write(2</w/log>, "x", 1) = 1 <0.000001>
END
for engine in event 'event --processes' coordinator compiled; do
	rm -rf links.tree
	mkdir links.tree
	# shellcheck disable=SC2086 # options
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir links.tree links.strace
	expect_line out 'mismatches      0'
	[ "$(readlink links.tree/w/there)" = ../w/d ] && [ -L links.tree/w/some ] || fail "links: $(ls -lR links.tree)"
done
expect_status 0 "$VALIDATE" export --to strace links.strace -o links.again
grep -q 'llistxattr("/w/nowhere"' links.again && grep -q 'lgetxattr("/w/there"' links.again || fail "links exported: $(cat links.again)"

# strace's record of the same kind of calls, for a program that unpacks an archive
if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
	mkdir straced strace.tree
	cp tar.run/out.tar straced/
	(cd straced && strace -f -ttt -T -y -o ../strace.txt tar xf out.tar) || fail 'strace'
	expect_status 0 "$VALIDATE" replay --prepare --dir strace.tree strace.txt
	expect_line out 'mismatches      0'
fi
