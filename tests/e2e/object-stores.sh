# SPDX-License-Identifier: GPL-3.0-or-later
# long: 23 s
# waits: for the due times of requests
# Traces of caches and object stores (doc/formats/others.md): their properties, and a client of a
# store that engine exec starts. Fidelity and issue times are judged, response times are not.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"
data=$SRCDIR/tests/data/formats
${CC:-cc} -O1 -D_GNU_SOURCE -o client "$SRCDIR/tests/programs/object-client.c"

# 60 requests, 5 ms apart, as IBM's traces have them
awk 'BEGIN { for (i = 0; i < 60; i++)
	printf "%d REST.%s.OBJECT %016x %s\n", 1000 + i * 5, i % 3 ? "GET" : "PUT", i % 7, i % 3 ? "4096 0 4095" : "4096" }' >store.txt
exec_with() { # OPTION...: of the client
	printf 'exec:export=csv,command=["%s/client","{trace}"%s],times=self:csv(begin=1,end=2,unit=us)' "$PWD" "$1"
}

for trace in store.txt "$data/kvcache.csv" "$data/object-store.txt" "$data/dlio.pfw"; do
	expect_status 0 "$VALIDATE" info --json "$trace"
	jq -e '.' out >/dev/null || fail "info $trace"
done
expect_status 0 "$VALIDATE" info "$data/kvcache.csv"
expect_line out 'pread'

# a replay: every line of the client belongs to a request
mkdir dir
expect_status 0 "$VALIDATE" replay --engine exec --export csv --command '["'"$PWD"'/client", "{trace}"]' --dir dir \
	--times 'self:csv(begin=1,end=2,unit=us)' -o replay.trace store.txt
expect_line out '60 of 60; times: self'

# judged against the recording: a client that keeps the times as far as the machine lets it, and one
# that ignores them
judged() { # DIR REPLAYER
	expect_verdict "$VALIDATE" judge --replicates 5 -o "$1" --with "$2" store.txt
	grep '"state":"failed"' "$1/journal" && fail "a run failed" || :
	component() { jq -r --arg c "$1" '.cells[] | select(.replayer | startswith("exec")) | .components[] | select(.component == $c) | .decision'; }
}
judged timed "$(exec_with '')"
expect_line err 'has a response time'
report=timed/report/report.json
[ "$(component bias <$report)" = 'not assessed' ] || fail "bias: $(component bias <$report)"
[ "$(component fidelity <$report)" != reject ] || fail 'fidelity of a client that issues every request'
judged fast "$(exec_with ',"fast"')"
jq -e '.cells[] | select(.replayer == "exec") | .leaning == "differs from the recording" and
	(.components[] | select(.component == "execution time") | .estimate.value < -0.9)' fast/report/report.json >/dev/null ||
	fail "a client that ignores the times: $(jq -c '.cells[0]' fast/report/report.json | head -c 900)"
