#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Time and peak memory of `validate history show` on 10,000 entries: 100 charts of 100 campaigns, one chart of 10,000 campaigns (each in an
# environment of its own), in turn with a plain read of the same rows by sqlite3.
# usage: bench-history.sh [BUILD]; BENCH_ROUNDS=5
set -u
LC_ALL=C
export LC_ALL
SRCDIR=${SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=$(cd -- "${1:-${BUILD:-$SRCDIR/build}}" && pwd) || exit 3
rounds=${BENCH_ROUNDS:-5}
tool=$BUILD/tests/bench/summarise
[ -x "$tool" ] || { echo "$tool is missing: \"make bench\" builds it" >&2; exit 3; }
command -v sqlite3 >/dev/null || { echo "sqlite3 is not there to make the history" >&2; exit 3; }
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/validate-bench-XXXXXX") || exit 3
trap 'rm -rf "$dir"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

make_history() { # FILE CHARTS CAMPAIGNS ENVIRONMENTS: after one campaign that the program added itself
	"$BUILD/validate" history add "$1" "$SRCDIR/tests/data/compare/old.json" >"$dir/log" 2>&1 || exit 3
	sqlite3 "$1" "BEGIN;
		WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < $4)
			INSERT INTO environment SELECT i + 1, json_set((SELECT facts FROM environment WHERE id = 1), '\$.\"kernel.release\"', '6.1.' || i) FROM n;
		WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < $3)
			INSERT INTO campaign(campaign, date, label, environment) SELECT printf('%016x', i), '2026-01-01T00:00:00Z', 'build ' || i, 2 + i % $4 FROM n;
		WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < $2)
			INSERT INTO series(scenario, replayer) SELECT 'scenario ' || i, 'event' FROM n;
		INSERT INTO entry SELECT s.id, c.id, 30, ((s.id * 31 + c.id) * 7919 % 9973) / 1e6, 0.02, 0.01, 0, 0.02, 0.03, 19, 0.06, 'engine=event',
			'trusted', '' FROM series s, campaign c WHERE s.scenario LIKE 'scenario %' AND c.id > 1;
		COMMIT" || exit 3
}
make_history "$dir/wide" 100 100 10
make_history "$dir/long" 1 10000 10000

spread() {
	sort -n | awk -v f="$1" '{ x[NR] = $1 } END {
		m = NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2
		printf f " (" f " .. " f ")", m, x[1], x[NR] }'
}
for name in wide long; do
	rm -rf "$dir/rows" "$dir/page" "$dir/plain"
	i=0
	while [ $i -lt "$rounds" ]; do
		rm -rf "$dir/report"
		"$tool" cost "$BUILD/validate" history show "$dir/$name" >>"$dir/rows" 2>"$dir/log" &&
			"$tool" cost "$BUILD/validate" history show "$dir/$name" -o "$dir/report" >>"$dir/page" 2>"$dir/log" &&
			"$tool" cost sqlite3 "$dir/$name" 'SELECT count(*), sum(mean_ln), sum(length(verdict)) FROM entry' >>"$dir/plain" 2>"$dir/log" || {
			tail -n 3 "$dir/log" >&2
			exit 3
		}
		i=$((i + 1))
	done
	printf 'validate history show, 10,000 entries, %s: %s s, peak %s MiB; with -o %s s; the rows read by sqlite3: %s s\n' "$name" \
		"$(awk '{ print $1 }' "$dir/rows" | spread %.2f)" "$(awk '{ print $3 }' "$dir/rows" | sort -n | tail -n 1)" \
		"$(awk '{ print $1 }' "$dir/page" | spread %.2f)" "$(awk '{ print $1 }' "$dir/plain" | spread %.2f)"
done
