# SPDX-License-Identifier: GPL-3.0-or-later
# long: 7 s
# waits: for a stopped process
# capture app: eight threads make calls while the collector is stopped. With enough space, no call
# is lost. With little space, the threads wait for the collector.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}
cat >hammer.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static int fd, n = 20000;
static void *reader(void *arg)
{
	char c;
	for (int i = 0; i < n; i++)
		if (pread(fd, &c, 1, 0) != 1)
			_exit(1);
	return arg;
}
/* hammer [N MIB]: one thread makes N calls, and then maps so much memory */
int main(int argc, char **argv)
{
	pthread_t t[8];
	fd = open("file", O_RDONLY);
	if (argc > 2) {
		n = atoi(argv[1]);
		reader(NULL);
		return mmap(NULL, (size_t)atoi(argv[2]) << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
	}
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, reader, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	return 0;
}
END
$compiler -w -O1 -o hammer hammer.c -pthread || fail 'hammer.c does not compile'
echo x >file

# stopped LIMIT ARGUMENT...: the collector is stopped for the first second of hammer, which runs
# under ulimit LIMIT
stopped() {
	"$VALIDATE" capture app -o trace --root "$PWD" -- \
		sh -c ": >started; until [ -e begin ]; do sleep 0.05; done; ulimit $1; shift; exec ./hammer \"\$@\"" sh "$@" >out 2>err &
	collector=$!
	while [ ! -e started ]; do sleep 0.05; done
	kill -STOP "$collector"
	: >begin
	sleep 1.5
	kill -CONT "$collector"
	wait "$collector" || fail "$(cat err)"
	expect_line out 'ended with status 0'
	rm started begin
	"$VALIDATE" info trace --csv csv >/dev/null
}
stopped '-f unlimited'
[ "$(grep -c ',pread,' csv)" -eq 160000 ] || fail "$(grep -c ',pread,' csv) of 160000 calls are in the trace"
! grep -q 'are lost' out || fail "$(cat out)"

# the next capture removes the files of a killed capture; the command of the killed capture
# continues
mkdir scratch
mkfifo go
"$VALIDATE" capture app -o killed --scratch scratch --root "$PWD" -- \
	timeout 100 sh -c ': >started; read -r line <go; ./hammer; echo $? >ended' >out 2>err &
collector=$!
while [ ! -e started ]; do sleep 0.05; done
kill -KILL "$collector"
wait "$collector" 2>/dev/null || :
rm started
[ "$(ls scratch | wc -l)" -eq 1 ] || fail "scratch: $(ls scratch)"
touch -d '1 hour ago' scratch/validate-capture-*
expect_status 0 "$VALIDATE" capture app -o trace --scratch scratch --root "$PWD" -- ./hammer
[ -z "$(ls scratch)" ] || fail "left: $(ls scratch)"
echo >go
until [ -s ended ]; do sleep 0.05; done
[ "$(cat ended)" -eq 0 ] || fail "the command of a killed capture ended with $(cat ended)"
rm go ended

# buffers of 2 MiB for each process
stopped '-f 4096'
[ "$(grep -c ',pread,' csv)" -eq 160000 ] || fail "$(grep -c ',pread,' csv) of 160000 calls, with little room"

# of a limited address space the buffers take a sixteenth: the program has the rest
stopped '-v 131072' 800000 105
[ "$(grep -c ',pread,' csv)" -eq 800000 ] || fail "$(grep -c ',pread,' csv) of 800000 calls, with little address space"
