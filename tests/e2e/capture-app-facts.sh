# SPDX-License-Identifier: GPL-3.0-or-later
# Metadata of a trace of capture app: initially open descriptors, and memory over time.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip 'jq is not installed'
compiler=${CC:-cc}

extra() { # FILTER: of the extra metadata of ./trace
	"$VALIDATE" info trace --json | jq -r "[.. | .extra? // empty] | first | $1"
}

seq 100 >input
mkdir dir
# the descriptors that the first program inherits: their files and positions
exec 5<input 7<dir 8>>log
read -r _ <&5
expect_status 0 "$VALIDATE" capture app -o trace --root "$PWD" -- sh -c 'cat <&5 | wc -l; (true)' 5<&5 7<&7 8>&8
"$VALIDATE" info trace --json >json
row() { extra ".descriptors[] | select(.fd == $1) | $2"; }
[ "$(row 5 '.path + " " + .kind')" = 'input file' ] || fail "descriptor 5: $(row 5 .)"
[ "$(row 5 .position)" -ge 2 ] || fail "position of descriptor 5: $(row 5 .position)"
[ "$(row 7 '.path + " " + .kind')" = 'dir directory' ] || fail "descriptor 7: $(row 7 .)"
[ "$(row 8 '.path + " " + .kind')" = 'log file' ] || fail "descriptor 8: $(row 8 .)"
[ $(($(row 8 .flags) & 1025)) -eq 1025 ] || fail "flags of descriptor 8: $(row 8 .flags)"
[ "$(extra '[.descriptors[].pid] | unique | length')" = 1 ] || fail 'the table has more than the first program'
exec 5<&- 7<&- 8>&-

# the program allocates 64 MiB and later 64 MiB more; both appear over time, and shared memory is
# not counted twice
cat >eater.c <<'END'
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static void eat(void) { memset(malloc(64 << 20), 1, 64 << 20); nanosleep(&(struct timespec){0, 400000000}, NULL); }
int main(void)
{
	eat();
	if (fork() == 0) {
		nanosleep(&(struct timespec){0, 400000000}, NULL);
		_exit(0);
	}
	wait(NULL);
	eat();
	return 0;
}
END
$compiler -w -O0 -o eater eater.c
expect_status 0 "$VALIDATE" capture app -o trace --memory --memory-interval 10ms -- ./eater
[ "$(extra '.anonymous_memory | length')" -ge 5 ] || fail "only $(extra '.anonymous_memory | length') samples"
most=$(extra '[.anonymous_memory[].bytes] | max')
[ "$most" -ge $((128 << 20)) ] && [ "$most" -lt $((160 << 20)) ] || fail "at most $most bytes"
[ "$(extra '[.anonymous_memory[] | select(.bytes > 67108864 and .bytes < 83886080)] | length')" -ge 1 ] || fail 'the first half is not seen'
[ "$(extra '[.anonymous_memory[].t_ns] | . == sort')" = true ] || fail 'samples out of order'
[ "$(extra '[.anonymous_memory[].t_ns] | min >= 0')" = true ] || fail 'a sample before the beginning'

# samples are recorded only if the option --memory is given
expect_status 0 "$VALIDATE" capture app -o trace -- true
[ "$(extra 'has("anonymous_memory")')" = false ] || fail 'samples without the option'
expect_status 2 "$VALIDATE" capture app -o trace --memory --memory-interval 1us -- true
