/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/format.h"

#include "capture/formats/foreign.h"
#include "capture/trace_split.h"
#include "capture/unseen.h"
#include "common/files.h"
#include "common/options.h"

const struct trace_format *const trace_formats[] = {FORMATS(FORMAT_ADDRESS) NULL};

const struct trace_format *format_find(const char *name)
{
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		if (!strcasecmp((*f)->name, name))
			return *f;
	return NULL;
}

const struct trace_format *trace_format_of(const struct trace *t)
{
	return t->format;
}

/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
static ssize_t read_head(const char *path, unsigned char *head, size_t cap)
{
	SCOPED_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	return read_all_at(fd, head, cap, 0);
}

/* Advice for files that must be unpacked or converted first; NULL: none. */
static const char *advice_of(const unsigned char *head, size_t len)
{
	static const struct {
		const char *magic;
		size_t len;
		const char *what;
	} known[] = {
	    {"\x1f\x8b\x08", 3, "compressed by gzip: unpack it first (zcat FILE >TRACE)"},
	    {"\x28\xb5\x2f\xfd", 4, "compressed by zstd: unpack it first (zstdcat FILE >TRACE)"},
	    {"\xfd" "7zXZ", 5, "compressed by xz: unpack it first (xzcat FILE >TRACE)"},
	    {"BZh", 3, "compressed by bzip2: unpack it first (bzcat FILE >TRACE)"},
	    {"\x04\x22\x4d\x18", 4, "compressed by lz4: unpack it first (lz4cat FILE >TRACE)"},
	    {"PK\3\4", 4, "a zip archive: unpack it first (unzip FILE)"},
	    {"7z\xbc\xaf", 4, "a 7-Zip archive: unpack it first"},
	    {"\xff\xfe", 2,
	    "text of 16-bit characters: convert it first (iconv -f UTF-16 -t UTF-8 FILE >TRACE)"},
	    {"\xfe\xff", 2,
	    "text of 16-bit characters: convert it first (iconv -f UTF-16 -t UTF-8 FILE >TRACE)"},
	    {"PERFILE2", 8, "a binary perf.data file: convert it to text first (perf script -i "
	    	       "FILE >TRACE)"},
	    {"\x17\x08" "Dtracing", 10,
	    "a binary trace.dat file of trace-cmd: convert it to text first (trace-cmd report -i "
	    "FILE >TRACE)"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (len >= known[i].len && !memcmp(head, known[i].magic, known[i].len))
			return known[i].what;
	return NULL;
}

int trace_format_detect(const struct trace_format **best, const char *path, struct err *e)
{
	unsigned char head[FORMAT_HEAD_BYTES];
	int best_bid = 0;
	*best = NULL;
	ssize_t len = read_head(path, head, sizeof head);
	if (len == -ESPIPE)
		return err_set(e, ESPIPE,
			"%s: a trace must be a file that can be read twice, not a pipe", path);
	if (len < 0)
		return err_sys(e, (int)-len, "cannot read the trace %s", path);
	if (!len)
		return err_set(e, EILSEQ, "%s: not a trace: the file is empty", path);
	/* skip a byte order mark of UTF-8 */
	const size_t mark = len > 3 && !memcmp(head, "\xef\xbb\xbf", 3) ? 3 : 0;
	for (const struct trace_format *const *f = trace_formats; *f && best_bid < FORMAT_BID_SURE;
	     f++) {
		int bid = (*f)->bid ? (*f)->bid(head + mark, (size_t)len - mark, path) : 0;
		if (bid > best_bid) {
			best_bid = bid;
			*best = *f;
		}
	}
	if (*best)
		return 0;
	if (advice_of(head, (size_t)len))
		return err_set(e, EILSEQ, "%s: not a trace: it is %s", path,
			       advice_of(head, (size_t)len));
	SCOPED_STRBUF names = STRBUF_INIT;
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		if ((*f)->bid)
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", (*f)->name);
	int ret = err_set(e, EILSEQ, "%s: not a trace: its first bytes fit no known format (%s); "
		"--from FORMAT reads it as FORMAT and reports the first error", path, names.s);
	return ret;
}

static int format_open(struct trace **t, const struct trace_format *f, const char *path,
		       const struct trace_open_options *o, struct err *e)
{
	static const struct trace_open_options none;
	int ret = 0;
	*t = NULL;
	o = o ? o : &none;
	if (!f && o->mapping)
		f = &format_mapping;
	if (!f)
		ret = trace_format_detect(&f, path, e);
	if (ret)
		return ret;
	if (!f->bid)
		return err_set(e, ENOTSUP, "%s: validate can write the format %s, but cannot read "
			"it", path, f->name);
	ret = f->open ? f->open(t, path, o, e) : foreign_open(t, f->reader, path, o, e);
	if (!ret)
		(*t)->format = f;
	return ret;
}

int trace_open_with(struct trace **t, const struct trace_format *f, const char *path,
		    const struct trace_open_options *o, struct err *e)
{
	const int ret = format_open(t, f, path, o, e);
	SCOPED_FREE char *part = ret == -ENOENT ? trace_part_name(path, 0) : NULL;
	SCOPED_STRBUF word = STRBUF_INIT;
	if (!part || !access(path, F_OK) || access(part, F_OK))
		return ret;
	shell_word(&word, path);
	return err_set(e, ENOENT, "there is no file %s, but a capture in parts (%s ...): join the "
		"parts first: validate slice %s -o JOINED", path, part, word.s);
}

/* --- notes of a reader --------------------------------------------------- */

const struct trace_notes *trace_notes(const struct trace *t)
{
	return &t->notes;
}

const char *trace_note(const struct trace *t, unsigned int i, char *buf, size_t size)
{
	const struct trace_notes *n = &t->notes;
	unsigned int found = 0; /* number of conditions that are true so far */
#define NOTE_IF(condition, ...)									   \
	do {											   \
		if ((condition) && found++ == i) {						   \
			snprintf(buf, size, __VA_ARGS__);					   \
			return buf;								   \
		}										   \
	} while (0)
	NOTE_IF(n->n_skipped, "unreadable lines or records left out: %" PRIu64 "; the first: %s",
		n->n_skipped, n->first_skipped);
	NOTE_IF(n->one_cpu_of_many, "this is the file of one CPU, and its directory has files of "
				    "other CPUs: name all files, or merge them with blkparse -d");
	NOTE_IF(n->differences_cut,
		"times are sums of rounded differences between events, so their error grows with "
		"each event. For exact times, omit --deltatime from the perf script command, or "
		"add --ns to it");
	NOTE_IF(n->n_without_end, "requests that begin and never end: %" PRIu64, n->n_without_end);
	NOTE_IF(n->n_without_begin,
		"ends of requests whose beginning is not in the trace: %" PRIu64,
		n->n_without_begin);
	NOTE_IF(n->n_unshown,
		"asynchronous requests missing from the trace: %" PRIu64
		"; without -v, strace prints only the first request of each call",
		n->n_unshown);
	NOTE_IF(n->n_without_issue,
		"requests left out because they have no issue event (D), only Q and C: %" PRIu64
		"; --queue imports them, with their start at Q",
		n->n_without_issue);
	NOTE_IF(n->n_queued && n->mean_queue_ns > 0,
		"mean time between queueing (event Q) and issue (event D): %.3g us; a request "
		"begins at D, or with --queue at Q",
		n->mean_queue_ns / 1000);
	for (const struct unseen_fact *f = unseen_facts; f->key; f++) {
		uint64_t count = 0;
		if (f->note != SIZE_MAX)
			memcpy(&count, (const char *)n + f->note, sizeof count);
		NOTE_IF(count, "%s: %" PRIu64 "%s%s%s", f->text, count, f->advice ? " (" : "",
			f->advice ? f->advice : "", f->advice ? ")" : "");
	}
	NOTE_IF(n->n_not_requests, "events and calls that are not requests, skipped: %" PRIu64,
		n->n_not_requests);
#undef NOTE_IF
	return NULL;
}
