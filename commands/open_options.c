/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/open_options.h"

#include "commands/commands.h"
#include "common/units.h"
#include "reports/escape.h"

const char *const open_as_names[] = {"nothing", "read", "write", NULL};
const char *const open_wait_unit_names[] = {"unknown", "us", "ms", NULL};

int find_format(const struct trace_format **f, const char *option, const char *name, struct err *e)
{
	*f = format_find(!strcmp(name, "fio") ? "iolog" : name);
	if (*f)
		return 0;
	SCOPED_FREE const char **names = names_of(trace_formats);
	SCOPED_FREE char *all = xasprintf(" (%s list prints all formats)", option);
	return name_refuse(e, ENOENT, name, names, all, "trace format \"%s\" is unknown", name);
}

int output_default(char **output, const char *path, const char *suffix, struct err *e)
{
	if (!strcmp(path, "-"))
		return err_set(e, EINVAL, "-o FILE is missing");
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path,
		   *dot = strrchr(base, '.');
	size_t len = dot && dot > base ? (size_t)(dot - path) : strlen(path);
	*output = xasprintf("%.*s.%s", (int)len, path, suffix);
	return access(*output, F_OK)
		   ? 0
		   : err_set(e, EEXIST, "%s exists: name the output with -o", *output);
}

void list_formats(void)
{
	SCOPED_STRBUF lines = STRBUF_INIT, out = STRBUF_INIT;
	strbuf_addf(&lines, "  %-14s %-6s %-5s  %s\n", "FORMAT", "import", "export", "WHAT IT IS");
	for (const struct trace_format *const *f = trace_formats; *f; f++)
		strbuf_addf(&lines, "  %-14s %-6s %-5s   %s\n", (*f)->name,
			    (*f)->bid ? "yes" : "-", (*f)->write ? "yes" : "-", (*f)->help);
	text_fit(&out, lines.s, terminal_columns());
	fputs(out.s, stdout);
}

int open_trace(struct trace **t, const struct open_options *o, const char *path,
	       const char *const *more, size_t n_more, struct err *e)
{
	static const int64_t unit_ns[] = {0, 1000, 1000000};
	const struct trace_format *f = NULL;
	struct trace_open_options x = {.n_lenient = o->n_lenient,
				       .mapping = o->mapping, .pair_queue = o->queue,
				       .wait_unit_ns = unit_ns[o->wait_unit],
				       .as = o->as ? open_as_names[o->as] : NULL, .more = more,
				       .n_more = n_more};
	int ret = o->from ? find_format(&f, "validate import --from", o->from, e) : 0;
	if (!ret && f && o->mapping && strcmp(f->name, "mapping"))
		ret = err_set(e, EINVAL, "--mapping and --from %s cannot be used together",
			      f->name);
	ret = ret ? ret : trace_open_with(t, f, path, &x, e);
	if (!ret)
		warn_of_cut(path, trace_meta(*t)->cut);
	return ret;
}

void notice_print(const char *fmt, ...)
{
	struct err line;
	va_list ap;
	va_start(ap, fmt);
	const int n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	err_vset(&line, EIO, fmt, ap);
	va_end(ap);
	shown_print(stderr, line.msg, sizeof line.msg);
	fprintf(stderr, "%s\n", n >= (int)sizeof line.msg ? "... (cut)" : "");
}
