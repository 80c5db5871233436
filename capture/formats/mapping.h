/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapping files: what the columns of a delimited text mean. One reader and one writer serve all
 * such formats; the known ones are mapping files built into the program, and anybody's own is given
 * by its path. doc/formats/mapping.md is their manual. */
#ifndef CAPTURE_FORMATS_MAPPING_H
#define CAPTURE_FORMATS_MAPPING_H

#include "capture/format.h"
#include "capture/op.h"

#define MAPPING_COLUMNS_MAX 64
#define MAPPING_VALUES_MAX 16

enum mapping_field {
	MAP_NONE, /* skipped */
	MAP_BEGIN,
	MAP_END,
	MAP_RESPONSE, /* end - begin */
	MAP_DISPATCH,
	MAP_OPERATION,
	MAP_OBJECT, /* more than one: joined by "." */
	MAP_OFFSET,
	MAP_LENGTH,
	MAP_PID,
	MAP_TID,
	MAP_FD,
	MAP_RVALUE,
	MAP_ERROR,
	MAP_N
};
extern const char *const mapping_field_names[MAP_N + 1];

struct mapping_value {
	char *text;
	enum trace_op op; /* OP_INVALID: the request is skipped */
};

struct mapping_column {
	char *name; /* by which the header line names it, or NULL: by its number */
	unsigned int index; /* 0-based, of columns without a name */
	enum mapping_field field;
	int64_t unit; /* times: ns, of which a second has a whole number; offset, length: bytes */
	struct mapping_value value[MAPPING_VALUES_MAX];
	unsigned int n_values;
	bool any_case, optional, number;
	char *write; /* what is written into a column without a field: text, "seq" */
	unsigned int digits; /* of times that are written */
};

struct mapping {
	char *name, *help, *heading, *clock;
	char delimiter; /* 0: runs of blanks */
	char comment;	/* 0: none */
	bool header;
	/* n_columns: at least so many; exactly, unless `more` */
	unsigned int n_skipped_lines, n_columns;
	bool more;
	enum trace_level level;
	enum object_kind object_kind;
	int64_t epoch_s; /* seconds from this epoch to 1970 where `absolute` */
	bool absolute;
	double resolution_ns; /* 0: from the stamps */
	int bid;
	struct mapping_column column[MAPPING_COLUMNS_MAX];
	unsigned int n;
};

/* Parses text of a mapping file; `name` for messages. Errors: EINVAL with line. Ownership:
 * mapping_release, also after an error. */
int mapping_parse(struct mapping *m, const char *name, const char *text, struct err *e);
void mapping_release(struct mapping *m);

/* The same of a file. */
int mapping_load(struct mapping *m, const char *path, struct err *e);

/* How sure it is that a file that begins so is of this mapping; 0 not at all. */
int mapping_bid(const struct mapping *m, const unsigned char *head, size_t len);
/* Opens for a mapping that outlives the trace, or that the trace shall release (`own`). */
int mapping_open(struct trace **t, const struct mapping *m, bool own, const char *path,
		 const struct trace_open_options *o, struct err *e);
int mapping_write(const struct mapping *m, struct trace *t, const char *path,
		  struct trace_export_report *report, struct err *e);

/* Those built in: one row each of the table of formats. */
extern const struct trace_format format_msr, format_snia, format_alibaba, format_tencent,
    format_spc, format_systor, format_fiu;

#endif
