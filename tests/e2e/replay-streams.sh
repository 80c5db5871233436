# SPDX-License-Identifier: GPL-3.0-or-later
# Positions of streams if a macro read a character without a recorded request.
. "$SRCDIR/tests/e2e/lib.sh"

# as sed -s: it reads the next character and puts it back; at the end there is none
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

# a character that fgetc read is put back, and read again
sed 's/^1,1,40,50,/1,1,35,38,fgetc,fd=3;length=1,1\n&/' peek.csv >got.csv
expect_status 0 "$VALIDATE" replay --dir dir got.csv
expect_line out 'mismatches      0'

# fgets of lines that contain NULs: the trace has the number of bytes read, not the length of the
# text
preload_before_sanitizer
compiler=${CC:-cc}
cat >lines.c <<'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char line[6000];
	FILE *f = fopen("lines", "r");
	int n = 0;
	while (f && fgets(line, sizeof line, f))
		n++;
	rewind(f);
	n += fgets(line, 3, f) && fgets(line, 2, f) && fgetc(f) == '\n'; /* cut by their length */
	fseek(f, -1, SEEK_END);
	n += fgets(line, sizeof line, f) != NULL && !fgets(line, sizeof line, f);
	return n == 6 && feof(f) && !fclose(f) ? 0 : 1;
}
END
$compiler -w -O1 -o lines.program lines.c || fail 'lines.c does not compile'
rm -rf dir
mkdir dir
{
	printf 'a\0b\nyy\n'
	head -c 4090 /dev/zero | tr '\0' x # the stream's buffer ends in the next line
	printf 'c\0\0\0d\0\0\0\0\n\0'
} >lines
expect_status 0 "$VALIDATE" capture app --root . -o lines.trace -- ./lines.program
expect_line out 'ended with status 0'
"$VALIDATE" export -q --to csv lines.trace -o - | sed -n 's/.*,fgets,.*",\([0-9]*\).*/\1/p' | tr '\n' ' ' >got
[ "$(cat got)" = '4 3 4100 1 0 2 1 1 0 ' ] || fail "lengths of lines: $(cat got)"
for engine in event compiled; do
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir dir lines.trace
	expect_line out 'mismatches      0'
done

# an empty text is no character
cat >empty.c <<'END'
#include <stdio.h>
int main(void)
{
	FILE *f = fopen("empty", "w");
	int n = f ? fprintf(f, "%s", "") : 1;
	return n || fputs("x", f) < 0 || fprintf(f, "%s", "") || fclose(f);
}
END
$compiler -w -O0 -fno-builtin -o empty-text empty.c || fail 'empty.c does not compile'
expect_status 0 "$VALIDATE" capture app --root . -o empty.trace -- ./empty-text
expect_line out 'ended with status 0'
"$VALIDATE" info empty.trace --csv csv >/dev/null
[ "$(grep -c ',fprintf,' csv)" -eq 2 ] || fail "texts: $(cat csv)"
for engine in event compiled; do
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir dir empty.trace
	expect_line out 'mismatches      0'
	[ "$(stat -c %s dir/empty)" -eq 1 ] || fail "$engine: an empty text has $(stat -c %s dir/empty) bytes"
done

# a seek backwards from the end shows that the file has as many bytes, also without a later read
cat >back.c <<'END'
#include <stdio.h>
int main(void)
{
	FILE *f = fopen("long", "r");
	return !f || fseek(f, -5000, SEEK_END) || fclose(f);
}
END
$compiler -w -O1 -o back back.c || fail 'back.c does not compile'
head -c 6000 /dev/zero >long
expect_status 0 "$VALIDATE" capture app --root . -o back.trace -- ./back
expect_line out 'ended with status 0'
for engine in event compiled; do
	rm -rf dir
	mkdir dir
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir dir back.trace
	expect_line out 'mismatches      0'
done

# positions from the end of a stream that is only read, as zip and unzip take them
cat >end.c <<'END'
#include <stdio.h>
int main(void)
{
	char b[8];
	FILE *f = fopen("lines", "r");
	if (!f || fseek(f, -100, SEEK_END))
		return 1;
	long at = ftell(f);
	return at < 1000 || fread(b, 1, 8, f) != 8 || ftell(f) != at + 8 || fseek(f, -at, SEEK_CUR) ||
	       ftell(f) != 8 || fclose(f);
}
END
$compiler -w -o end end.c || fail 'end.c does not compile'
expect_status 0 "$VALIDATE" capture app --root . -o end.trace -- ./end
expect_line out 'ended with status 0'
for engine in event compiled; do
	for order in fs temporal; do
		expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir dir end.trace
		expect_line out 'mismatches      0'
	done
done
