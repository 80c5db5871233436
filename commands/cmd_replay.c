/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate replay: issues the requests of a trace again and writes the replay as a trace. */
#include <sys/prctl.h>
#include <sys/wait.h>

#include "commands/commands.h"
#include "commands/open_options.h"
#include "capture/csv_args.h"
#include "common/units.h"
#include "reports/escape.h"
#include "replay/engines/adapters/times.h"
#include "replay/load/reads.h"
#include "replay/plan/mutant.h"
#include "replay/engines/block/block_touched.h"
#include "replay/replay.h"

static const char synopsis[] = "[options] --dir DIR [-o OUT] TRACE\n[options] --device DEVICE [-o "
			       "OUT] TRACE\n--list-engines | --list-mutants";
static const char about[] =
	"Issues the requests of TRACE again, inside DIR or on DEVICE, and prints the\n"
	"result. With -o, writes the replay trace: its record i describes the replay of\n"
	"record i of TRACE. Return values that differ from the trace are counted and\n"
	"reported.\n"
	"\n"
	"Orders: temporal (traced order; requests that overlapped may overlap again),\n"
	"temporal-serial (one request at a time), fs (each request after those on which\n"
	"it depends), thread (order within each thread), none.\n"
	"Timings: fullspeed, timestamp (traced times), think (traced pauses).\n"
	"Modes on a device: hf (traced times), afap (as fast as possible), load (traced\n"
	"number in flight), dep (each request after those on which it depends). Traced\n"
	"writes overwrite the content of DEVICE.\n"
	"\n"
	"Exit status: 0 done, even if return values differ; 2 wrong usage; 3 failed, or\n"
	"stopped at a mismatch (--stop-on-mismatch); 6 refused for safety.";

static void line_of_duration(const char *what, double ns, double traced_ns)
{
	printf("%-16s%s (trace: %s)\n", what, duration_text(ns).s, duration_text(traced_ns).s);
}

static void result_print(int64_t result)
{
	if (result < 0)
		printf("failure (%s)", strerror((int)-result));
	else
		printf("%" PRId64, result);
}

/* Prints a path of a trace so that a terminal is safe: control characters (also those of UTF-8) and
 * invalid bytes appear as \ooo. */
static void path_print(const char *path)
{
	const unsigned char *p = (const unsigned char *)path;
	for (size_t left = strlen(path), n; left; p += n, left -= n) {
		n = utf8_char_len(p, left);
		const bool control =
		    *p < 0x20 || *p == 0x7f || (*p == 0xc2 && n == 2 && p[1] < 0xa0);
		if (n && !control && *p != '\\') {
			fwrite(p, 1, n, stdout);
			continue;
		}
		n = 1; /* the bytes that follow a control byte do not belong to its character */
		printf("\\%03o", *p);
	}
}

static void mismatches_print(const struct replay_summary *s)
{
	printf("%-16s%" PRIu64, "mismatches", s->n_mismatches);
	if (!s->n_mismatches) {
		putchar('\n');
		return;
	}
	printf("; the first: request %" PRIu64 " returned ", s->mismatch[0].seq);
	result_print(s->mismatch[0].actual);
	fputs(" instead of ", stdout);
	result_print(s->mismatch[0].expected);
	putchar('\n');
	printf("%-16s", "  by operation");
	for (unsigned int op = 0, n = 0; op < OP_N; op++)
		if (s->n_mismatches_of[op])
			printf("%s%s %" PRIu64, n++ ? ", " : "", op_name(op),
			       s->n_mismatches_of[op]);
	putchar('\n');
	for (uint64_t i = 0; i < s->n_mismatches && i < REPLAY_MISMATCHES_SHOWN; i++) {
		const struct replay_mismatch *m = &s->mismatch[i];
		printf("  request %" PRIu64 ": %s", m->seq, op_name(m->op));
		if (*m->path) {
			fputs(" of ", stdout);
			path_print(m->path);
		}
		fputs(" returned ", stdout);
		result_print(m->actual);
		fputs(" instead of ", stdout);
		result_print(m->expected);
		putchar('\n');
	}
	if (s->n_mismatches > REPLAY_MISMATCHES_SHOWN)
		printf("  and %" PRIu64 " more\n", s->n_mismatches - REPLAY_MISMATCHES_SHOWN);
	if (s->n_mismatches_overlapped)
		printf("note: %" PRIu64 " of them overlapped a call of another thread that "
		       "changed the same name, file, lock or descriptor. The order of this "
		       "replay does not determine which call takes effect first. Use --order fs, "
		       "which derives the order of such calls from the traced results\n",
			s->n_mismatches_overlapped);
	if (s->n_mismatches_interrupted)
		printf("note: %" PRIu64 " of them were interrupted by a signal in the traced run "
			"(EINTR); a replay sends no signals\n", s->n_mismatches_interrupted);
	if (s->n_mismatches_privileged)
		printf("note: %" PRIu64 " of them failed in the traced run because of a missing "
			"permission (EACCES, EPERM) or a flag of the file (immutable, "
			"append-only); this replay runs as root and sets no such flags\n",
			s->n_mismatches_privileged);
	if (s->n_mismatches_limited)
		printf("note: %" PRIu64 " of them failed or wrote less in the traced run because "
			"of a limit (EMFILE, EFBIG, ENOSPC, EDQUOT); a replay sets no such "
			"limits\n", s->n_mismatches_limited);
}

static void skipped_print(const struct replay_summary *s)
{
	const uint64_t n_causes = s->n_skipped_of[SKIP_CAUSE];
	if (n_causes)
		printf("%-16s%" PRIu64 " record%s of computing, signals and waits\n"
		       "                (the engine \"parallel\" replays them in its mode "
		       "\"causal\")\n",
		       "skipped", n_causes, n_causes == 1 ? "" : "s");
	if (s->n_skipped == n_causes)
		return;
	printf("%-16s%" PRIu64 " request%s:", "skipped", s->n_skipped - n_causes,
	       s->n_skipped - n_causes == 1 ? "" : "s");
	for (int i = SKIP_NONE + 1, n = 0; i < SKIP_N; i++)
		if (s->n_skipped_of[i] && i != SKIP_CAUSE)
			printf("%s %s %" PRIu64, n++ ? ";" : "", skip_reasons[i],
			       s->n_skipped_of[i]);
	putchar('\n');
}

static void issue_error_print(const struct replay_summary *s)
{
	const struct {
		const char *name;
		double ns;
	} row[] = {{"p50", s->issue_error_p50_ns},
		   {"p99", s->issue_error_p99_ns},
		   {"p99.9", s->issue_error_p999_ns},
		   {"max", s->issue_error_max_ns}};
	printf("%-16s", "issue error");
	for (size_t i = 0; i < sizeof row / sizeof *row; i++)
		printf("%s%s %s", i ? ", " : "", row[i].name, duration_text(row[i].ns).s);
	putchar('\n');
}

/* Prints the part of the issue error that the machine caused. */
static void cpu_delay_print(const struct replay_summary *s)
{
	printf(
	    "%-16s%" PRIu64 " request%s whose worker had no CPU at the issue time: delayed by %s "
	    "in total, by at most %s each",
	    "no CPU", s->n_cpu_delayed, s->n_cpu_delayed == 1 ? "" : "s",
	    duration_text(s->cpu_delay_ns).s, duration_text(s->cpu_delay_max_ns).s);
	if (s->n_cpu_delayed < s->n_timed)
		printf("; issue error of the others: p99 %s, max %s",
		       duration_text(s->others_p99_ns).s, duration_text(s->others_max_ns).s);
	putchar('\n');
}

/* Prints "WHAT N NOUN TEXT", with `noun` in the plural unless n is 1; nothing if n is 0. */
static void count_print(const char *what, uint64_t n, const char *noun, const char *text)
{
	if (n)
		printf("%-16s%" PRIu64 " %s%s%s\n", what, n, noun, n == 1 ? "" : "s", text);
}

static void block_print(const struct replay_summary *s)
{
	const struct block_summary *b = &s->block;
	if (!b->backend)
		return;
	printf("%-16s%s: %s\n", "backend", b->backend, b->backend_why);
	printf("%-16s%u at most (trace: %u); %" PRIu64 " submissions\n", "in flight",
	       b->most_in_flight, b->traced_in_flight, b->n_submissions);
	count_print("read only", b->n_turned, "write", " replayed by reading");
	count_print("moved", b->n_remapped, "request", " to another offset (--beyond)");
	count_print("rounded", b->n_rounded, "request", ", to whole blocks of the device");
	count_print("short", b->n_short, "transfer", " moved less than requested");
	for (size_t i = 0; i < b->n_errors; i++)
		printf("%-16s%" PRIu64 " request%s: %s\n", i ? "" : "failed", b->error[i].n,
		       b->error[i].n == 1 ? "" : "s", strerror(b->error[i].code));
	if (b->n_silent >= BLOCK_SILENT_MANY) {
		printf("note: every request from record %" PRIu64 " on failed (from %s after the "
			"start): the device or the storage below it has probably failed\n",
			b->silent_record, duration_text((double)b->silent_ns).s);
	}
	if (b->contended)
		puts("note: while other threads competed for the CPUs, workers slept until shortly "
		     "before each request instead of spinning, so some requests were issued late");
	for (const char *line = b->notes; *line; line += strcspn(line, "\n") + 1)
		printf("note: %.*s\n", (int)strcspn(line, "\n"), line);
}

/* Prints the output of --dry-run; nothing was changed. */
static int touched_print(const struct replay_config *c, struct block_touched *t)
{
	SCOPED_FREE char *real = realpath(c->device, NULL);
	printf("%-16s%s%s%s, %s\n", "device", c->device,
	       real && strcmp(real, c->device) ? ": " : "",
	       real && strcmp(real, c->device) ? real : "", size_text(t->device_bytes).s);
	count_print("would read", t->n_reads, "request", "");
	count_print("would write", t->n_writes, "request", "");
	count_print("would discard", t->n_discards, "request", "");
	count_print("would flush", t->n_flushes, "time", "");
	if (*t->refusal)
		printf("the replay would be refused: %s\n", t->refusal);
	if (!t->n_written)
		puts("nothing on the device would change");
	else
		printf("%-16s%s in %zu range%s of bytes:\n", "would be lost",
		       size_text(t->written_bytes).s, t->n_written, t->n_written == 1 ? "" : "s");
	for (size_t i = 0; i < t->n_written; i++)
		printf("%-16s%" PRIu64 " to %" PRIu64 "\n", "", t->written[i].from,
		       t->written[i].to - 1);
	bool refused = *t->refusal;
	block_touched_release(t);
	return refused ? EXIT_REFUSED : EXIT_OK;
}

static void balloon_print(const struct replay_summary *s)
{
	if (!s->balloon)
		return;
	printf("%-16sthe replay locked %s%s%s of memory in addition to its own %s, to limit the "
	       "page cache\n", "balloon",
	       size_text(s->balloon_least_bytes).s,
	       s->balloon_least_bytes == s->balloon_most_bytes ? "" : " to ",
	       s->balloon_least_bytes == s->balloon_most_bytes ? ""
							       : size_text(s->balloon_most_bytes).s,
	       size_text(s->own_memory_bytes).s);
}

static void captured_print(const struct captured_summary *c)
{
	if (c->n_requests)
		printf("%-16s%s for %" PRIu64 " request%s, read ahead into %s of locked memory;\n"
		       "%-16sfor %" PRIu64 " of them, the worker had to read the content itself\n",
		       "content", size_text(c->n_bytes).s, c->n_requests,
		       c->n_requests == 1 ? "" : "s", size_text(c->n_locked_bytes).s, "",
		       c->n_late);
	if (c->n_missing)
		printf("note: the content of %" PRIu64 " writing request%s was not captured; the "
		       "replay wrote other data\n",
		       c->n_missing, c->n_missing == 1 ? "" : "s");
}

static void memory_print(const struct replay_config *c, const struct replay_memory *m)
{
	if (m->ahead_bytes) {
		printf("%-16sthe replay kept %s of its plan of %s in memory at a time, %s; its "
		       "resident memory was at most %s while requests ran\n",
		       "memory", size_text(m->ahead_bytes).s, size_text(m->plan_bytes).s,
		       m->locked_bytes ? "locked" : "not locked (ulimit -l)",
		       size_text(m->peak_bytes).s);
		printf("%-16sworkers had to wait for %" PRIu64 " of %" PRIu64
		       " chunks of the plan\n",
		       "read ahead", m->n_late_chunks, m->n_chunks);
	} else if (m->whole) {
		printf("note: the plan takes %s, more than %s (--memory): %s\n",
		       size_text(m->plan_bytes).s, size_text(c->memory_bytes).s, m->whole);
	}
	if (m->ahead_bytes && m->scratch_in_memory)
		puts("note: the scratch file lies in memory; --scratch names a directory on "
		     "storage");
}

static bool is_untimed(const struct replay_summary *s)
{
	return s->adapter.times && !strcmp(s->adapter.times, times_name(ADAPTER_UNTIMED));
}

static void parallel_print(const struct replay_summary *s)
{
	const struct parallel_summary *p = &s->parallel;
	if (!p->n_ranks)
		return;
	printf("%-16s%s; %u rank%s on %u host%s: %s\n", "parallel", p->mode, p->n_ranks,
	       p->n_ranks == 1 ? "" : "s", p->n_hosts, p->n_hosts == 1 ? "" : "s", p->launcher);
	if (p->n_ranks > 1 && !p->uncertainty_ns)
		printf("%-16sall ranks use the same clock\n", "clocks");
	else if (p->n_ranks > 1)
		printf("%-16scompared before and after the run; differences are known to "
		       "within %s\n", "clocks", duration_text((double)p->uncertainty_ns).s);
	count_print("signals", p->n_signals, "signal", " from a traced thread to another that "
		       "waits for it");
	if (p->n_crowded)
		printf("note: the threads of %u rank%s share CPUs: there are more threads than "
		       "CPUs\n", p->n_crowded, p->n_crowded == 1 ? "" : "s");
}

static void adapter_print(const struct replay_summary *s)
{
	const struct adapter_summary *a = &s->adapter;
	if (!a->times)
		return;
	printf("%-16s", "replayer");
	shown_print(stdout, a->version, sizeof a->version);
	printf("%s%s of CPU time, %s of memory at most\n", *a->version ? ": " : "",
	       duration_text((double)a->cpu_ns).s, size_text(a->peak_bytes).s);
	if (!is_untimed(s))
		count_print("not seen", s->n_records - s->n_issued - s->n_skipped,
			    "request", " given to the replayer, with unknown times");
	count_print("extra", s->n_repeated, "request", " that the input does not have");
	count_print("ambiguous", a->n_ambiguous, "request",
		    " of the input with the same operation, object, offset and length as another "
		    "request");
	for (const char *line = a->notes; *line;
	     line += strcspn(line, "\n") + (line[strcspn(line, "\n")] == '\n')) {
		fputs("note: ", stdout);
		shown_print(stdout, line, strcspn(line, "\n"));
		putchar('\n');
	}
}

static void requests_print(const struct replay_summary *s)
{
	if (is_untimed(s)) {
		printf("%-16s%" PRIu64
		       " given to the replayer; their results are unknown (--times none)\n",
		       "requests", s->n_records - s->n_skipped);
		return;
	}
	printf("%-16s%" PRIu64 " of %" PRIu64, "requests", s->n_issued - s->n_causes_done,
	       s->n_records - s->n_causes);
	if (s->n_repeated && !s->adapter.times) /* of an adapter: adapter_print() */
		printf(", %" PRIu64 " repeated", s->n_repeated);
	if (s->n_failed)
		printf(", %" PRIu64 " failed%s", s->n_failed,
		       s->n_mismatches ? "" : " as in the trace");
	if (s->adapter.times) {
		printf("; times: %s\n", s->adapter.times);
		return;
	}
	printf("; %" PRIu64 " worker%s", s->n_workers, s->n_workers == 1 ? "" : "s");
	if (s->n_processes > 1)
		printf(" in %" PRIu64 " processes", s->n_processes);
	if (s->block.backend)
		putchar('\n');
	else
		printf(" for %" PRIu64 " traced thread%s\n", s->n_threads,
		       s->n_threads == 1 ? "" : "s");
}

static void summary_print(const struct replay_config *c, const struct replay_summary *s)
{
	requests_print(s);
	if (s->n_responses) {
		printf("%-16smean %s (trace: mean %s)\n", "response time",
		       duration_text(s->mean_response_ns).s,
		       duration_text(s->traced_mean_response_ns).s);
		line_of_duration("execution time", (double)s->elapsed_ns,
				 (double)s->traced_elapsed_ns);
	}
	if (c->reads == READS_ORIGINAL) {
		printf("%-16s%" PRIu64 " pages were not cached at capture: the replay read them;\n"
		       "%-16s%" PRIu64 " were cached at capture: %" PRIu64 " touched, %" PRIu64
		       " skipped because they are\n%-16snot cached now\n", "original cache",
		       s->n_pages_read, "", s->n_pages_touched + s->n_pages_left,
		       s->n_pages_touched, s->n_pages_left, "");
		if (s->n_pages_stayed)
			printf("note: %" PRIu64 " pages that were not cached at capture were "
				"cached in the replay, because they could not be dropped\n",
				s->n_pages_stayed);
	}
	if (s->n_clones_copied)
		printf("note: %" PRIu64 " %s: the file system of the target cannot share blocks "
			"between files\n",
		       s->n_clones_copied,
		       s->n_clones_copied == 1 ? "clone (FICLONE) was replayed as a copy"
					       : "clones (FICLONE) were replayed as copies");
	if (s->n_touches)
		printf("%-16spages of mapped files %" PRIu64 " times, %" PRIu64
		       " of them by writing\n",
		       "touched", s->n_touches, s->n_touches_writing);
	if (s->n_timed)
		issue_error_print(s);
	if (s->n_cpu_delayed)
		cpu_delay_print(s);
	if (c->cache == REPLAY_CACHE_COLD)
		printf("%-16s%s\n", "cache",
		       s->metadata == METADATA_DROPPED
			   ? "cold: pages, dentries and inodes were dropped just before the first "
			     "request"
			   : "cold pages, warm metadata: only root may drop dentries and inodes; "
			     "calls on names find them in memory");
	balloon_print(s);
	memory_print(c, &s->memory);
	captured_print(&s->captured);
	skipped_print(s);
	block_print(s);
	parallel_print(s);
	adapter_print(s);
	mismatches_print(s);
	if (s->n_sizes_unknown)
		printf("note: the trace does not show the size of %" PRIu64 " changed file%s; "
		       "--prepare made such files as small as the requests permit. A trace of "
		       "\"validate capture app --snapshot\" has the sizes\n", s->n_sizes_unknown,
		       s->n_sizes_unknown == 1 ? "" : "s");
	if (s->n_unknown_fd)
		printf("note: %" PRIu64
		       " request%s descriptors whose file is not in the trace; %s in the replay\n",
		       s->n_unknown_fd, s->n_unknown_fd == 1 ? " uses" : "s use",
		       s->n_unknown_fd == 1 ? "it fails" : "they fail");
	if (*s->scheduling_note)
		printf("note: %s\n", s->scheduling_note);
	if (s->n_input_lost)
		printf("note: the input is incomplete: %" PRIu64 " %s lost during the capture\n",
		       s->n_input_lost, s->n_input_lost == 1 ? "event was" : "events were");
}

static int list_engines(void)
{
	SCOPED_STRBUF lines = STRBUF_INIT, out = STRBUF_INIT;
	for (const struct replay_engine *const *g = replay_engines; *g; g++)
		strbuf_addf(&lines, "%-11s  %s\n", (*g)->name, (*g)->help);
	text_fit(&out, lines.s, terminal_columns());
	fputs(out.s, stdout);
	return EXIT_OK;
}

static int list_mutants(void)
{
	for (const struct fault *f = faults; f->name; f++) {
		char name[64];
		snprintf(name, sizeof name, "%s%s%s", f->name, f->usual ? ":" : "",
			 f->usual ? f->usual : "");
		printf("%-20s%s%s\n", name, f->help,
		       f->timed ? " (timing timestamp or think)" : "");
	}
	return EXIT_OK;
}

/* process of the replay, to which signals of this process are passed */
static volatile sig_atomic_t runs;

static void signal_forward(int number)
{
	if (runs > 0)
		kill(runs, number);
}

/* --no-keep: the replay runs in a child process, so that its files are removed in any case. Returns
 * -1 in the child, otherwise the exit status. */
static int replay_in_child(const char *trace, const struct replay_config *c, struct err *e)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction action = {.sa_handler = signal_forward, .sa_flags = SA_RESTART}, usual[4];
	const pid_t self = getpid();
	int status = 0, one;
	sigset_t held, before;
	sigemptyset(&held);
	for (int i = 0; i < 4; i++)
		sigaddset(&held, signals[i]);
	fflush(NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* no signal may arrive before the PID of the child is known */
	sigprocmask(SIG_BLOCK, &held, &before);
	const pid_t child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return getppid() == self ? -1 : EXIT_FAILED;
	}
	if (child < 0) {
		err_sys(e, errno, "cannot start the replay");
		return EXIT_FAILED;
	}
	runs = child;
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &action, &usual[i]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* also waits for descendants of the child, which may end shortly after it */
	for (pid_t ended; (ended = waitpid(-1, &one, 0)) > 0 || errno == EINTR;)
		status = ended == child ? one : status;
	runs = 0; /* from here on, signals wait until all files are removed */
	const int ret = replay_files_remove(trace, c, e);
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &usual[i], NULL);
	if (ret == -EPERM) {
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_REFUSED)
			err_clear(e); /* the child has printed it */
		return EXIT_REFUSED;
	}
	if (ret)
		return EXIT_FAILED;
	if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGINT || WTERMSIG(status) == SIGTERM ||
				    WTERMSIG(status) == SIGHUP))
		raise(WTERMSIG(status)); /* ends like the child, by its signal */
	if (WIFSIGNALED(status))
		err_set(e, ECANCELED, "the replay was ended by signal %d", WTERMSIG(status));
	return WIFSIGNALED(status) ? EXIT_FAILED : WEXITSTATUS(status);
}

static int replay_command(int argc, char **argv, struct err *e)
{
	struct replay_config c, standard;
	struct replay_summary s;
	int n_positional;
	replay_config_init(&c);
	standard = c;
	int status = command_parse(&cmd_replay, synopsis, about, replay_options, &c, argc, argv, 0,
				   1, &n_positional, e);
	if (status >= 0)
		return status;
	if (c.list_engines)
		return list_engines();
	if (c.list_mutants)
		return list_mutants();
	if (n_positional < 1)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "the argument TRACE is missing: usage is validate replay "
				    "%.*s",
				    (int)strcspn(synopsis, "\n"), synopsis);
	if (c.device && c.engine == standard.engine)
		c.engine = "block";
	const struct replay_engine *engine = replay_engine_find(c.engine);
	const enum trace_level level = engine ? engine->level : LEVEL_SYSCALL;
	const bool block = level ? level == LEVEL_BLOCK : c.device != NULL;
	if (block ? !c.device : !c.dir) {
		err_set(
		    e, EINVAL,
		    block ? "--device DEVICE is missing: name the block device or file that "
			    "gets the requests"
			  : "--dir DIR is missing: name the directory with the files of the "
			    "trace");
		return EXIT_USAGE;
	}
	if (replay_check(&c, e))
		return EXIT_USAGE;
	status = c.keep ? -1 : replay_in_child(argv[1], &c, e);
	if (status >= 0)
		return status;
	int ret = replay_run_summary(argv[1], &c, &s, e);
	if (ret && !s.n_refused)
		return ret == -EPERM ? EXIT_REFUSED : EXIT_FAILED;
	if (s.block.touched.is)
		return touched_print(&c, &s.block.touched);
	summary_print(&c, &s);
	warn_of_cut(argv[1], s.input_incomplete);
	if (ret)
		return ret == -EPERM ? EXIT_REFUSED : EXIT_FAILED;
	if (s.stopped)
		return command_fail(EXIT_FAILED, e, ECANCELED,
				    "stopped at the first mismatch (--stop-on-mismatch)");
	/* replayers of other projects may not report which error a request had */
	if (s.n_storage_errors && !s.adapter.times)
		return command_fail(EXIT_FAILED, e, EIO,
				    "the storage failed: %" PRIu64 " request%s failed with errors "
				    "that the trace does not have; the first: request %" PRIu64
				    ", %s", s.n_storage_errors, s.n_storage_errors == 1 ? "" : "s",
				    s.first_storage_error_seq, strerror(s.first_storage_error));
	return EXIT_OK;
}

const struct command cmd_replay = {"replay", "issue the requests of a trace again", replay_command};
