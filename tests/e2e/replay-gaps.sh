# SPDX-License-Identifier: GPL-3.0-or-later
# long: 7 s
# waits: for time limits
# A pause of years in a trace: timed replays are refused before the start, and the message names the
# record.
. "$SRCDIR/tests/e2e/lib.sh"

header=pid,tid,begin,end,function,args,rvalue
{
	echo $header
	echo '1,1,0,10,open,"path=f;flags=0x42;mode=0644",3'
	echo '1,1,20,30,write,"fd=3;length=1;path=f",1'
	echo '1,1,1136073600000000000,1136073600000000010,close,"fd=3;path=f",0'
} >years.csv
mkdir tree
for engine in event coordinator compiled; do
	for timing in timestamp think; do
		expect_status 3 timeout 60 "$VALIDATE" replay --engine $engine --timing $timing --dir tree years.csv
		expect_line err 'record 2: the replay would issue this request 315576 h 0 min after the previous request'
		expect_line err '--max-gap'
		[ -z "$(ls -A tree)" ] || fail "$engine, $timing: files were made"
	done
	expect_status 0 timeout 60 "$VALIDATE" replay --engine $engine --timing fullspeed --dir tree years.csv
	rm tree/f
done
# with processes, and in the modes of engine parallel that keep traced times
for how in '--processes --timing timestamp' '--engine parallel --mode causal' \
	'--engine parallel --mode think-limited' '--engine parallel --mode timing-accurate'; do
	case $how in *parallel*) [ -x "$BUILD/validate-mpi-replay" ] || continue ;; esac
	expect_status 3 timeout 60 "$VALIDATE" replay $how --dir tree years.csv
	expect_line err 'record 2: the replay would issue this request 315576 h'
	[ -z "$(ls -A tree)" ] || fail "$how: files were made"
done
# another replayer has a time limit
expect_status 3 timeout 60 "$VALIDATE" replay --engine exec --read-only --export csv --times none \
	--time-limit 1s --command 'sleep 100' --dir tree years.csv
expect_line err 'did not end within 1 s (time-limit)'
# at a higher speed, or with a longer permitted gap, it is replayed
sed 's/1136073600000000000/2000000000/; s/1136073600000000010/2000000010/' years.csv >seconds.csv
expect_status 3 "$VALIDATE" replay --timing timestamp --max-gap 1s --dir tree seconds.csv
expect_line err 'record 2: the replay would issue this request 2 s'
expect_status 0 "$VALIDATE" replay --timing timestamp --max-gap 1s --speed 4 --dir tree seconds.csv
rm tree/f
expect_status 0 "$VALIDATE" replay --timing timestamp --max-gap 3s --dir tree seconds.csv
rm tree/f
expect_status 0 "$VALIDATE" replay --timing timestamp --max-gap none --dir tree seconds.csv

# many gaps that are each allowed
{
	echo $header
	awk 'BEGIN { for (i = 0; i < 1100; i++) printf "1,1,%d000000000,%d000000010,mkdir,\"path=d%d;mode=0755\",0\n", i, i, i }'
} >many.csv
expect_status 3 timeout 60 "$VALIDATE" replay --timing timestamp --max-gap 1s --dir tree many.csv
expect_line err 'after the first request. The limit is 16 min 40 s (1000 times --max-gap)'

# engine block
awk 'BEGIN { for (i = 0; i < 4; i++)
	printf "%.0f,hm,0,Read,%d,4096,600\n", 128166372003061629 + (i > 2 ? 1e15 : i * 500), i * 4096 }' >in.csv
truncate -s 1M target
for mode in hf dep; do
	status=0
	timeout 60 "$VALIDATE" replay --device target --mode $mode in.csv >out 2>err || status=$?
	[ $status -eq 3 ] || fail "mode $mode: status $status: $(cat err)"
	expect_line err 'record 3: the replay would issue this request 27777 h'
done
expect_status 0 timeout 60 "$VALIDATE" replay --device target --mode afap in.csv
