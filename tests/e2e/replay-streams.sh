# SPDX-License-Identifier: GPL-3.0-or-later
# Positions of streams if a macro read a character that no request shows.
. "$SRCDIR/tests/e2e/lib.sh"

# as sed -s: it looks at the next character and puts it back; at the end there is none
cat >peek.csv <<'END'
pid,tid,begin,end,function,args,rvalue
1,1,0,10,fopen,"path=f;flags=0x0",3
1,1,20,30,getdelim,fd=3;flags=0xa,3
1,1,40,50,ungetc,fd=3;length=1,0
1,1,60,70,getdelim,fd=3;flags=0xa,3
1,1,80,90,ungetc,fd=3;length=1,0
1,1,100,110,getdelim,fd=3;flags=0xa,2
1,1,120,130,getdelim,fd=3;flags=0xa,0
1,1,140,150,fclose,fd=3,0
END
mkdir dir
printf 'ab\ncd\nef' >dir/f
expect_status 0 "$VALIDATE" replay --dir dir peek.csv
expect_line out 'mismatches      0'

# a character that fgetc took is put back, and taken again
sed 's/^1,1,40,50,/1,1,35,38,fgetc,fd=3;length=1,1\n&/' peek.csv >got.csv
expect_status 0 "$VALIDATE" replay --dir dir got.csv
expect_line out 'mismatches      0'
