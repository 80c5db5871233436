# SPDX-License-Identifier: GPL-3.0-or-later
# Clocks that are set back during a campaign. With the monotonic clock, which gives the stamps,
# these runs fail with the reason, and other runs count. The wall clock has no effect.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

[ -z "${SANITIZE:-}" ] || skip 'a library is preloaded, which a sanitizer must be first of'
cat >back.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* SET_BACK=CLOCK:COMMAND: in processes of that subcommand ("all" for every one) the clock is set back 10 s once, when it was read
 * SET_BACK_READS times. */
int clock_gettime(clockid_t id, struct timespec *t)
{
	static int chosen, reads[16];
	int ret = (int)syscall(SYS_clock_gettime, id, t);
	const char *what = getenv("SET_BACK"), *n = getenv("SET_BACK_READS"), *colon = what ? strchr(what, ':') : NULL;
	if (ret || !colon || !n || id < 0 || id > 15 || id != atoi(what))
		return ret;
	if (!chosen) {
		char line[8192] = "";
		int fd = open("/proc/self/cmdline", O_RDONLY);
		if (fd >= 0 && read(fd, line, sizeof line - 2) < 0)
			line[0] = 0;
		chosen = !strcmp(colon + 1, "all") || !strcmp(line + strlen(line) + 1, colon + 1) ? 1 : -1;
		if (fd >= 0)
			close(fd);
	}
	if (chosen == 1 && ++reads[id] > atoi(n))
		t->tv_sec -= 10;
	return 0;
}
END
${CC:-cc} -shared -fPIC -O1 -o back.so back.c

tiny tiny.conf
status=0
SET_BACK=1:replay SET_BACK_READS=1 LD_PRELOAD=$PWD/back.so "$VALIDATE" run tiny.conf -o stamps -q >out 2>err || status=$?
any_verdict "with a clock set back in the replays"
complete stamps $N_TINY
clean stamps
# The fault is within the first pair of readings: between two pairs it would depend on chance with
# which reading the clock is compared. 8 replays by the engine, 20 runs of the program (8 of them as a
# replayer)
[ "$(grep -c '"state":"failed".*CLOCK_MONOTONIC went backwards by ' stamps/journal)" -eq 8 ] ||
	fail "not every replay failed for its clock: $(grep '"state":"failed"' stamps/journal | head -n 3)"
[ "$(journal_runs stamps | grep -c ok)" -eq $((N_TINY - 8)) ] || fail "other runs failed: $(grep failed stamps/journal | head -n 3)"
[ -s stamps/report/index.html ] || fail 'no report'

SET_BACK=0:all SET_BACK_READS=15 LD_PRELOAD=$PWD/back.so "$VALIDATE" run tiny.conf -o wall -q >out 2>err || status=$?
any_verdict "with the wall clock set back"
complete wall $N_TINY
[ "$(journal_runs wall | grep -c failed)" -eq 0 ] || fail "the wall clock made runs fail: $(grep failed wall/journal | head -n 3)"
tr -s '\n ' ' ' <wall/report/summary.txt | grep -q 'wall clock: set back by at least [0-9.]* s between two runs' ||
	fail "the report does not mention the clock: $(cat wall/report/summary.txt)"
grep -q 'wall clock: set back' stamps/report/summary.txt && fail 'a clock that went on was set back' || :
clean wall
