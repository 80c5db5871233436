/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted results directories: one file of a complete directory is edited; the loaded results are
 * analysed and printed as JSON and in another form.
 *
 * Input: which file, which run, then edits of that file's text: offset (2 bytes), number of bytes
 * to remove, number of bytes to insert, these bytes. The journal's checksums are recomputed after
 * the edits. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/crc32c.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "reports/forms.h"
#include "reports/reasons.h"
#include "validate/analysis/analysis.h"
#include "validate/campaign/environment.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char protocol_text[] =
    "[protocol]\nreplicates = 3\nbank = 1\n[target here]\ncache = cold\n"
    "[workload a]\ntype = random-read\nlevel = 1,2\n"
    "[replayer event]\norder = temporal\n[replayer again]\nengine = program\n";

enum { PROTOCOL, ENVIRONMENT, PLAN, JOURNAL, SUMMARY, N_FILES, N_RECORDS = 12 };
static const char *const names[] = {"protocol.conf", "environment.json", "plan.json", "journal"};

static char *dir;
/* summary[n_runs]; the journal's summary is its events, one per line */
static struct strbuf whole[SUMMARY], *summary;
static size_t n_runs;

static void put(const char *path, const struct strbuf *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert(fd >= 0 && write_all(fd, text->s, text->len) == 0);
	close(fd);
}

static void json_take(struct strbuf *to, json_t *o)
{
	assert(o);
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
	assert(text);
	strbuf_addstr(to, text);
	free(text);
	json_decref(o);
}

/* --- the directory as it is ---------------------------------------------- */

static void trace_make(const char *path, uint32_t run, bool timed)
{
	struct trace_writer *w;
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "tsc", .clock_resolution_ns = 1, .captured_by = "fuzz"};
	struct trace_write_options how = {.no_sync = true};
	uint32_t object;
	assert(!trace_writer_open(&w, path, &meta, &how, NULL) &&
	       !trace_writer_object(w, OBJECT_PATH, "f", &object, NULL));
	for (int i = 0; i < N_RECORDS; i++) {
		struct trace_record r = {.seq = (uint64_t)i,
					 .begin_ns = 1000 * i,
					 .end_ns = 1000 * i + 300 + (int64_t)(run * 37 + (uint32_t)i * 11) % 50,
					 .intended_ns = timed ? 1000 * i - 3 : TIME_NONE,
					 .dispatch_ns = TIME_NONE,
					 .offset = (uint64_t)i * 4096,
					 .length = 4096,
					 .rvalue = 4096,
					 .pid = 1,
					 .tid = 1 + (uint32_t)i % 2,
					 .object = object,
					 .fd = 3,
					 .heap = HEAP_NONE,
					 .op = OP_PREAD};
		assert(!trace_writer_append(w, &r, 1, NULL));
	}
	assert(!trace_writer_close(w, NULL));
}

static void run_make(const struct protocol *p, struct run *r)
{
	char *trace = xasprintf("%s/trace", dir), *input = xasprintf("%s/input", dir);
	bool replay = r->role == 0;
	r->state = r->id == 7 ? RUN_FAILED : RUN_OK;
	r->reason = r->id == 7 ? xstrdup("ended by signal 9") : NULL;
	r->run_s = 0.25;
	json_take(&whole[JOURNAL], run_to_event(r));
	strbuf_addch(&whole[JOURNAL], '\n');
	trace_make(input, 0, false);
	trace_make(trace, r->id, replay);
	assert(!summary_compute(&r->summary, trace, replay ? input : NULL, NULL, NULL));
	r->has_summary = true;
	json_take(&summary[r->id], run_summary_file(r, p));
	free(trace);
	free(input);
}

static void environment_take(void)
{
	json_t *o = environment_make("/proc/self/exe");
	json_object_set_new(o, "protocol",
			    json_pack("{s:s, s:s}", "name", "mine", "title", "title"));
	json_object_set_new(o, "targets",
			    json_pack("[{s:s, s:s, s:s, s:I, s:n}]", "name", "here", "dir", "/x",
				      "file_system", "ext4", "free_bytes", (json_int_t)1000000,
				      "device"));
	json_object_set_new(
	    o, "replaced_or_skipped",
	    json_pack("[{s:s, s:s, s:s}]", "what", "cgroup", "why", "none", "instead", "nothing"));
	json_object_set_new(o, "left_behind", json_pack("[s]", "file"));
	json_take(&whole[ENVIRONMENT], o);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	const char *tmp = getenv("TMPDIR");
	struct protocol p;
	struct design d;
	/* without gnuplot, which would need almost all of the time */
	setenv("PATH", "/nonexistent", 1);
	dir = xasprintf("%s/results-%d", tmp ? tmp : "/tmp", (int)getpid());
	char *runs = results_path(dir, "runs"), *conf = results_path(dir, names[PROTOCOL]);
	assert(!dir_create(runs, NULL));
	for (int i = 0; i < SUMMARY; i++)
		strbuf_init(&whole[i]);
	strbuf_addstr(&whole[PROTOCOL], protocol_text);
	put(conf, &whole[PROTOCOL]);
	assert(!protocol_read(&p, conf, NULL));
	design_make(&d, &p);
	json_take(&whole[PLAN], design_to_json(&d, &p));
	environment_take();
	n_runs = d.n_runs;
	summary = xcalloc(n_runs, sizeof *summary);
	struct run *run = results_runs_make(&d);
	for (size_t i = 0; i < n_runs; i++) {
		strbuf_init(&summary[i]);
		run_make(&p, &run[i]);
	}
	results_runs_free(run, n_runs);
	design_release(&d);
	protocol_release(&p);
	free(runs);
	free(conf);
	return 0;
}

/* --- edited -------------------------------------------------------------- */

static void edit(struct strbuf *text, const uint8_t *data, size_t size)
{
	while (size >= 4) {
		size_t at = (size_t)(data[0] << 8 | data[1]) % (text->len + 1), n_less = data[2],
		       n_more = data[3];
		data += 4, size -= 4;
		n_less = n_less < text->len - at ? n_less : text->len - at;
		n_more = n_more < size ? n_more : size;
		struct strbuf next = STRBUF_INIT;
		strbuf_add(&next, text->s, at);
		strbuf_add(&next, data, n_more);
		strbuf_add(&next, text->s + at + n_less, text->len - at - n_less);
		strbuf_release(text);
		*text = next;
		data += n_more, size -= n_more;
	}
}

/* Writes events with their checksums (doc/results.md). journal_append would wait for the disk after
 * each event. */
static void journal_put(const struct strbuf *events)
{
	struct strbuf sealed = STRBUF_INIT;
	char *path = results_path(dir, names[JOURNAL]);
	for (const char *line = events->s; *line;
	     line += strcspn(line, "\n"), line += *line == '\n') {
		json_t *o = json_loadb(line, strcspn(line, "\n"), 0, NULL);
		char *text = json_is_object(o) ? json_dumps(o, JSON_COMPACT) : NULL;
		if (text && strlen(text) > 2) {
			struct strbuf one = STRBUF_INIT;
			strbuf_addf(&one, "%.*s,\"seq\":0", (int)strlen(text) - 1, text);
			strbuf_addf(&one, ",\"crc\":\"%08x\"}\n", crc32c(0, one.s, one.len));
			strbuf_add(&sealed, one.s, one.len);
			strbuf_release(&one);
		}
		free(text);
		json_decref(o);
	}
	put(path, &sealed);
	strbuf_release(&sealed);
	free(path);
}

static void directory_put(void)
{
	for (int i = 0; i < SUMMARY; i++) {
		char *path = results_path(dir, names[i]);
		if (i == JOURNAL)
			journal_put(&whole[i]);
		else
			put(path, &whole[i]);
		free(path);
	}
	for (size_t i = 0; i < n_runs; i++) {
		char *path = results_run_path(dir, (uint32_t)i);
		put(path, &summary[i]);
		free(path);
	}
}

static bool is_json(const struct report_form *f)
{
	return !strcmp(f->name, "json");
}

/* Prints JSON, which is checked, and one other form. All forms would take too much time. */
static void report(const struct results *r, size_t which)
{
	struct analysis a;
	struct err e = ERR_INIT;
	size_t n = 0;
	if (analysis_compute(&a, r, &e) < 0) {
		assert(e.msg[0]);
		return;
	}
	analysis_word(&a);
	for (const struct report_form *const *f = report_forms; *f; f++)
		n += (*f)->print && !is_json(*f);
	which %= n;
	n = 0;
	for (const struct report_form *const *f = report_forms; *f; f++) {
		char *text = NULL;
		size_t len;
		if (!(*f)->print || (!is_json(*f) && n++ != which))
			continue;
		FILE *out = open_memstream(&text, &len);
		assert(out);
		int ret = (*f)->print(&a, out, &e);
		fclose(out);
		if (!ret && is_json(*f)) {
			json_t *o = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
			assert(o);
			json_decref(o);
		}
		free(text);
	}
	analysis_release(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool there;
	struct results r;
	struct err e = ERR_INIT;
	struct strbuf text = STRBUF_INIT;
	if (size < 2)
		return 0;
	if (!there)
		directory_put();
	there = true;
	int file = data[0] % N_FILES;
	size_t run = data[1] % n_runs;
	const struct strbuf *from = file == SUMMARY ? &summary[run] : &whole[file];
	char *path =
	    file == SUMMARY ? results_run_path(dir, (uint32_t)run) : results_path(dir, names[file]);
	strbuf_add(&text, from->s, from->len);
	edit(&text, data + 2, size - 2);
	if (file == JOURNAL)
		journal_put(&text);
	else
		put(path, &text);
	if (results_load(&r, dir, &e) == 0) {
		report(&r, data[1] / n_runs);
		results_release(&r);
	} else {
		assert(e.code && e.msg[0]);
	}
	if (file == JOURNAL)
		journal_put(from);
	else
		put(path, from);
	strbuf_release(&text);
	free(path);
	return 0;
}
