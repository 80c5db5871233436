# SPDX-License-Identifier: GPL-3.0-or-later
# A page of a mapping that was made for reading is written: the program made it writable by mprotect,
# which is not in a trace. The replay maps it for writing from the start.
. "$SRCDIR/tests/e2e/lib.sh"

head -c 16384 /dev/urandom >f
cat >trace.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,open,path=f;flags=0x0,3
1,1,20,30,mmap,fd=3;offset=0;length=16384;flags=0x20000002,140000000000000
1,1,40,50,page_fault,path=f;fd=-1;offset=4096;length=4096;flags=0x3,140000000004100
1,1,60,70,page_fault,path=f;fd=-1;offset=8192;length=4096;flags=0x1,140000000008200
1,1,80,90,munmap,path=f;offset=140000000000000;length=16384,0
1,1,100,110,close,fd=3,0
END
cp f before
for engine in event compiled; do
	expect_status 0 "$VALIDATE" replay --engine $engine --dir . trace.csv
	expect_line out 'mismatches      0'
	! grep -q '^skipped' out || fail "a touch was skipped: $(cat out)"
	cmp f before || fail 'a private mapping changed the file'
done
