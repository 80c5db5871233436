# SPDX-License-Identifier: GPL-3.0-or-later
# A replay counts the mismatches of calls that overlapped a change of the same name or file by
# another thread, and names that reason.
. "$SRCDIR/tests/e2e/lib.sh"

# 2: overlaps the mkdir of thread 1 on the same name; 4: overlaps a rename to its directory;
# 5: overlaps nothing; 7: overlaps a call that changes nothing; 9: overlaps a change of another name
cat >in.csv <<'END'
pid,tid,begin,end,function,args,rvalue,error
1,1,0,100000,mkdir,"path=d;mode=0755",-1,EEXIST
1,2,10000,90000,mkdir,"path=d;mode=0755",0,
1,1,200000,300000,rename,"path=a;heap=622f63",-1,ENOENT
1,2,210000,290000,open,"path=b/c/x;flags=0x0",-1,ENOENT
1,1,400000,410000,mkdir,"path=d;mode=0755",0,
1,1,500000,600000,stat,"path=d",0,
1,2,510000,590000,mkdir,"path=d;mode=0755",0,
1,1,700000,800000,mkdir,"path=dd;mode=0755",0,
1,2,710000,790000,mkdir,"path=d;mode=0755",0,
END
mkdir -p dir/d dir/b/c
: >dir/b/c/x
for order in temporal none; do
	rm -rf dir/dd
	expect_status 0 "$VALIDATE" replay --order $order --dir dir -o replayed in.csv
	expect_line out 'mismatches      5'
	expect_line out 'note: 2 of them overlapped a call of another thread that changed the same name, file, lock or descriptor'
	"$VALIDATE" info --json replayed | grep -q '"n_mismatches_overlapped": *2' || fail 'the count in the metadata'
done
# without them there is no note
grep -v '^1,1,0,\|^1,2,10000\|rename\|open' in.csv >other.csv
rm -rf dir/dd
expect_status 0 "$VALIDATE" replay --dir dir other.csv
expect_line out 'mismatches      3'
! grep -q overlapped out || fail 'a note without a reason'

# two threads lock one file at a time
cat >lock.csv <<'END'
pid,tid,begin,end,function,args,rvalue,error
1,1,0,100,open,"path=f;flags=0x2",3,
1,1,200,300,write,"path=f;fd=3;offset=0;length=10",10,
1,1,400,600,flock,"path=f;fd=3;flags=0x6",0,
1,2,500,590,flock,"path=f;fd=3;flags=0x6",-1,EAGAIN
END
: >dir/f
expect_status 0 "$VALIDATE" replay --dir dir lock.csv
expect_line out 'mismatches      1'
expect_line out 'note: 1 of them overlapped'

# a signal interrupted the traced call
cat >signal.csv <<'END'
pid,tid,begin,end,function,args,rvalue,error
1,1,0,100,open,"path=f;flags=0x0",3,
1,1,200,300,read,"path=f;fd=3;offset=0;length=10",-1,EINTR
1,1,400,500,read,"path=f;fd=3;offset=0;length=10",10,
END
echo 0123456789 >dir/f
expect_status 0 "$VALIDATE" replay --dir dir signal.csv
expect_line out 'note: 1 of them were interrupted by a signal in the traced run (EINTR)'
