/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which campaigns can run in slices, how processes are paused, and the reason if slices are not
 * possible. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/validate/temp_dir.h"
#include "validate/protocol/pairing.h"

/* A protocol with one scenario. Returns the result of protocol_read. */
static int read_text(struct protocol *p, const char *settings, const char *workload,
		     const char *replayer, struct err *e)
{
	char *dir = temp_dir_make(), *path = xasprintf("%s/p.conf", dir);
	char *text = xasprintf("[protocol]\n%s\n[workload w]\n%s\nfile-size = 64K\n[replayer "
			       "r]\n%s\n[replayer event]\n",
			       settings, workload, replayer);
	file_put(dir, "p.conf", text, strlen(text));
	int ret = protocol_read(p, path, e);
	free(text);
	free(path);
	temp_dir_remove(dir);
	return ret;
}

#define EXEC "engine = exec\nexport = csv\ncommand = cat {trace}\n"
#define SELF "times = self:csv(begin=1, end=2, unit=us)\n"

static const struct {
	const char *settings, *workload, *replayer;
	const char *why;    /* part of the reason; NULL: slices are possible */
	enum pause_by by; /* of the replayer */
} cases[] = {
    {"", "type = random-read", "engine = event", NULL, PAUSE_GATE},
    {"pause = signal", "type = random-read", "engine = event", NULL, PAUSE_SIGNAL},
    {"", "type = random-read", "engine = coordinator", NULL, PAUSE_GATE},
    {"", "type = random-read", "engine = event\ntiming = timestamp", "its schedule continues", PAUSE_GATE},
    {"", "type = random-read\npause = 1ms", "engine = event", "pauses between its requests", PAUSE_GATE},
    {"", "type = random-read", EXEC "full-speed = yes", NULL, PAUSE_SIGNAL},
    {"", "type = random-read", EXEC "full-speed = yes\ntimes = preload", NULL, PAUSE_SIGNAL},
    {"", "type = random-read", EXEC, "its schedule continues", PAUSE_SIGNAL},
    {"", "type = random-read", EXEC SELF "full-speed = yes", "not those of the preloaded library", PAUSE_SIGNAL},
    {"pause = gate", "type = random-read", EXEC "full-speed = yes", "no gate", PAUSE_SIGNAL},
    {"pause = signal", "type = random-read", EXEC "full-speed = yes", "only at its gate", PAUSE_SIGNAL},
    {"", "type = random-read", "engine = fio", "its schedule continues", PAUSE_SIGNAL},
    {"", "type = random-read", "engine = fio\nfio-no-stall = yes", NULL, PAUSE_SIGNAL},
    {"", "type = random-read", "engine = artc", NULL, PAUSE_SIGNAL},
    {"", "type = random-read\nobserve = own", "engine = artc", "not those of the preloaded library", PAUSE_SIGNAL},
    {"pairing = runs", "type = random-read", "engine = event", "", PAUSE_GATE},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		const char *replayer;
		if (read_text(&p, cases[i].settings, cases[i].workload, cases[i].replayer, &e) < 0)
			fail_msg("case %zu: %s", i, e.msg);
		const bool sliced = scenario_is_sliced(&p, 0, &replayer, &e);
		if (sliced != !cases[i].why || (cases[i].why && !strstr(e.msg, cases[i].why)))
			fail_msg("case %zu: %s: %s", i, sliced ? "slices" : "runs", e.msg);
		assert_int_equal(pairing_pause(&p, 0), cases[i].by);
		assert_int_equal(scenario_n_seats(&p, 0), sliced ? 3 : 1);
		protocol_release(&p);
	}
}

static void test_asked_for(void **state)
{
	(void)state;
	struct protocol p;
	struct err e = ERR_INIT;
	assert_int_equal(read_text(&p, "pairing = slices", "type = random-read",
				   EXEC SELF "full-speed = yes", &e),
			 -EINVAL);
	assert_non_null(
	    strstr(e.msg, "pairing = slices is impossible for [workload w] with [replayer r]: "
			  "its times"));
	protocol_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases),
					   cmocka_unit_test(test_asked_for)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
