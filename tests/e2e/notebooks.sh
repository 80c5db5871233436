# SPDX-License-Identifier: GPL-3.0-or-later
# The report as an SQLite database, and the notebooks of doc/notebooks on it. Parts whose tools are
# missing are skipped and listed at the end.
. "$SRCDIR/tests/e2e/lib.sh"

gzip -dc "$SRCDIR/tests/data/frauds/fast-reads.tar.gz" | tar xf -
database() { # FILE
	status=0
	"$VALIDATE" report fast-reads --format sqlite >"$1" 2>err || status=$?
	any_verdict "of the database"
}
database results.sqlite
database again.sqlite
cmp -s results.sqlite again.sqlite || fail "the same results gave another database"
[ "$(head -c 15 results.sqlite)" = 'SQLite format 3' ] || fail "no database: $(head -c 60 results.sqlite)"

missing=
if command -v sqlite3 >/dev/null; then
	ask() { sqlite3 -readonly results.sqlite "$1"; }
	[ "$(ask 'PRAGMA integrity_check')" = ok ] || fail "damaged: $(ask 'PRAGMA integrity_check')"
	for table in runs pairs components; do
		[ "$(ask "SELECT count(*) > 0 FROM $table")" = 1 ] || fail "table $table has no row"
	done
	[ "$(ask "SELECT unit FROM columns WHERE table_name = 'pairs' AND column_name = 'replay_ns'")" = ns ] || fail 'no unit of a response time'
	[ "$(ask "SELECT unit FROM columns WHERE table_name = 'bias' AND column_name = 'bias_lo95_ratio'")" = ratio ] || fail 'no unit of a limit'
	# every column of every table is described, and every null number has a reason
	[ "$(ask "SELECT count(*) FROM columns")" = "$(ask "SELECT count(*) FROM sqlite_master m, pragma_table_info(m.name) WHERE m.name NOT IN ('columns', 'unknown')")" ] ||
		fail 'columns that are not described'
	[ "$(ask "SELECT count(*) FROM components WHERE estimate IS NULL")" = "$(ask "SELECT count(*) FROM unknown WHERE table_name = 'components' AND column_name = 'estimate'")" ] ||
		fail 'null without a reason'
else
	missing="$missing sqlite3"
fi

# NAME COMMAND...: the bias computed from the pairs is that of the report
notebook() {
	name=$1
	shift
	"$@" results.sqlite >"$name.out" 2>&1 || fail "$name: $(cat "$name.out")"
	grep -q '^program: [0-9]* runs, mean [0-9.e+]* ns$' "$name.out" || fail "$name printed no runs: $(cat "$name.out")"
	awk '/: bias/ {
		match($0, /bias [-0-9.]+/); again = substr($0, RSTART + 5, RLENGTH - 5)
		match($0, /report [-0-9.]+/); told = substr($0, RSTART + 7, RLENGTH - 7)
		n++
		bad += (again - told) ^ 2 > 1e-10
	} END { exit !n || bad }' "$name.out" || fail "$name has another bias than the report: $(cat "$name.out")"
}
if python3 -c 'import sqlite3' 2>/dev/null; then
	notebook python python3 "$SRCDIR/doc/notebooks/report.py"
else
	missing="$missing python3-sqlite3"
fi
if Rscript -e 'library(DBI); library(RSQLite)' >/dev/null 2>&1; then
	notebook R Rscript "$SRCDIR/doc/notebooks/report.R"
else
	missing="$missing r-cran-rsqlite"
fi
[ -z "$missing" ] || skip "not tested, because they are not there:$missing"
