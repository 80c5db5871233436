/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/ioctl.h>

#include "commands/commands.h"
#include "reports/escape.h"
#include "reports/reasons.h"
#include "validate/compare/baseline.h"

/* Length of `text` up to its first blank outside brackets, so "[-o DIR]" is one word. */
static size_t synopsis_word(const char *text)
{
	size_t len = 0;
	for (int depth = 0; text[len] && (depth || text[len] != ' '); len++)
		depth += (text[len] == '[') - (text[len] == ']');
	return len;
}

/* Prints one form of the usage, wrapped at HELP_WIDTH. Further lines are indented to the column
 * after the command's name. */
static void synopsis_print(const char *name, const char *text, size_t len)
{
	size_t indent = strlen("Usage: validate ") + strlen(name), at = indent;
	const char *end = text + len;
	while (text < end) {
		size_t n = synopsis_word(text);
		if (n > (size_t)(end - text))
			n = (size_t)(end - text);
		if (at > indent && at + 1 + n > HELP_WIDTH) {
			printf("\n%*s", (int)indent, "");
			at = indent;
		}
		printf(" %.*s", (int)n, text);
		at += 1 + n;
		text += n;
		text += text < end && *text == ' ';
	}
	putchar('\n');
}

void command_help(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table)
{
	const char *lead = "Usage:";
	do {
		size_t len = strcspn(synopsis, "\n");
		printf("%s validate %s", lead, c->name);
		synopsis_print(c->name, synopsis, len);
		synopsis += len + (synopsis[len] == '\n');
		lead = "      ";
	} while (*synopsis);
	printf("\n%s\n", about ? about : c->help);
	bool grouped = table && table->name && table->group;
	if (!grouped)
		printf("\nOptions:\n");
	if (table && table->name)
		options_help(table, stdout);
	printf("%s  -h, --help%*sprint this help and exit\n", grouped ? "\nHelp:\n" : "", 16, "");
}

int command_parse(const struct command *c, const char *synopsis, const char *about,
		  const struct option_spec *table, void *config, int argc, char **argv,
		  int min_positional, int max_positional, int *n_positional, struct err *e)
{
	int ret = options_parse(table, config, argc, argv, n_positional, e);
	if (ret > 0) {
		command_help(c, synopsis, about, table);
		return EXIT_OK;
	}
	if (ret < 0)
		return EXIT_USAGE;
	const char *shown = *synopsis ? synopsis : "(no arguments)";
	int shown_len = (int)strcspn(shown, "\n");
	if (*n_positional > max_positional)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "unexpected argument \"%s\": usage is validate %s %.*s",
				    argv[max_positional + 1], c->name, shown_len, shown);
	if (*n_positional < min_positional)
		return command_fail(EXIT_USAGE, e, EINVAL,
				    "an argument is missing: usage is validate %s %.*s", c->name,
				    shown_len, shown);
	return -1;
}

unsigned int terminal_columns(void)
{
	struct winsize w = {0};
	if (!isatty(STDOUT_FILENO))
		return 0;
	ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
	return w.ws_col ? w.ws_col : 80;
}

int command_fail(int status, struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	err_vset(e, code, fmt, ap);
	va_end(ap);
	return status;
}

void shown_print(FILE *out, const char *s, size_t n)
{
	SCOPED_STRBUF text = STRBUF_INIT, line = STRBUF_INIT;
	strbuf_add(&text, s, strnlen(s, n));
	escape_line(&line, text.s);
	fwrite(line.s, 1, line.len, out);
}

void count_line(const char *label, uint64_t n, const char *one, const char *more)
{
	if (n)
		printf("%-14s%" PRIu64 " %s\n", label, n, n == 1 ? one : more);
}

int baseline_input(struct baseline *b, const char *path, struct err *e)
{
	int ret = baseline_open(b, path, analysis_word, e);
	if (!ret && !b->sealed)
		fprintf(stderr, "validate: warning: %s has no digest, so changes to the file "
				"cannot be detected: save the baseline again (\"validate baseline "
				"save RESULTS\")\n", path);
	return ret;
}
