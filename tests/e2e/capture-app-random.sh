# SPDX-License-Identifier: GPL-3.0-or-later
# Random calls, captured with a snapshot and replayed into an empty directory: the replay has no
# mismatch, and leaves the same tree as the program.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(id -u)" -eq 0 ] || skip 'only root can list the directories whose permissions the calls remove'
${CC:-cc} -w -O1 -o random "$SRCDIR/tests/programs/random.c" || fail 'random.c does not compile'
methods=app
[ "$(id -u)" -ne 0 ] || ! "$VALIDATE" capture vfs -o probe -- true >/dev/null 2>&1 || methods='app vfs'

tree_list() { # DIRECTORY: the lines that trees.awk reads
	(cd "$1" && find . -mindepth 1 -printf '%P\t%y\t%m\t%s\t%n\t%l\t%i\t%T@\n' | sort)
}
tree_make() {
	mkdir in in/d0 in/d1 in/d2 in/d3
	for i in 0 1 2 3 4 5 6 7; do
		head -c $((i * 731 + 5)) /dev/zero >in/f$i
	done
	for file in d0/a d0/b d0/c d1/a d1/b d2/a d2/b; do
		head -c 3000 /dev/zero >in/$file
	done
	chmod 755 in/f3
	chmod 600 in/d0/b
	ln -s f1 in/l0
	ln -s d0/c in/l1
	ln -s d0 in/ld
	find in -type f -exec touch -d @1600000000 {} +
}

for method in $methods; do
	for calls in shared refused 1 2 3 4 5 6 7; do
		rm -rf in again trace
		tree_make
		tree_list in >before
		(cd in && "$VALIDATE" capture $method --snapshot -o ../trace -- ../random $calls) >out 2>err ||
			fail "$method, $calls: $(cat err)"
		tree_list in >after
		mkdir again
		expect_status 0 "$VALIDATE" replay --prepare --dir again trace
		expect_line out 'mismatches      0'
		tree_list "again$PWD/in" >replayed
		# the file in d2 that rmdir found has a name that the trace does not show
		awk -F '\t' -v snapshot=1 -v links=1 -f "$SRCDIR/tests/breadth/trees.awk" before after \
			replayed | sed '/^d[0-3]\/unknown: /d' >differs
		[ ! -s differs ] || fail "$method, $calls: $(cat differs)"
	done
done

# strace does not show the initial state of all these files, so only the import and the replay are
# tried
if ! command -v strace >/dev/null || ! strace -o probe true 2>/dev/null; then
	echo 'the import is not tried: strace does not run here'
	exit 0
fi
for calls in shared refused 8 9 10 11 12; do
	rm -rf in again trace
	tree_make
	(cd in && strace -f -yy -v --absolute-timestamps=format:unix,precision:ns --syscall-times=ns -o ../log ../random $calls) ||
		fail "strace, $calls"
	expect_status 0 "$VALIDATE" import log -o trace
	mkdir again
	expect_status 0 "$VALIDATE" replay --prepare --dir again trace
done
