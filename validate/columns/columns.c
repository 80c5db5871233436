/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/columns/columns.h"

#include <ctype.h>

#include "common/units.h"
#include "validate/columns/columns_private.h"

enum { SHOWN = 40, MAX_NAMES = 20, MAX_NUMBER = 300 };
#define MAX_BYTES ((size_t)4 << 30)

/* --- cells --------------------------------------------------------------- */

/* Parses a finite decimal number that fills the cell except for blanks. *huge: the number is too
 * large. */
static bool number_parse(struct column_cell cell, double *x, bool *huge)
{
	char copy[MAX_NUMBER], *end;
	while (cell.len && isspace((unsigned char)*cell.text)) {
		cell.text++;
		cell.len--;
	}
	while (cell.len && isspace((unsigned char)cell.text[cell.len - 1]))
		cell.len--;
	if (!cell.len || cell.len >= sizeof copy)
		return false;
	/* excludes "nan", "inf", 0x1p3, and the number formats of other locales */
	for (size_t i = 0; i < cell.len; i++)
		if (!strchr("+-.0123456789eE", cell.text[i]) || !cell.text[i])
			return false;
	memcpy(copy, cell.text, cell.len);
	copy[cell.len] = 0;
	*x = strtod(copy, &end);
	*huge = !isfinite(*x);
	return end == copy + cell.len;
}

static bool is_number(struct column_cell cell)
{
	double x;
	bool huge;
	return number_parse(cell, &x, &huge);
}

/* Returns the cell as printable, truncated text for messages. */
static const char *cell_shown(struct column_cell cell, char *buffer)
{
	size_t n = cell.len < SHOWN ? cell.len : SHOWN;
	for (size_t i = 0; i < n; i++)
		buffer[i] = isprint((unsigned char)cell.text[i]) ? cell.text[i] : '?';
	strcpy(buffer + n, cell.len > SHOWN ? "..." : "");
	return buffer;
}

static bool cell_is(struct column_cell cell, const char *text)
{
	return strlen(text) == cell.len && !memcmp(text, cell.text, cell.len);
}

/* --- the first line ------------------------------------------------------ */

/* Returns the selector as a column number; 0 unless it is an integer of 1 or more. */
static size_t column_number(const char *selector)
{
	char *end;
	if (!isdigit((unsigned char)*selector))
		return 0;
	errno = 0;
	unsigned long n = strtoul(selector, &end, 10);
	return *end || errno ? 0 : n;
}

static int is_header(const struct columns_reader *r, const struct column_cell *cell, size_t n)
{
	if (r->header != COLUMNS_HEADER_AUTO)
		return r->header == COLUMNS_HEADER_YES;
	bool all_numbers = true, words = true;
	for (size_t i = 0; i < n; i++) {
		all_numbers &= is_number(cell[i]);
		words &= cell[i].len &&
			 (isalpha((unsigned char)cell[i].text[0]) || cell[i].text[0] == '_');
	}
	return r->text ? words : !all_numbers;
}

static int no_such_column(struct columns_reader *r, const char *selector, bool header,
			  const struct column_cell *cell, size_t n)
{
	SCOPED_STRBUF names = STRBUF_INIT;
	char buffer[SHOWN + 4];
	for (size_t i = 0; header && i < n && i < MAX_NAMES; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", cell_shown(cell[i], buffer));
	int ret;
	if (header)
		ret = err_set(r->e, ENOENT, "%s:%zu: no column \"%s\": there are %s%s", r->c->path,
			      r->line, selector, names.s, n > MAX_NAMES ? ", ..." : "");
	else
		ret = err_set(
		    r->e, ENOENT,
		    "%s:%zu: no column \"%s\": there is no header, and there are %zu columns",
		    r->c->path, r->line, selector, n);
	return ret;
}

static int selector_missing(struct columns_reader *r, bool header, const struct column_cell *cell,
			    size_t n)
{
	SCOPED_STRBUF names = STRBUF_INIT;
	char buffer[SHOWN + 4];
	for (size_t i = 0; header && i < n && i < MAX_NAMES; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : ": ", cell_shown(cell[i], buffer));
	return err_set(r->e, EINVAL,
		       "%s:%zu: the line has %zu columns%s: choose one with -C COLUMN, or several "
		       "with -C COLUMN,COLUMN", r->c->path, r->line, n, names.s);
}

static int column_locate(struct columns_reader *r, const struct column_choice *choice,
	struct column *column, bool header, const struct column_cell *cell, size_t n)
{
	const char *selector = choice->selector;
	if (!selector) {
		if (n > 1 && !r->text)
			return selector_missing(r, header, cell, n);
		column->number = 1;
	} else {
		for (size_t i = n; header && i-- > 0;)
			if (cell_is(cell[i], selector))
				column->number = i + 1;
		if (!column->number)
			column->number = column_number(selector);
	}
	if (column->number < 1 || column->number > n)
		return no_such_column(r, selector ? selector : "1", header, cell, n);
	struct column_cell named = cell[column->number - 1];
	if (header && r->header == COLUMNS_HEADER_AUTO && !choice->labels && is_number(named))
		return err_set(r->e, EBADMSG,
			       "%s:%zu: this line may be a header: it contains text, but column "
			       "%zu is a number; add --header yes or --header no", r->c->path,
			       r->line, column->number);
	char buffer[SHOWN + 4];
	column->name =
	    header ? xstrdup(cell_shown(named, buffer)) : xasprintf("column %zu", column->number);
	return 0;
}

/* --- rows ---------------------------------------------------------------- */

static int cell_store(struct columns_reader *r, struct column *column, struct column_cell cell)
{
	char buffer[SHOWN + 4];
	bool huge = false;
	struct columns *c = r->c;
	if (column->label) {
		column->label[c->n] = xmalloc(cell.len + 1);
		memcpy(column->label[c->n], cell.text, cell.len);
		column->label[c->n][cell.len] = 0;
		return 0;
	}
	if (number_parse(cell, &column->x[c->n], &huge) && !huge)
		return 0;
	cell_shown(cell, buffer);
	return err_set(r->e, EBADMSG, "%s:%zu:%zu: %s%s%s%s (%s%s)%s", c->path, r->line,
		       column->number, cell.len ? "\"" : "the cell", cell.len ? buffer : "",
		       cell.len ? "\" " : " ",
		       huge	  ? "is too large"
		       : cell.len ? "is not a number"
				  : "is empty",
		       strncmp(column->name, "column ", 7) ? "column " : "", column->name,
		       cell.len ? "" : ": select the lines to read with --where");
}

/* Checks that lines such as "1.5 ms" have equal units, if no column was chosen. */
static int unit_check(struct columns_reader *r, const struct column_cell *cell, size_t n)
{
	int64_t unit_ns;
	if (!r->text || r->choice[0].selector || n < 2 || cell[1].len > 8 ||
	    isdigit((unsigned char)cell[1].text[0]))
		return 0;
	SCOPED_FREE char *one = xasprintf("1%.*s", (int)cell[1].len, cell[1].text);
	if (parse_duration(one, &unit_ns, NULL))
		return 0;
	if (r->c->unit_ns && r->c->unit_ns != unit_ns)
		return err_set(r->e, EBADMSG, "%s:%zu: the unit is \"%s\", but an earlier line has "
			"another unit: convert the values to one unit, or choose a column with -C",
			r->c->path, r->line, one + 1);
	r->c->unit_ns = unit_ns;
	return 0;
}

static void rows_grow(struct columns_reader *r)
{
	struct columns *c = r->c;
	if (c->n < r->cap)
		return;
	r->cap = r->cap ? 2 * r->cap : 1024;
	for (size_t i = 0; i < c->n_columns; i++)
		if (r->choice[i].labels)
			c->column[i].label =
			    xreallocarray(c->column[i].label, r->cap, sizeof *c->column[i].label);
		else
			c->column[i].x =
			    xreallocarray(c->column[i].x, r->cap, sizeof *c->column[i].x);
}

static bool is_wanted(const struct columns_reader *r, const struct column_cell *cell, size_t n)
{
	for (size_t i = 0; i < r->c->n_columns; i++) {
		const struct column_choice *choice = &r->choice[i];
		size_t number = r->c->column[i].number;
		if (choice->where &&
		    (number <= n && cell_is(cell[number - 1], choice->where)) == choice->except)
			return false;
	}
	return true;
}

int columns_row(struct columns_reader *r, const struct column_cell *cell, size_t n)
{
	struct columns *c = r->c;
	if (!r->begun) {
		bool header = is_header(r, cell, n);
		r->begun = true;
		for (size_t i = 0; i < c->n_columns; i++) {
			int ret = column_locate(r, &r->choice[i], &c->column[i], header, cell, n);
			if (ret)
				return ret;
		}
		if (header)
			return 0;
	}
	if (!is_wanted(r, cell, n))
		return 0;
	if (unit_check(r, cell, n))
		return -EBADMSG;
	rows_grow(r);
	for (size_t i = 0; i < c->n_columns; i++) {
		struct column *column = &c->column[i];
		int ret = 0;
		if (column->number <= n)
			ret = cell_store(r, column, cell[column->number - 1]);
		else
			ret = err_set(r->e, EBADMSG,
				      "%s:%zu: this line has %zu column%s, but the value is in "
				      "column %zu",
				      r->c->path, r->line, n, n == 1 ? "" : "s", column->number);
		if (ret) {
			/* remove the stored values of this row */
			while (i-- > 0)
				if (c->column[i].label)
					free(c->column[i].label[c->n]);
			return ret;
		}
	}
	c->n++;
	return 0;
}

/* --- files --------------------------------------------------------------- */

/* Returns the delimiter of a CSV file, or 0 for text, by the first line that is not empty. */
static char delimiter_of(const char *text, size_t len)
{
	for (size_t from = 0; from < len;) {
		const char *line = text + from, *end = memchr(line, '\n', len - from);
		size_t size = end ? (size_t)(end - line) : len - from, i = 0;
		while (i < size && isspace((unsigned char)line[i]))
			i++;
		if (i < size && line[i] != '#')
			return memchr(line, ',', size) ? ',' : memchr(line, ';', size) ? ';'
								    : memchr(line, '"', size) ? ','
											      : 0;
		from += size + 1;
	}
	return 0;
}

static bool any_condition(const struct column_choice *choice, size_t n)
{
	bool any = false;
	for (size_t i = 0; i < n; i++)
		any |= choice[i].where != NULL;
	return any;
}

int columns_parse(struct columns *c, const char *path, const char *text, size_t len,
		  const struct column_choice *choice, size_t n_choices, enum columns_header header,
		  struct err *e)
{
	*c = (struct columns){.path = xstrdup(path), .n_columns = n_choices};
	c->column = xcalloc(n_choices, sizeof *c->column);
	struct columns_reader r = {.c = c, .choice = choice, .header = header, .e = e};
	if (len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) { /* byte order mark of UTF-8 */
		text += 3;
		len -= 3;
	}
	SCOPED_STRBUF numbers = STRBUF_INIT, name = STRBUF_INIT;
	struct column_choice only = choice[0];
	int ret = 0;
	if (columns_is_json(text, len)) {
		ret = n_choices > 1
			 ? err_set(e, EINVAL, "%s: --sessions and --where cannot be used with JSON",
				   path)
			 : columns_of_json(&numbers, &name, path, text, len,
					   choice[0].selector, e);
		only.selector = NULL;
		r.choice = &only;
		text = numbers.s;
		len = numbers.len;
	}
	char delimiter = ret ? 0 : delimiter_of(text, len);
	r.text = !delimiter;
	ret = ret          ? ret
	     : delimiter ? columns_split_csv(&r, text, len, delimiter)
			 : columns_split_text(&r, text, len);
	if (!ret && !c->n)
		ret = err_set(e, ENODATA, "%s: %s", path,
			      any_condition(choice, n_choices) ? "no line matches --where"
							      : "the file has no values");
	if (!ret && name.len) {
		char buffer[SHOWN + 4];
		free(c->column->name);
		c->column->name =
		    xstrdup(cell_shown((struct column_cell){name.s, name.len}, buffer));
	}
	if (ret)
		columns_release(c);
	return ret;
}

static int file_read(int fd, const char *path, char **text, size_t *len, struct err *e)
{
	size_t cap = (size_t)1 << 20;
	char *buffer = xmalloc(cap);
	*len = 0;
	for (;;) {
		ssize_t got = read(fd, buffer + *len, cap - *len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || *len > MAX_BYTES) {
			int ret = got < 0 ? err_sys(e, errno, "cannot read %s", path)
					 : err_set(e, EFBIG, "%s is larger than 4 GiB", path);
			free(buffer);
			return ret;
		}
		if (!got)
			break;
		/* checked early, before a whole device is read into memory */
		const char *none = memchr(buffer + *len, 0, (size_t)got);
		if (none) {
			int ret = err_set(e, EILSEQ, "%s is not text: byte %zu is 0", path,
					  (size_t)(none - buffer));
			free(buffer);
			return ret;
		}
		*len += (size_t)got;
		if (*len == cap)
			buffer = xrealloc(buffer, cap *= 2);
	}
	*text = buffer;
	return 0;
}

int columns_read(struct columns *c, const char *path, const struct column_choice *choice,
		 size_t n_choices, enum columns_header header, struct err *e)
{
	bool standard = !strcmp(path, "-");
	const char *name = standard ? "standard input" : path;
	char *text = NULL;
	size_t len = 0;
	int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno, "cannot open %s", path);
	int ret = file_read(fd, name, &text, &len, e);
	if (!standard)
		close(fd);
	if (ret)
		return ret;
	ret = columns_parse(c, name, text, len, choice, n_choices, header, e);
	free(text);
	return ret;
}

void columns_release(struct columns *c)
{
	for (size_t i = 0; i < c->n_columns; i++) {
		for (size_t j = 0; c->column[i].label && j < c->n; j++)
			free(c->column[i].label[j]);
		FREE_EACH(c->column[i].label, c->column[i].x, c->column[i].name);
	}
	FREE_EACH(c->column, c->path);
	*c = (struct columns){0};
}
