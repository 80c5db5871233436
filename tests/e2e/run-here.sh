# SPDX-License-Identifier: GPL-3.0-or-later
# make run and the outcome of validate: a report with any verdict is a success, and its path is
# printed at the end.
. "$SRCDIR/tests/e2e/lib.sh"
case $(stat -f -c %T .) in tmpfs | ramfs) skip 'this directory is in memory, where make run does not work' ;; esac

cat >program <<'END'
#!/bin/sh
# run PROTOCOL -o DIR
[ "$1 $2 $3" = 'run some.conf -o' ] && [ ! -e "$4" ] || exit 99
mkdir "$4"
[ -z "$REPORT" ] || { mkdir "$4/report" && echo page >"$4/report/index.html"; }
exit "$STATUS"
END
chmod +x program
outcome() { # status of validate, whether it wrote a report, expected status
	expect_status "$3" env STATUS="$1" REPORT="$2" sh "$SRCDIR/protocols/run-here" ./program some.conf
}
for verdict in 0 1 4; do
	outcome $verdict yes 0
	report=$(sed -n 's/^The report: //p' out)
	[ "$(cat "$report")" = page ] || fail "the report is not where it was said to be: $report"
	case $report in "$PWD"/run-[0-9]*/report/index.html) ;; *) fail "it ran elsewhere: $report" ;; esac
done
[ "$(find . -name 'run-*' | wc -l)" -eq 3 ] || fail 'not a fresh directory each time'
outcome 3 yes 3
outcome 2 '' 2
expect_line err 'there is no report'
outcome 0 '' 3
