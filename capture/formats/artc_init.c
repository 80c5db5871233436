/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ARTC's list of files to create before a replay: "dir#PATH", "file#PATH#SIZE",
 * "symlink#PATH#TARGET", from the file list in the trace's metadata. doc/formats/others.md. */

#include "capture/csv_args.h"
#include "capture/formats/sink.h"
#include "capture/object_table.h"

struct list {
	struct trace *t;
	struct object_table listed; /* directories that were already written */
};

/* The text before a relative root: it is placed below "/", as in the trace (strace_write.c). */
static const char *text_before_root(const char *root)
{
	return *root == '/' ? "" : "/";
}

static void add_path(struct sink *s, const struct trace_meta *m, const char *path, size_t len)
{
	const char *root = m->root ? m->root : "/";
	size_t root_len = strlen(root);
	strbuf_addf(&s->out, "%s%s%s%.*s", text_before_root(root), root,
		    root_len && root[root_len - 1] == '/' ? "" : "/", (int)len, path);
}

/* Lists the directory path[len], unless it is already listed. */
static int add_directory(struct list *l, struct sink *s, const char *path, size_t len,
			 struct err *e)
{
	uint32_t n = l->listed.n, id;
	int ret = object_table_intern(&l->listed, OBJECT_PATH, path, len, &id, e);
	if (ret || id < n)
		return ret;
	strbuf_addstr(&s->out, "dir#");
	add_path(s, trace_meta(l->t), path, len);
	strbuf_addch(&s->out, '\n');
	return 0;
}

static int add_entry(struct list *l, struct sink *s, const struct fileset_entry *f,
		     const char *link, struct err *e)
{
	int ret = 0;
	if (strchr(f->path, '#') || text_has_control(f->path) ||
	    (link && (strchr(link, '#') || text_has_control(link))))
		return err_set(e, EINVAL, "\"%s\": ARTC's list of files cannot hold a name with #, "
			"control characters or invalid UTF-8", f->path);
	for (const char *slash = f->path; !ret && (slash = strchr(slash, '/')); slash++)
		ret = slash > f->path ? add_directory(l, s, f->path, (size_t)(slash - f->path), e)
				     : 0;
	if (ret || f->directory)
		return ret ? ret : add_directory(l, s, f->path, strlen(f->path), e);
	strbuf_addstr(&s->out, link ? "symlink#" : "file#");
	add_path(s, trace_meta(l->t), f->path, strlen(f->path));
	if (link)
		strbuf_addf(&s->out, "#%s\n", link);
	else
		strbuf_addf(&s->out, "#%llu\n", (unsigned long long)f->size);
	return 0;
}

static int write_list(void *ctx, struct sink *s, struct err *e)
{
	struct list *l = ctx;
	const struct fileset *files = &trace_meta(l->t)->files;
	int ret = 0;
	/* Lists the directories that contain the names, because ARTC stops at a file in a directory
	 * that is not listed. */
	const struct trace_meta *m = trace_meta(l->t);
	const char *root = m->root ? m->root : "/", *slash = root;
	while (*slash) {
		slash = strchr(slash + 1, '/');
		slash = slash ? slash : root + strlen(root);
		if (slash > root + 1 && slash[-1] != '/')
			strbuf_addf(&s->out, "dir#%s%.*s\n", text_before_root(root),
				    (int)(slash - root), root);
	}
	for (size_t i = 0; i < files->n && !ret; i++)
		ret = add_entry(l, s, &files->entry[i], fileset_link(files, i), e);
	return ret;
}

/* Requests are not part of this file, so they count neither as written nor as left out. */
static int skip_request(void *ctx, struct sink *s, const struct trace_record *r, const char **why,
			struct err *e)
{
	(void)ctx;
	(void)s;
	(void)r;
	(void)why;
	(void)e;
	return 2;
}

static int artc_init_write(struct trace *t, const char *path, struct trace_export_report *report,
			   struct err *e)
{
	static const struct sink_writer writer = {.head = write_list, .one = skip_request};
	if (!trace_meta(t)->files.n)
		return err_set(e, ENODATA, "the trace has no list of the files that it needs "
			"(\"validate capture app --snapshot\" makes one)");
	struct list l = {.t = t};
	memset(&l.listed, 0, sizeof l.listed);
	int ret = sink_write_trace(&writer, &l, t, path, report, e);
	object_table_release(&l.listed);
	return ret;
}

const struct trace_format format_artc_init = {
    .name = "artc-init",
    .help = "list of the files that ARTC creates before a replay",
    .write = artc_init_write,
};
