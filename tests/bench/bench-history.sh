#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Measures time and peak memory of `validate history show` on 10,000 entries: 100 charts of 100
# campaigns, and one chart of 10,000 campaigns (each in its own environment), in turn with sqlite3,
# which reads the same rows.
#
# usage: bench-history.sh [BUILD]; BENCH_ROUNDS=5
. "$(dirname "$0")/lib.sh"
command -v sqlite3 >/dev/null || { echo "sqlite3 is not there to make the history" >&2; exit 3; }

make_history() { # FILE CHARTS CAMPAIGNS ENVIRONMENTS: after a campaign that the program added itself
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

for name in wide long; do
	rm -f "$dir/rows" "$dir/page" "$dir/plain"
	i=0
	while [ $i -lt "$rounds" ]; do
		rm -rf "$dir/report"
		cost rows "$BUILD/validate" history show "$dir/$name"
		cost page "$BUILD/validate" history show "$dir/$name" -o "$dir/report"
		cost plain sqlite3 "$dir/$name" 'SELECT count(*), sum(mean_ln), sum(length(verdict)) FROM entry'
		i=$((i + 1))
	done
	printf 'validate history show, 10,000 entries, %s: %s s, peak %s MiB; with -o %s s; the rows read by sqlite3: %s s\n' "$name" \
		"$(seconds rows)" "$(peak rows)" "$(seconds page)" "$(seconds plain)"
done
