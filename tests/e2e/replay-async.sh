# SPDX-License-Identifier: GPL-3.0-or-later
# long: 7 s
# waits: for slow storage
# Asynchronous requests are in flight together in the replay, as many as in the trace. The storage,
# which needs 300 ms for each request, confirms it.
. "$SRCDIR/tests/e2e/lib.sh"
[ -c /dev/fuse ] || skip "no /dev/fuse"
root=$PWD/root
trap '"$VALIDATE" volume remove --root "$root" --all >/dev/null 2>&1 || :' EXIT
"$VALIDATE" volume create --root "$root" v --size 4M --no-loop --service constant:read=300ms,write=300ms --lead 0 >out 2>err ||
	skip "no FUSE mounts for this user: $(cat err)"

# eight submitted by one call and fetched by two, four each; the second four are in flight while one
# more is submitted
awk 'BEGIN {
	print "pid,tid,begin,end,function,args,rvalue"
	print "1,1,0,1000000,open,\"path=volume;fd=3;flags=0x4000;mode=0\",3"
	print "1,1,10000000,11000000,io_submit,\"fd=-1;length=8\",8"
	for (i = 0; i < 8; i++)
		printf "1,1,10000000,%s,aio_read,\"fd=3;offset=%d;length=4096\",4096\n", i < 4 ? "400000000" : "800000000", 65536 * i
	print "1,1,12000000,400000000,io_getevents,\"fd=-1;length=8\",4"
	print "1,1,401000000,402000000,io_submit,\"fd=-1;length=1\",1"
	print "1,1,401000000,800000000,aio_read,\"fd=3;offset=1048576;length=4096\",4096"
	print "1,1,403000000,800000000,io_getevents,\"fd=-1;length=8\",5"
	print "1,1,900000000,901000000,close,\"fd=3\",0"
}' >t.csv

most() { # FILE: requests at a time
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["function"] ~ /read/ { b[++n] = $at["begin"] + 0; e[n] = $at["end"] + 0 }
		END { for (i = 1; i <= n; i++) { k = 0; for (j = 1; j <= n; j++) k += b[j] <= b[i] && e[j] > b[i]; if (k > most) most = k }; print most + 0 }' "$1"
}

for how in '--order temporal' '--order fs' '--order thread' '--order temporal --processes' '--order fs --engine coordinator' \
	'--order thread --engine compiled --program-cache cache'; do
	"$VALIDATE" volume trace --root "$root" v -o /dev/null --reset >/dev/null || fail 'no trace'
	# shellcheck disable=SC2086 # options
	expect_status 0 "$VALIDATE" replay $how --dir "$root/v/mount" -o out.trace t.csv
	expect_line out 'mismatches      0'
	"$VALIDATE" volume trace --root "$root" v -o seen.trace >/dev/null && "$VALIDATE" info --csv seen.csv seen.trace >/dev/null ||
		fail 'no trace of the volume'
	n=$(most seen.csv)
	[ "$n" -ge 8 ] && [ "$n" -le 9 ] || fail "$how: $n in flight at the storage: $(cat seen.csv)"
done
expect_status 0 "$VALIDATE" replay --order temporal-serial --dir "$root/v/mount" -o out.trace t.csv
"$VALIDATE" info --csv serial.csv out.trace >/dev/null
[ "$(most serial.csv)" -eq 1 ] || fail "one at a time: $(cat serial.csv)"
