/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Annotated traces of parallel applications as text, node by node: calls in strace's form,
 * COMPUTE(seconds), SIGNAL(node), WAIT(node), and comments. The first comment, the comments that
 * name a node, and the comments after a line contain data. Lines without times get the times of a
 * replay in which requests take no time. doc/formats/parallel.md.
 *
 * Source: parallel-trace paper, figures 3, 6 and 7. */

#include <sched.h>

#include "capture/formats/parallel_private.h"
#include "capture/formats/parallel_read.h"
#include "capture/number.h"

/* --- several files ------------------------------------------------------- */

/* The node of a file that does not name its nodes: 3 for "NAME.3", otherwise the position of the
 * file. */
static uint32_t node_of_file(const struct parallel *p, size_t file)
{
	const char *dot = strrchr(p->path[file], '.'), *s = dot ? dot + 1 : "";
	uint64_t v;
	bool named = *s && scan_u64(&s, p->path[file] + strlen(p->path[file]), &v) && !*s &&
		     v < p->facts.n_nodes;
	return named ? (uint32_t)v : file < p->facts.n_nodes ? (uint32_t)file : 0;
}

static int file_open(struct parallel *p, size_t file, struct err *e)
{
	struct foreign *f = &p->calls.base;
	text_input_close(&f->in);
	int ret = text_input_open(&f->in, p->path[file], e);
	f->path = f->in.path;
	p->file = file;
	p->at = p->facts.n_nodes ? node_of_file(p, file) : 0;
	p->in_comment = false;
	return ret;
}

static int parallel_next(struct foreign *f, struct err *e)
{
	struct parallel *p = parallel_of(f);
	if (p->file + 1 >= p->n_files)
		return 0;
	int ret = file_open(p, p->file + 1, e);
	return ret ? ret : 1;
}

/* --- reading the trace -------------------------------------------------- */

/* Nodes of one process share its descriptors. The key of a thread is its node, because threads of
 * different hosts may have equal numbers. */
static void threads_make(struct parallel *p)
{
	for (uint32_t i = 0; i < p->facts.n_nodes; i++) {
		uint32_t first = 0;
		while (first < i && p->facts.node[first].pid != p->facts.node[i].pid)
			first++;
		if (first < i)
			syscalls_cloned(p->calls.calls_made, first + 1, i + 1,
					CLONE_THREAD | CLONE_FILES);
		p->node[i] = (struct text_node){.now_ns = 0};
	}
}

static void parallel_reset(struct foreign *f)
{
	struct parallel *p = parallel_of(f);
	strace_state_reset(&p->calls);
	if (!p->node) /* the nodes are not known yet */
		return;
	threads_make(p);
	if (p->file && file_open(p, 0, &f->error))
		return;
	p->at = node_of_file(p, 0);
	p->in_comment = false;
}

static void parallel_release(struct foreign *f)
{
	struct parallel *p = parallel_of(f);
	strace_state_release(&p->calls);
	causality_facts_release(&p->facts);
	meta_store_release(&p->head);
	for (size_t i = 0; i < p->n_files; i++)
		free(p->path[i]);
	FREE_EACH(p->path, p->node, p->extra);
	strbuf_release(&p->args.unescaped);
	strbuf_release(&p->args.heap);
}

/* Reads the first line, which contains the metadata. */
static int head_take(struct parallel *p, const char *s, const char *end, struct err *e)
{
	const char *close = end - 2;
	while (close > s && memcmp(close, "*/", 2))
		close--;
	int ret = close > s ? meta_from_json(&p->head, s, (size_t)(close - s), e)
			   : err_set(e, EINVAL, "the comment does not end: */ is missing");
	ret = ret ? ret : causality_facts_read(&p->facts, &p->head.meta, e);
	return ret ? err_context(e, "%s: line 1", p->path[0]) : 0;
}

/* If the first line does not declare the nodes, counts them by the highest number in the text. */
static void nodes_look(const char *s, const char *end, uint32_t *n_nodes)
{
	uint64_t node;
	s = skip_blanks(s, end);
	if ((take_word(&s, end, "WAIT(") || take_word(&s, end, "SIGNAL(") ||
	     take_word(&s, end, "/* node ")) &&
	    scan_u64(&s, end, &node) && node < CAUSALITY_MAX_NODES && node >= *n_nodes)
		*n_nodes = (uint32_t)node + 1;
}

static void facts_make(struct parallel *p, uint32_t n_nodes)
{
	p->facts = (struct causality_facts){.n_nodes = n_nodes,
					    .node = xcalloc(n_nodes, sizeof *p->facts.node)};
	for (uint32_t i = 0; i < n_nodes; i++)
		p->facts.node[i] = (struct causality_node){i, i + 1, i + 1, -1, NULL};
}

static int files_look(struct parallel *p, struct err *e)
{
	uint32_t n_nodes =
	    p->n_files < CAUSALITY_MAX_NODES ? (uint32_t)p->n_files : CAUSALITY_MAX_NODES;
	for (size_t i = 0; i < p->n_files; i++) {
		struct text_input in;
		const char *s;
		size_t len;
		int ret = text_input_open(&in, p->path[i], e), got = 0;
		bool first = !i, known = false;
		while (!ret && !known &&
		       ((got = text_input_line(&in, &s, &len, e)) == 1 || got == -EMSGSIZE)) {
			const char *at = s;
			known = got == 1 && first && take_word(&at, s + len, PARALLEL_MAGIC);
			ret = known ? head_take(p, at, s + len, e) : 0;
			if (got == 1)
				nodes_look(s, s + len, &n_nodes);
			first = false;
		}
		text_input_close(&in);
		if (ret || got < 0 || known)
			return ret ? ret : got < 0 ? got : 0;
	}
	facts_make(p, n_nodes);
	return 0;
}

/* Reads the metadata. Their strings are owned by p->head. */
static void meta_take(struct parallel *p)
{
	struct trace_meta *m = &p->calls.base.base.meta.meta;
	if (p->head.memory) {
		*m = p->head.meta;
		m->level = LEVEL_SYSCALL;
		m->root = "/";
	} else {
		p->extra = causality_facts_text(&p->facts, NULL);
		m->extra_json = p->extra;
	}
	if (!p->facts.n_nodes)
		facts_make(p, 1);
	p->node = xcalloc(p->facts.n_nodes, sizeof *p->node);
}

static void parallel_setup(struct foreign *f, const struct trace_open_options *o)
{
	(void)o;
	strace_state_init(&parallel_of(f)->calls);
	f->base.meta.meta.clock_resolution_ns = 1;
}

static const struct foreign_reader reader = {.clock = "unknown",
					     .captured_by =
						 "unknown (text of a parallel application)",
					     .level = LEVEL_SYSCALL,
					     .size = sizeof(struct parallel),
					     .setup = parallel_setup,
					     .line = parallel_line,
					     .next = parallel_next,
					     .reset = parallel_reset,
					     .release = parallel_release};

static int parallel_open(struct trace **out, const char *path, const struct trace_open_options *o,
			 struct err *e)
{
	int ret = foreign_open_unread(out, &reader, path, o, e);
	if (ret)
		return ret;
	struct parallel *p = parallel_of((struct foreign *)*out);
	meta_store_init(&p->head);
	strbuf_init(&p->args.unescaped);
	strbuf_init(&p->args.heap);
	p->n_files = 1 + o->n_more;
	p->path = xcalloc(p->n_files, sizeof *p->path);
	for (size_t i = 0; i < p->n_files; i++)
		p->path[i] = xstrdup(i ? o->more[i - 1] : path);
	ret = files_look(p, e);
	if (!ret)
		meta_take(p);
	ret = ret ? ret : trace_rewind(*out, e);
	if (ret) {
		trace_close(*out);
		*out = NULL;
	}
	return ret;
}

/* Recognises the first line that this program writes, or a line that only this format has. */
static int parallel_bid(const unsigned char *head, size_t len, const char *path)
{
	const char *s = (const char *)head, *end = s + len;
	(void)path;
	if (take_word(&s, end, PARALLEL_MAGIC))
		return 100;
	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s)),
			   *at = skip_blanks(s, stop ? stop : end);
		if (take_word(&at, end, "COMPUTE(") || take_word(&at, end, "WAIT(") ||
		    take_word(&at, end, "SIGNAL("))
			return 60;
		s = stop ? stop + 1 : end;
	}
	return 0;
}

const struct trace_format format_parallel = {
    .name = "parallel",
    .help = "annotated text of parallel applications: calls, COMPUTE, SIGNAL, WAIT",
    .bid = parallel_bid,
    .open = parallel_open,
    .write = parallel_write,
};
