# SPDX-License-Identifier: GPL-3.0-or-later
# Several processes wait for one lock: in the replay, they get it in the order of the trace.
. "$SRCDIR/tests/e2e/lib.sh"

# Process 3 requests the lock before process 2 and gets it after process 2. The requests of process
# 2 under the lock precede the continuation of process 3.
cat >waits.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,open,"path=lock;flags=0x42;mode=0644",3
1,1,20,30,flock,fd=3;flags=0x2,0
3,3,50,60,open,path=lock;flags=0x2,3
3,3,70,1500,flock,fd=3;flags=0xHOW,0
2,2,100,110,open,path=lock;flags=0x2,3
2,2,120,1100,flock,fd=3;flags=0xHOW,0
1,1,1000,1010,close,fd=3,0
2,2,1200,1210,open,"path=x;flags=0x41;mode=0644",4
2,2,1220,1230,close,fd=4,0
2,2,1240,1250,close,fd=3,0
3,3,1600,1610,open,path=x;flags=0x0,4
3,3,1620,1630,close,fd=4,0
END
sed 's/0xHOW/0x2/' waits.csv >exclusive.csv
sed '/^2,2,.*close,fd=3/d' exclusive.csv >ended.csv # its end alone releases the lock
for order in fs temporal; do
	expect_status 0 "$VALIDATE" deps --order $order --dot - ended.csv
	# order fs: after the last request of the process; order temporal: after the request that took the lock
	[ $order = fs ] && release=r8 || release=r5
	expect_line out "$release -> r3 [style=bold]"
	for engine in event compiled; do
		[ $engine = event ] || command -v cc >/dev/null || continue
		rm -rf dir
		mkdir dir
		expect_status 0 "$VALIDATE" replay --order $order --engine $engine --watchdog 5s --dir dir \
			exclusive.csv
		expect_line out 'mismatches      0'
	done
done

# processes with shared locks do not wait for each other
sed 's/0xHOW/0x1/; /^1,/d; /^2,2,.*close,fd=3/d' waits.csv >shared.csv
for order in fs temporal; do
	expect_status 0 "$VALIDATE" deps --order $order --dot - shared.csv
	! grep "^  r3 -> r1 .*bold" out ||
		fail "order $order: a shared lock waits for a shared lock"
done
