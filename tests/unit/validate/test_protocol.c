/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/strbuf.h"
#include "microbench/microbench.h"
#include "validate/protocol/protocol.h"

/* Reads `len` bytes as a protocol file bad.conf; the message lacks the directory. */
static int read_bytes(const char *bytes, size_t len, struct protocol *p, struct err *e)
{
	char dir[] = "/tmp/test-protocol-XXXXXX", path[100];
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/bad.conf", dir);
	FILE *out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, len, out), len);
	assert_int_equal(fclose(out), 0);
	int ret = protocol_read(p, path, e);
	unlink(path);
	rmdir(dir);
	char *at = strstr(e->msg, dir);
	if (at)
		memmove(at, at + strlen(dir) + 1, strlen(at + strlen(dir) + 1) + 1);
	return ret;
}

static int read_text(const char *text, struct protocol *p, struct err *e)
{
	return read_bytes(text, strlen(text), p, e);
}

/* "..." stands for the valid rest of a protocol in which line numbers count from the start. */
#define PROTOCOL "[protocol]\n"
#define WORKLOAD "[workload a]\ntype = random-read\n"
#define REPLAYER "[replayer r]\nengine = event\n"

static const struct {
	const char *text, *message; /* the message's beginning */
} bad[] = {
    /* sections */
    {"", "bad.conf: section [protocol] is missing"},
    {WORKLOAD REPLAYER, "bad.conf: section [protocol] is missing"},
    {PROTOCOL REPLAYER, "bad.conf: a section [workload NAME] is missing"},
    {PROTOCOL WORKLOAD, "bad.conf: a section [replayer NAME] is missing"},
    {PROTOCOL WORKLOAD REPLAYER "[wokload b]\n",
     "bad.conf:6: unknown section [wokload] (did you mean [workload]?)"},
    {PROTOCOL WORKLOAD REPLAYER "[zzz]\n", "bad.conf:6: unknown section [zzz]"},
    {PROTOCOL "[target v]\nresponsiveness = yes\n" WORKLOAD REPLAYER,
     "bad.conf:3: responsiveness: \"yes\": this needs the key \"volume\", with a service model "
     "other than throttled"},
    {PROTOCOL
     "reference = trace\n[target v]\nvolume = hdd\nresponsiveness = yes\n" WORKLOAD REPLAYER,
     "bad.conf:5: responsiveness: \"yes\": this needs reference = rerun"},
    {PROTOCOL WORKLOAD REPLAYER "[compare x]\n", "bad.conf:6: the section is [compare], without a name"},
    {PROTOCOL WORKLOAD REPLAYER "[compare]\np9 = 5%\n", "bad.conf:7: "},
    {PROTOCOL WORKLOAD REPLAYER "[compare]\nresponse-time = 5\nprecision-ratio = 1\n",
     "bad.conf:8: precision-ratio"},
    {PROTOCOL WORKLOAD REPLAYER "[compare]\nenvironment = kernel,,\n", "bad.conf:7: environment"},
    {PROTOCOL WORKLOAD REPLAYER "[compare]\nold = r\n",
     "bad.conf:6: [compare] has only one of the keys \"old\" and \"new\": add the other"},
    {PROTOCOL WORKLOAD REPLAYER "[compare]\nold = r\nnew = rr\n",
     "bad.conf:8: new: unknown replayer \"rr\": the protocol has \"r\""},
    {PROTOCOL WORKLOAD REPLAYER "[protocol]\n",
     "bad.conf:6: [protocol] occurs twice, first at line 1"},
    {PROTOCOL WORKLOAD REPLAYER "[workload a]\ntype=random-read\n",
     "bad.conf:6: [workload a] occurs twice, first at line 2"},
    {PROTOCOL WORKLOAD REPLAYER REPLAYER, "bad.conf:6: [replayer r] occurs twice, first at line 4"},
    {PROTOCOL WORKLOAD REPLAYER "[target t]\n[target t]\n", "bad.conf:7: [target t] occurs twice"},
    {PROTOCOL WORKLOAD REPLAYER "[accept x]\n", "bad.conf:6: the section is [accept], without a name"},
    {PROTOCOL WORKLOAD REPLAYER "[target]\n", "bad.conf:6: [target] needs a name: [target NAME]"},
    {PROTOCOL WORKLOAD REPLAYER "[target a b]\n",
     "bad.conf:6: a section heading is [kind] or [kind name]"},
    {PROTOCOL WORKLOAD REPLAYER "[target a/b]\n", "bad.conf:6: \"a/b\" is not a name"},
    {PROTOCOL WORKLOAD REPLAYER "[target ../x]\n", "bad.conf:6: \"../x\" is not a name"},
    {PROTOCOL WORKLOAD REPLAYER "[target .x]\n", "bad.conf:6: \".x\" is not a name"},
    {PROTOCOL WORKLOAD REPLAYER "[target -x]\n", "bad.conf:6: \"-x\" is not a name"},
    {PROTOCOL WORKLOAD REPLAYER "[target abcdefghijabcdefghijabcdefghijabcdefghijk]\n",
     "bad.conf:6: \"abcdefghij"},
    {PROTOCOL WORKLOAD REPLAYER "[target a\n", "bad.conf:6: neither a [section] nor"},
    {PROTOCOL WORKLOAD REPLAYER "[target a] b\n",
     "bad.conf:6: unexpected text after the section heading: \"b"},
    {PROTOCOL WORKLOAD REPLAYER "[]\n", "bad.conf:6: a section heading is"},
    /* lines */
    {PROTOCOL "word\n" WORKLOAD REPLAYER, "bad.conf:2: neither a [section] nor \"key = value\""},
    {PROTOCOL "= 3\n" WORKLOAD REPLAYER, "bad.conf:2: the key before \"=\" is missing"},
    {PROTOCOL "seed =\n" WORKLOAD REPLAYER, "bad.conf:2: \"seed\" has no value"},
    {PROTOCOL "seed = ; nothing\n" WORKLOAD REPLAYER, "bad.conf:2: \"seed\" has no value"},
    {"seed = 1\n" PROTOCOL WORKLOAD REPLAYER, "bad.conf:1: \"seed\" is before the first [section]"},
    {PROTOCOL "seed = 1\nbank = 2\nseed = 1\n" WORKLOAD REPLAYER,
     "bad.conf:4: \"seed\" is given twice in its section, first at line 2"},
    {PROTOCOL "min_duration = 1s\nmin-duration = 1s\n" WORKLOAD REPLAYER,
     "bad.conf:3: \"min-duration\" is given twice"},
    {PROTOCOL "seed = 1\n  bank = 2\n" WORKLOAD REPLAYER,
     "bad.conf:3: an indented line continues the value of \"seed\""},
    {PROTOCOL "seed = 1 # odd\n" WORKLOAD REPLAYER,
     "bad.conf:2: seed: \"1 # odd\": a comment after a value begins"},
    {PROTOCOL "title = \xff\n" WORKLOAD REPLAYER, "bad.conf:2: byte 0xff is not UTF-8 text"},
    {PROTOCOL "title = \xc0\xaf\n" WORKLOAD REPLAYER, "bad.conf:2: byte 0xc0 is not UTF-8 text"},
    {PROTOCOL "title = \xed\xa0\x80\n" WORKLOAD REPLAYER,
     "bad.conf:2: byte 0xed is not UTF-8 text"},
    {PROTOCOL "title = \x1b[31m\n" WORKLOAD REPLAYER, "bad.conf:2: byte 0x1b is not UTF-8 text"},
    {PROTOCOL "title = \xe2\x82", "bad.conf:2: byte 0xe2 is not UTF-8 text"},
    /* [protocol] */
    {PROTOCOL "replicate = 3\n" WORKLOAD REPLAYER,
     "bad.conf:2: unknown key \"replicate\" (did you mean \"replicates\"?)"},
    {PROTOCOL "qqqqqqqq = 3\n" WORKLOAD REPLAYER,
     "bad.conf:2: unknown key \"qqqqqqqq\" (\"validate init --full -\" shows"},
    {PROTOCOL "replicates = 1\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: \"1\" is too small: at least 2 are needed"},
    {PROTOCOL "replicates = 0\n" WORKLOAD REPLAYER, "bad.conf:2: replicates: \"0\" is too small: at least 2"},
    {PROTOCOL "replicates = -5\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: expected a number or A..B"},
    {PROTOCOL "replicates = many\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: expected a number or A..B"},
    {PROTOCOL "replicates = 10..\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: expected a number or A..B"},
    {PROTOCOL "replicates = ..10\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: expected a number or A..B"},
    {PROTOCOL "replicates = 20..10\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: \"20..10\": the second number is smaller"},
    {PROTOCOL "replicates = 99999999\n" WORKLOAD REPLAYER,
     "bad.conf:2: replicates: \"99999999\" is too large: at most"},
    {PROTOCOL "bank = 0\n" WORKLOAD REPLAYER, "bad.conf:2: bank: \"0\": expected 1 to 21"},
    {PROTOCOL "bank = 22\n" WORKLOAD REPLAYER, "bad.conf:2: bank: \"22\": expected 1 to 21"},
    {PROTOCOL "seed = -1\n" WORKLOAD REPLAYER, "bad.conf:2: seed: \"-1\" is not a whole number"},
    {PROTOCOL "seed = 99999999999999999999\n" WORKLOAD REPLAYER,
     "bad.conf:2: seed: \"99999999999999999999\" is too large"},
    {PROTOCOL "min_duration = 200\n" WORKLOAD REPLAYER,
     "bad.conf:2: min-duration: \"200\" has no unit"},
    {PROTOCOL "min_duration = 3 parsecs\n" WORKLOAD REPLAYER,
     "bad.conf:2: min-duration: \"3 parsecs\" is not a duration"},
    {PROTOCOL "timeout = 300ms\n" WORKLOAD REPLAYER,
     "bad.conf:1: timeout must be at least twice min-duration"},
    {PROTOCOL "keep = some\n" WORKLOAD REPLAYER,
     "bad.conf:2: keep: \"some\" is not one of none, failed, all"},
    {PROTOCOL "on_failure = contineu\n" WORKLOAD REPLAYER,
     "bad.conf:2: on-failure: \"contineu\" is not one of continue, stop (did you mean "
     "\"continue\"?)"},
    {PROTOCOL "cpus = 0-\n" WORKLOAD REPLAYER, "bad.conf:2: cpus: "},
    {PROTOCOL "cpus = 3-1\n" WORKLOAD REPLAYER, "bad.conf:2: cpus: \"3-1\": expected a CPU"},
    {PROTOCOL "cpus = 100000\n" WORKLOAD REPLAYER, "bad.conf:2: cpus: \"100000\": expected a CPU"},
    {PROTOCOL "scheduler = fifo\n" WORKLOAD REPLAYER,
     "bad.conf:2: scheduler: \"fifo\" is not one of"},
    {PROTOCOL "scheduler = fifo:0\n" WORKLOAD REPLAYER,
     "bad.conf:2: scheduler: \"fifo:0\" is not one of"},
    {PROTOCOL "scheduler = rr:100\n" WORKLOAD REPLAYER,
     "bad.conf:2: scheduler: \"rr:100\" is not one of"},
    {PROTOCOL "scheduler = other:3\n" WORKLOAD REPLAYER,
     "bad.conf:2: scheduler: \"other:3\": policy other takes no priority"},
    {PROTOCOL "scheduler = deadline\n" WORKLOAD REPLAYER,
     "bad.conf:2: scheduler: \"deadline\": a process with this policy"},
    /* [target] */
    {PROTOCOL "[target t]\ncahce = cold\n" WORKLOAD REPLAYER,
     "bad.conf:3: unknown key \"cahce\" (did you mean \"cache\"?)"},
    {PROTOCOL "[target t]\ncache = cool\n" WORKLOAD REPLAYER,
     "bad.conf:3: cache: \"cool\" is not one of cold, warm, as-is"},
    {PROTOCOL "[target t]\ncache_budget = 4 bananas\n" WORKLOAD REPLAYER,
     "bad.conf:3: cache-budget: \"4 bananas\""},
    {PROTOCOL "[target t]\ncache_budget = 100\n" WORKLOAD REPLAYER,
     "bad.conf:3: cache-budget: \"100\": a memory cgroup below"},
    {PROTOCOL "[target t]\nmemory_limit = 100\n" WORKLOAD REPLAYER,
     "bad.conf:3: memory-limit: \"100\": a memory cgroup below"},
    {PROTOCOL "[target t]\ncache = warm\nmemory_limit = 4M\n" WORKLOAD REPLAYER,
     "bad.conf:4: memory-limit: \"4M\": it limits the page cache of a run"},
    {PROTOCOL "[target t]\ncache_budget = 4M\nmemory_limit = 8M\n" WORKLOAD REPLAYER,
     "bad.conf:3: cache-budget: \"4M\": use either cache-budget or memory-limit, not both"},
    {PROTOCOL "[target t]\ncache = warm\ncache_budget = 4M\n" WORKLOAD REPLAYER,
     "bad.conf:4: cache-budget: \"4M\": it limits the page cache of a run"},
    {PROTOCOL "[target t]\nqueue = nr_requests=64,none\n" WORKLOAD REPLAYER,
     "bad.conf:3: queue: \"none\": only the first"},
    {PROTOCOL "[target t]\nqueue = ../../x=1\n" WORKLOAD REPLAYER,
     "bad.conf:3: queue: \"../../x\" is not a queue setting"},
    {PROTOCOL "[target t]\nqueue = nr_requests=\n" WORKLOAD REPLAYER,
     "bad.conf:3: queue: \"\" is not a value"},
    /* [workload] */
    {PROTOCOL "[workload a]\nlevel = 1\n" REPLAYER, "bad.conf:2: [workload a]: the key \"type\" is missing"},
    {PROTOCOL "[workload a]\ntype = random-raed\n" REPLAYER,
     "bad.conf:3: type: \"random-raed\" is not a workload (did you mean \"random-read\"?)"},
    {PROTOCOL WORKLOAD "levle = 2\n" REPLAYER,
     "bad.conf:4: unknown key \"levle\" in [workload a] (did you mean \"level\"?)"},
    {PROTOCOL WORKLOAD "output = x\n" REPLAYER,
     "bad.conf:4: unknown key \"output\" in [workload a]"},
    {PROTOCOL WORKLOAD "dir = /etc\n" REPLAYER, "bad.conf:4: unknown key \"dir\" in [workload a]"},
    {PROTOCOL WORKLOAD "prepare = yes\n" REPLAYER,
     "bad.conf:4: unknown key \"prepare\" in [workload a]"},
    {PROTOCOL WORKLOAD "seed = 2\n" REPLAYER, "bad.conf:4: seed: belongs in [protocol]"},
    {PROTOCOL WORKLOAD "min_duration = 2s\n" REPLAYER,
     "bad.conf:4: min-duration: belongs in [protocol]"},
    {PROTOCOL WORKLOAD "level = 1,,2\n" REPLAYER, "bad.conf:4: level: \"1,,2\" has an empty item"},
    {PROTOCOL WORKLOAD "level = 1,2,\n" REPLAYER, "bad.conf:4: level: \"1,2,\" has an empty item"},
    {PROTOCOL WORKLOAD "level = 1,2,1\n" REPLAYER,
     "bad.conf:4: level: \"1\" occurs twice in the list"},
    {PROTOCOL WORKLOAD "level = 0\n" REPLAYER, "bad.conf:4: level: "},
    {PROTOCOL WORKLOAD "level = 1,two\n" REPLAYER,
     "bad.conf:4: level: \"two\" is not a whole number"},
    {PROTOCOL WORKLOAD "pause = 10\n" REPLAYER, "bad.conf:4: pause: \"10\" has no unit"},
    {PROTOCOL WORKLOAD "direct = maybe\n" REPLAYER,
     "bad.conf:4: direct: \"maybe\" is neither yes nor no"},
    {PROTOCOL WORKLOAD "direct = yes\nblock_size = 4096,1000\n" REPLAYER,
     "bad.conf:2: [workload a block-size=1000]: block-size 1000: option direct needs"},
    {PROTOCOL WORKLOAD "file_size = 1K\n" REPLAYER,
     "bad.conf:2: [workload a]: file-size 1 KiB: less than one block (block-size)"},
    {PROTOCOL WORKLOAD "think = exponential\n" REPLAYER,
     "bad.conf:2: [workload a]: think = exponential needs a mean pause"},
    {PROTOCOL WORKLOAD "target = t\n" REPLAYER,
     "bad.conf:4: target: the protocol has no section [target t]"},
    {PROTOCOL "[target t]\n[target u]\n" WORKLOAD REPLAYER,
     "bad.conf:4: [workload a] names no target"},
    /* [replayer] */
    {PROTOCOL WORKLOAD "[replayer r]\nengine = evnet\n",
     "bad.conf:5: engine: \"evnet\" is not a replay engine (did you mean \"event\"?)"},
    {PROTOCOL WORKLOAD REPLAYER "ordre = fs\n",
     "bad.conf:6: unknown key \"ordre\" in [replayer r] (did you mean \"order\"?)"},
    {PROTOCOL WORKLOAD REPLAYER "order = chaos\n",
     "bad.conf:6: order: \"chaos\" is not one of temporal"},
    {PROTOCOL WORKLOAD REPLAYER "order = fs,\n  fs\n",
     "bad.conf:6: order: \"fs\" occurs twice in the list"},
    {PROTOCOL WORKLOAD REPLAYER "dir = /\n", "bad.conf:6: unknown key \"dir\" in [replayer r]"},
    {PROTOCOL WORKLOAD REPLAYER "workloads = b\n",
     "bad.conf:6: workloads: the protocol has no section [workload b]"},
    {PROTOCOL WORKLOAD REPLAYER "mutant-workloads = a\n",
     "bad.conf:6: mutant-workloads: it applies only with the key \"mutant\", which this section lacks"},
    {PROTOCOL WORKLOAD "[workload b]\ntype = random-read\n" REPLAYER
		       "mutant = lost\nworkloads = a\nmutant-workloads = b\n",
     "bad.conf:10: mutant-workloads: the key \"workloads\" of this replayer does not select \"b\": "
     "add it there, or remove it here"},
    {PROTOCOL WORKLOAD "[replayer r]\nengine = program\norder = fs\n",
     "bad.conf:5: engine: the engine \"program\" runs the program itself"},
    {PROTOCOL WORKLOAD REPLAYER "mutant = explode\n", "bad.conf:4: [replayer r]: "},
    {PROTOCOL WORKLOAD "[workload b]\ntype = random-read\n" REPLAYER "workloads = a\n",
     "bad.conf: no replayer replays [workload b]"},
    /* [accept] */
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nbais = 1%\n",
     "bad.conf:7: unknown key \"bais\" (did you mean \"bias\"?)"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nbias = -1%\n",
     "bad.conf:7: bias: \"-1%\" is out of range"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nlinearty = 1%\n",
     "bad.conf:7: unknown key \"linearty\" (did you mean \"linearity\"?)"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nin-flight = 0\n",
     "bad.conf:7: in-flight: \"0\" is out of range"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nissue-error = 10\n", "bad.conf:7: issue-error: \"10\""},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nreorder-scope = none\n",
     "bad.conf:7: reorder-scope: \"none\" is not one of"},
    {PROTOCOL "sessions = 1\n" WORKLOAD REPLAYER, "bad.conf:2: sessions: \"1\": expected 2 to 10"},
    {PROTOCOL "sessions = 11\n" WORKLOAD REPLAYER, "bad.conf:2: sessions: \"11\": expected 2 to 10"},
    {"[protocol]\nreplicates = 3\nsessions = 2\n" WORKLOAD REPLAYER, "bad.conf:3: sessions: at least 4"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nbias = nan\n",
     "bad.conf:7: bias: \"nan\" is not a ratio"},
    {PROTOCOL WORKLOAD REPLAYER "[accept]\nprecision_ratio = 0.5\n",
     "bad.conf:7: precision-ratio: \"0.5\" is out of range"},
    /* too much */
    {PROTOCOL "replicates = 10000\n" WORKLOAD
	      "block_size = 512,1024,2048,4096,8192\nlevel = 1,2,3,4,5,6,7,8,9,10\n" REPLAYER,
     "bad.conf: 1500150 runs are planned, but at most 1000000"},
    {PROTOCOL WORKLOAD "level = 1,2,3,4,5,6,7,8,9,10\nblock_size = 1K,2K,3K,4K,5K,6K,7K,8K,9K,10K\n"
		       "pause = 1us,2us,3us,4us,5us,6us,7us,8us,9us,10us,11us\n" REPLAYER,
     "bad.conf:2: [workload a] makes a grid of 1100 scenarios: at most 1000"},
    {PROTOCOL WORKLOAD REPLAYER "speed = 1,2,3,4,5,6,7,8,9,10,11\nworkers = 1,2,3,4,5,6,7,8,9,10\n",
     "bad.conf:4: [replayer r] makes 110 variants: the protocol can have at most 100 replayers"},
};

static void test_bad(void **state)
{
	(void)state;
	size_t n_wrong = 0;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		int ret = read_text(bad[i].text, &p, &e);
		if (ret != -EINVAL && ret != -ERANGE && ret != -ENOENT)
			print_error("%zu: returned %d\n%s", i, ret, bad[i].text);
		else if (strncmp(e.msg, bad[i].message, strlen(bad[i].message)))
			print_error("%zu: expected \"%s\"\n   got \"%s\"\n", i, bad[i].message,
				    e.msg);
		else
			continue;
		n_wrong++;
		if (!ret)
			protocol_release(&p);
	}
	assert_int_equal(n_wrong, 0);
}

static void test_bad_bytes(void **state)
{
	(void)state;
	static const char nul[] = PROTOCOL "title = a\0b\n" WORKLOAD REPLAYER;
	struct protocol p;
	struct err e = ERR_INIT;
	assert_true(read_bytes(nul, sizeof nul - 1, &p, &e) < 0);
	assert_string_equal(e.msg, "bad.conf:2: byte 0x00 is not UTF-8 text");

	/* the longest line that inih can read, and a line longer by a byte */
	for (size_t len = 197; len <= 199; len++) {
		struct strbuf text = STRBUF_INIT;
		err_clear(&e);
		strbuf_addstr(&text, PROTOCOL "title = ");
		while (text.len < sizeof PROTOCOL - 1 + len)
			strbuf_addch(&text, 'x');
		strbuf_addstr(&text, "\n" WORKLOAD REPLAYER);
		int ret = read_text(text.s, &p, &e);
		if (len <= 198) {
			assert_int_equal(ret, 0);
			assert_int_equal(strlen(p.title), len - 8);
			protocol_release(&p);
		} else {
			assert_int_equal(ret, -EINVAL);
			assert_string_equal(e.msg, "bad.conf:2: the line is 199 bytes long, but at "
						   "most 198 can be read: continue it on an "
						   "indented line after a comma or a semicolon");
		}
		strbuf_release(&text);
	}
	err_clear(&e);
	assert_int_equal(protocol_read(&p, "/no/such/file.conf", &e), -ENOENT);
	assert_non_null(strstr(e.msg, "/no/such/file.conf"));
	err_clear(&e);
	assert_true(protocol_read(&p, "/", &e) < 0);
}

/* A list continues after a comma, a command after a semicolon. */
static void continued_lines(void **state)
{
	struct protocol p;
	struct err e = ERR_INIT;
	(void)state;
	if (read_text(PROTOCOL
		      "title = one, two;\n  three; ; a comment\n  four\n" WORKLOAD REPLAYER,
		      &p, &e))
		fail_msg("%s", e.msg);
	assert_string_equal(p.title, "one, two; three; four");
	protocol_release(&p);
}

static const char grid[] = "\xef\xbb\xbf; a byte order mark, CR LF, comments, continuation\r\n"
			   "[protocol]\r\n"
			   "replicates = 10..50 ; looks\r\n"
			   "seed = 7\r\n"
			   "bank=5\r\n"
			   "cpus = 0,\r\n"
			   "   1\r\n"
			   "[target disk]\n"
			   "cache_budget = 16M\n"
			   "[workload plain]\n"
			   "type = rr, sequential-write\n"
			   "level = 1,\n"
			   "  ; a comment between\n"
			   "  2, 4 ; and one behind\n"
			   "requests : 100\n"
			   "[workload paused]\n"
			   "type = random-read\n"
			   "pause = 10us,50us\n"
			   "[replayer event]\n"
			   "order = temporal, fs\n"
			   "workloads = plain\n"
			   "[replayer timed]\n"
			   "timing = timestamp\n"
			   "order = temporal\n"
			   "workloads = paused\n"
			   "[replayer again]\n"
			   "engine = program\n"
			   "[accept]\n"
			   "bias = 5%\n"
			   "mismatches = 3\n";

static void check_grid(const struct protocol *p)
{
	static const unsigned int looks[] = {10, 14, 20, 28, 40, 50};
	static const char *const names[] = {"plain type=rr level=1",
					    "plain type=rr level=2",
					    "plain type=rr level=4",
					    "plain type=sequential-write level=1",
					    "plain type=sequential-write level=2",
					    "plain type=sequential-write level=4",
					    "paused pause=10us",
					    "paused pause=50us"};
	static const size_t groups[] = {0, 0, 0, 1, 1, 1, 2, 3};
	assert_int_equal(p->n_looks, 6);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(p->look[i], looks[i]);
	assert_int_equal(p->n_scenarios, 8);
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(p->scenario[i].name, names[i]);
		assert_int_equal(p->scenario[i].group, groups[i]);
	}
	assert_string_equal(p->scenario[0].type, "random-read");
	assert_int_equal(p->scenario[5].level, 4);
	assert_int_equal(p->scenario[6].level, 1);
	assert_string_equal(p->cpus, "0, 1");
	assert_int_equal(p->n_replayers, 4);
	assert_string_equal(p->replayer[0].name, "event order=temporal");
	assert_true(p->replayer[0].total_order && !p->replayer[1].total_order &&
		    p->replayer[2].total_order);
	assert_true(!p->replayer[0].timed && p->replayer[2].timed);
	assert_string_equal(p->replayer[3].engine, "program");
	assert_false(p->replayer[3].total_order);
	for (size_t s = 0; s < 8; s++) {
		assert_int_equal(p->replayer[0].applies[s], s < 6);
		assert_int_equal(p->replayer[2].applies[s], s >= 6);
		assert_true(p->replayer[3].applies[s]);
	}
	/* 5 recordings of 8 scenarios; blocks 0..50 of 8 programs and 6 x 2 + 2 + 8 replays */
	assert_int_equal(protocol_n_runs(p), 5 * 8 + 51 * (8 + 12 + 2 + 8));
	assert_true(p->accept.bias > 0.0499 && p->accept.bias < 0.0501);
	assert_int_equal(p->accept.n_mismatched, 3);
	assert_int_equal(p->target[0].cache_budget_bytes, 16 << 20);
}

static void test_grid(void **state)
{
	(void)state;
	struct protocol p;
	struct err e = ERR_INIT;
	struct microbench_config c;
	if (read_text(grid, &p, &e) < 0)
		fail_msg("%s", e.msg);
	check_grid(&p);
	assert_string_equal(p.title, "bad");
	assert_int_equal(scenario_config(&p.scenario[7], &c, &e), 0);
	assert_int_equal(c.pause_ns, 50000);
	assert_int_equal(scenario_config(&p.scenario[1], &c, &e), 0);
	assert_int_equal(c.n_requests, 100);
	assert_int_equal(c.level, 2);
	protocol_release(&p);
}

/* The resolved form is a protocol with as many scenarios, variants and runs. */
static void test_resolved(void **state)
{
	(void)state;
	struct protocol p, again;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	assert_int_equal(read_text(grid, &p, &e), 0);
	protocol_print_resolved(&p, &text);
	if (read_text(text.s, &again, &e) < 0)
		fail_msg("%s\n%s", e.msg, text.s);
	assert_int_equal(again.n_scenarios, p.n_scenarios);
	assert_int_equal(again.n_replayers, p.n_replayers);
	assert_int_equal(protocol_n_runs(&again), protocol_n_runs(&p));
	for (size_t i = 0; i < p.n_scenarios; i++) {
		assert_string_equal(again.scenario[i].type, p.scenario[i].type);
		assert_int_equal(again.scenario[i].level, p.scenario[i].level);
	}
	for (size_t i = 0; i < p.n_replayers; i++)
		assert_memory_equal(again.replayer[i].applies, p.replayer[i].applies,
				    p.n_scenarios * sizeof(bool));
	assert_true(again.accept.bias == p.accept.bias);
	assert_int_equal(again.min_duration_ns, p.min_duration_ns);
	assert_string_equal(again.cpus, p.cpus);
	strbuf_release(&text);
	protocol_release(&p);
	protocol_release(&again);
}

static void test_defaults(void **state)
{
	(void)state;
	struct protocol p;
	struct err e = ERR_INIT;
	assert_int_equal(read_text(PROTOCOL "[workload random-read]\n"
					    "[replayer event]\n",
				   &p, &e),
			 0);
	assert_int_equal(p.n_replicates_min, 20);
	assert_int_equal(p.n_looks, 1);
	assert_int_equal(p.look[0], 20);
	assert_int_equal(protocol_n_bank(&p), 21);
	assert_int_equal(p.min_duration_ns, 200000000);
	assert_int_equal(p.n_targets, 1);
	assert_int_equal(p.target[0].cache, CACHE_COLD);
	assert_string_equal(p.replayer[0].engine, "event");
	/* METHODS: the default limits */
	assert_true(p.accept.bias == 0.10 && p.accept.precision_ratio == 2 &&
		    p.accept.uncertainty == 0.20);
	assert_true(p.accept.reordered == 0.01 && p.accept.execution_time == 0.10 &&
		    p.accept.execution_time_timed == 0.01 && p.accept.concurrency == 0.10);
	assert_int_equal(p.accept.n_mismatched, 0);
	assert_true(p.accept.linearity == 0.10 && p.accept.in_flight == 0.10 &&
		    p.accept.in_flight_max == 0.25);
	assert_true(p.accept.issue_error_ns == -1 && isnan(p.accept.share_late) &&
		    isnan(p.accept.repeatability));
	assert_true(isnan(p.accept.guard_band) && p.n_sessions == 0);
	assert_int_equal(p.accept.uncertainty_bias, UNCERTAINTY_BIAS_APART);
	assert_int_equal(p.accept.concurrency_by, CONCURRENCY_BY_TIME);
	protocol_release(&p);
	/* a section with the name of an engine is that engine */
	assert_int_equal(read_text(PROTOCOL "[workload random-read]\n"
					    "[replayer coordinator]\n[replayer other]\n"
					    "[replayer program]\n",
				   &p, &e),
			 0);
	assert_string_equal(p.replayer[0].engine, "coordinator");
	assert_string_equal(p.replayer[1].engine, "event");
	assert_string_equal(p.replayer[2].engine, "program");
	protocol_release(&p);
}

/* By default the component applies only if a slower volume changes nothing but response times. */
static void test_responsiveness(void **state)
{
	(void)state;
#define VOLUME "[target v]\nvolume = constant:time=1ms\n"
#define ON_VOLUME "[workload a]\ntype = block-random\ntarget = v\n"
#define LOAD "[replayer r]\nengine = block\nmode = load\n"
	static const struct {
		const char *text;
		bool slows;
	} rows[] = {
	    {PROTOCOL VOLUME ON_VOLUME LOAD, true},
	    {PROTOCOL VOLUME "responsiveness = no\n" ON_VOLUME LOAD, false},
	    {PROTOCOL "replicates = 5\n" VOLUME ON_VOLUME LOAD, false},
	    {PROTOCOL "replicates = 5\n" VOLUME "responsiveness = yes\n" ON_VOLUME LOAD, true},
	    {PROTOCOL VOLUME ON_VOLUME "rate = 100\n" LOAD, false},
	    {PROTOCOL VOLUME ON_VOLUME "[replayer r]\nengine = block\nmode = hf\n", false},
	    {PROTOCOL "[target v]\nvolume = throttled:read-iops=100\n" ON_VOLUME LOAD, false},
	    {PROTOCOL "reference = trace\n" VOLUME ON_VOLUME LOAD, false},
	    {PROTOCOL "[target v]\ndevice = /dev/null\n" ON_VOLUME LOAD, false},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct protocol p;
		struct err e = ERR_INIT;
		if (read_text(rows[i].text, &p, &e))
			fail_msg("%s", e.msg);
		if (protocol_slows(&p, 0) != rows[i].slows)
			fail_msg("%s", rows[i].text);
		protocol_release(&p);
	}
}

/* Every limit, and "none" for every limit that may be none; the resolved form states the same. */
static void test_limits(void **state)
{
	(void)state;
	struct strbuf text = STRBUF_INIT, resolved = STRBUF_INIT;
	struct protocol p, again;
	struct err e = ERR_INIT;
	for (int none = 0; none < 2; none++) {
		strbuf_reset(&text);
		strbuf_addstr(&text, PROTOCOL "sessions = 4\n" WORKLOAD REPLAYER "[accept]\n");
		for (const struct option_spec *o = accept_keys; o->name; o++)
			if (o->type == OPT_CHOICE)
				strbuf_addf(&text, "%s = %s\n", o->name, o->choices[1]);
			else
				strbuf_addf(&text, "%s = %s\n", o->name,
					    none			? "none"
					    : o->type == OPT_DURATION ? "10us"
					    : o->type == OPT_RATIO	? "7%"
									: "3");
		if (read_text(text.s, &p, &e) < 0)
			fail_msg("%s", e.msg);
		assert_true(none ? isnan(p.accept.guard_band) : p.accept.guard_band == 3);
		assert_true(none ? p.accept.issue_error_ns == -1
				 : p.accept.issue_error_ns == 10000);
		assert_true(none ? p.accept.n_mismatched == UINT64_MAX
				 : p.accept.n_mismatched == 3);
		assert_true(none ? isnan(p.accept.linearity) : p.accept.linearity == 0.07);
		strbuf_reset(&resolved);
		protocol_print_resolved(&p, &resolved);
		if (read_text(resolved.s, &again, &e) < 0)
			fail_msg("%s\n%s", e.msg, resolved.s);
		assert_memory_equal(&again.accept, &p.accept, sizeof p.accept);
		assert_int_equal(again.n_sessions, 4);
		protocol_release(&p);
		protocol_release(&again);
	}
	strbuf_release(&text);
	strbuf_release(&resolved);
}

/* [compare]: defaults, every limit and none; the resolved form has its own names for the two
 * replayers. */
static void test_compare(void **state)
{
	(void)state;
	struct strbuf resolved = STRBUF_INIT;
	struct protocol p, again;
	struct err e = ERR_INIT;
	assert_int_equal(read_text(PROTOCOL WORKLOAD REPLAYER, &p, &e), 0);
	assert_true(p.compare.response_time == 0.05 && p.compare.precision_ratio == 2 &&
		    p.compare.n_mismatched == 0);
	assert_null(p.compare.old);
	protocol_release(&p);
	const char *text = PROTOCOL WORKLOAD REPLAYER
	    "[replayer s]\norder = fs, temporal\n[compare]\nresponse-time = 7%\np999 = none\n"
	    "mismatches = none\nold = r\nnew = s order=fs\nenvironment = kernel, clock\n";
	if (read_text(text, &p, &e) < 0)
		fail_msg("%s", e.msg);
	assert_true(p.compare.response_time == 0.07 && isnan(p.compare.p999) &&
		    p.compare.n_mismatched == UINT64_MAX);
	protocol_print_resolved(&p, &resolved);
	if (read_text(resolved.s, &again, &e) < 0)
		fail_msg("%s\n%s", e.msg, resolved.s);
	assert_true(again.compare.response_time == 0.07 && isnan(again.compare.p999) &&
		    again.compare.n_mismatched == UINT64_MAX);
	assert_string_equal(again.compare.environment, "kernel, clock");
	assert_string_equal(again.compare.new, "replayer-1");
	protocol_release(&p);
	protocol_release(&again);
	strbuf_release(&resolved);
}

/* A mutant that acts in one scenario of a section, given by the name of the scenario; the resolved
 * form states the same. */
static void test_mutant_in_one_scenario(void **state)
{
	(void)state;
	struct strbuf resolved = STRBUF_INIT;
	struct protocol p, again;
	struct err e = ERR_INIT;
	const char *text = PROTOCOL WORKLOAD
	    "level = 1, 2\n" REPLAYER "[replayer s]\nmutant = lost\nmutant-workloads = a level=2\n";
	if (read_text(text, &p, &e) < 0)
		fail_msg("%s", e.msg);
	protocol_print_resolved(&p, &resolved);
	if (read_text(resolved.s, &again, &e) < 0)
		fail_msg("%s\n%s", e.msg, resolved.s);
	const struct replayer *both[] = {&p.replayer[1], &again.replayer[1]};
	for (size_t i = 0; i < 2; i++) {
		assert_true(both[i]->applies[0] && both[i]->applies[1]);
		assert_string_equal(both[i]->option[0].key, "mutant");
		assert_false(replayer_option_acts(both[i], 0, 0));
		assert_true(replayer_option_acts(both[i], 0, 1));
	}
	protocol_release(&p);
	protocol_release(&again);
	strbuf_release(&resolved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(continued_lines),     cmocka_unit_test(test_bad),
	    cmocka_unit_test(test_bad_bytes),      cmocka_unit_test(test_grid),
	    cmocka_unit_test(test_resolved),       cmocka_unit_test(test_defaults),
	    cmocka_unit_test(test_responsiveness), cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_compare),        cmocka_unit_test(test_mutant_in_one_scenario),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
