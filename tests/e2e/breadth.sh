# SPDX-License-Identifier: GPL-3.0-or-later
# long: 30 s
# A part of tests/breadth: three programs that every system has, by each available method of capture.
# try-programs also finds differences: a missing file, another size, other permissions.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer
command -v cc >/dev/null || skip 'no cc for engine compiled'
try=$SRCDIR/tests/breadth/try-programs

expect_status 0 sh "$try" -m app -r 0 -o both =gzip
expect_line out '1 programs tried, 0 skipped, 0 differences'
expect_status 0 sh "$try" -e event -r 1 -o results =find =gzip =cp-a
expect_line out '3 programs tried, 0 skipped, 0 differences'
for program in find gzip cp-a; do
	grep -q "^| $program | [^|]* | [0-9]* | 0 - 0 - | equal | [0-9.]* |" results/table.md ||
		fail "no clean row of $program: $(cat results/table.md results/notes)"
	[ "$(grep -c "^$program,.*,app,[0-9]*,no-sign,.*,0,0,[0-9]*,0," results/results.csv)" -eq 3 ] ||
		fail "replays of $program: $(cat results/results.csv)"
done
[ "$(grep -c '^gzip,.*,app,[0-9]*,no-sign,.*,0,0,[0-9]*,0,' both/results.csv)" -eq 5 ] ||
	fail "replays by both engines: $(cat both/results.csv)"

# a program that replays well except for some differences
mkdir other
cat >other/validate <<END
#!/bin/sh
"$VALIDATE" "\$@" || exit
[ "\$1" = replay ] || exit 0
while [ "\$1" != --dir ]; do shift; done
cd "\$(dirname "\$(find "\$2" -name sizes)")" && eval "\$CHANGE"
END
chmod +x other/validate
differs() { # CHANGE WANTED...
	VALIDATE=$PWD/other/validate CHANGE=$1 expect_status 1 sh "$try" -m app -e event -r 0 -o bad =find
	shift
	expect_line bad/notes "the tree has $# differences: "
	for wanted; do
		expect_line bad/notes "$wanted"
	done
}
differs 'echo >>sizes; chmod 600 sizes; ln sizes ../sizes' 'sizes: size' 'sizes: permissions 600 instead of 644' \
	'sizes: number of links 2 instead of 1'
differs 'rm sizes found; mkdir sizes; : >more' 'sizes: kind d instead of f' 'found: missing, kind f' \
	'more: kind f, the program left none'

# a missing program is skipped, with a message
PATH=$PATH expect_status 77 sh "$try" -m app -r 0 -o none =no-such-program
