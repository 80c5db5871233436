# SPDX-License-Identifier: GPL-3.0-or-later
# The JSON of validate metrics and validate stats matches its schema in doc/, in all forms.
# Mismatches are reported.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "jq is not there to read JSON"

faults() { # SCHEMA FILE
	jq -r --slurpfile schema "$SRCDIR/doc/$1-schema.json" -f "$SRCDIR/tests/e2e/json-schema.jq" "$2" || fail "no JSON: $2"
}
fits() { # SCHEMA COMMAND...
	schema=$1
	shift
	expect_status 0 "$VALIDATE" "$@"
	follows_schema "$schema" out
}
told() { # SCHEMA FILTER WANTED: the document in ./good, changed
	jq "$2" good >changed
	faults "$1" changed | grep -qF "$3" || fail "not reported for $1: $2"
}

# --- metrics: by number and by key, lost and failed requests, parts, thresholds, a warm-up, block level
mkdir files
expect_status 0 "$VALIDATE" microbench rr --level 2 --requests 200 --file-size 256K --dir files -o run.trace
expect_status 0 "$VALIDATE" replay --dir files --timing timestamp -o replay.trace run.trace
expect_status 0 "$VALIDATE" slice --skip 20 -o part.trace run.trace
fits metrics metrics --json run.trace replay.trace
cp out good
fits metrics metrics --json --match key run.trace part.trace
[ "$(jq .matching.n_lost out)" -gt 0 ] || fail "nothing is lost"
fits metrics metrics --json --warmup 10 --only response,order --scope all --observe issue run.trace replay.trace
fits metrics metrics --json --warmup 1us --dt 4 --bt 3 part.trace run.trace
fits metrics metrics --json --only concurrency run.trace replay.trace
fits metrics metrics --json --only lifetime,fidelity run.trace replay.trace
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,10,20,pread,"path=f;fd=3;offset=0;length=100",100'
	echo '1,1,5,30,pread,"path=f;fd=3;offset=100;length=100",-1'
	echo '1,2,30,25,pread,"path=f;fd=3;offset=200;length=100",100'
} >odd.csv
fits metrics metrics --json --lenient odd.csv odd.csv
[ "$(jq .reference.n_negative out)" = 1 ] || fail "no request ends before it begins"

fits metrics metrics --json --observe dispatch "$SRCDIR/tests/data/formats/sda.blkparse" "$SRCDIR/tests/data/formats/sda.blkparse"
# another order on a descriptor without a name, another result
{
	echo 'pid,tid,begin,end,function,args,rvalue'
	echo '1,1,0,10,pread,"fd=3;offset=0;length=5",5'
	echo '1,1,20,30,pread,"fd=3;offset=100;length=5",5'
} >nameless.csv
sed 's/offset=0/offset=1&/; s/offset=100/offset=0/; s/offset=1offset=0/offset=100/; $s/5$/4/' nameless.csv >other.csv
fits metrics metrics --json nameless.csv other.csv
all_members metrics
told metrics '.schema = 2' 'is not one of'
told metrics 'del(.matching.by)' 'no by'
told metrics '.matching.n_lost = "3"' 'string instead of integer'
told metrics '.order.issue.all.ro_inversions = 0.5' 'instead of integer'
told metrics '.order.issue.all.rd_density."0" = null' 'null instead of number'
told metrics '.concurrency.reference.conc_cdf_time[0] = "1"' 'conc_cdf_time[0]'
told metrics '.other = 1' 'other is not in the schema'
told metrics '.response[0].replay_ns.mode = 1' 'mode is not in the schema'

# --- stats: one sample, several, sessions, a series, values without a result
printf '100\n102\n98\n101\n99\n100\n103\n97\n100\n100\n' >ref
printf '101\n103\n99\n102\n100\n101\n104\n98\n101\n101\n' >near
printf '5\n5\n5\n' >equal
printf '0\n0\n' >zero
printf '5\n' >one
{
	echo day,us
	for day in 1 2 3 4 5 6; do
		for k in 1 2 3; do echo "d$day,$((100 + day % 2 + k + (day == 4) * 30))"; done
	done
} >days.csv
fits stats stats ref --json
fits stats stats ref near --json --paired --units us
cp out good
fits stats stats ref near equal --json --time-ordered --bootstrap 0
fits stats stats days.csv -C us --sessions day --json --bootstrap 0
sed '1s/$/,replay/; 2,$s/,\(.*\)/&,\1/' days.csv >days2.csv
fits stats stats days2.csv -C us,replay --sessions day --json --bootstrap 0
fits stats stats equal ref --json --bootstrap 0
fits stats stats zero ref --json --bootstrap 0
fits stats stats ref one --json --bootstrap 0
fits stats stats ref near --json --seed 18446744073709551615
expect_line out '"18446744073709551615"'
all_members stats
told stats '.verdict = "perhaps"' 'is not one of'
told stats 'del(.replays[0].comparison.status)' 'no status'
told stats '.reference.statistics.n = true' 'boolean instead of'
told stats '.reference.statistics.n = {"conf=0.95": []}' 'array instead of'
told stats '.reference.status.n = 3' 'number instead of'
told stats '.settings.resamples = 0.5' 'instead of integer'
told stats '.settings.seed = 0.5' 'number instead of'
