/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapping files describe the columns of a delimited text. One reader and one writer serve all these
 * formats. Mapping files of known formats are built into the program; users give the path of other
 * mapping files. Manual: doc/formats/mapping.md. */
#pragma once

#include "capture/format.h"
#include "capture/op.h"

#define MAPPING_COLUMNS_MAX 64
#define MAPPING_VALUES_MAX 16
/* limit for the requests of one line, so that reading needs little memory */
#define MAPPING_COUNT_MAX 65536

enum mapping_field {
	MAP_NONE, /* skipped */
	MAP_BEGIN,
	MAP_END,
	MAP_RESPONSE, /* response time: end - begin */
	MAP_DISPATCH,
	MAP_OPERATION,
	MAP_OBJECT, /* several columns are joined by "." */
	MAP_OFFSET,
	MAP_LENGTH,
	MAP_LAST,  /* offset of the last byte or unit; length = last - offset + 1 */
	MAP_COUNT, /* the line represents this number of equal requests */
	MAP_PID,
	MAP_TID,
	MAP_FD,
	MAP_RVALUE,
	MAP_ERROR,
	MAP_N
};
extern const char *const mapping_field_names[MAP_N + 1];

/* what the key `unit` of a column names */
enum mapping_unit { UNIT_ABSENT, UNIT_OF_TIME, UNIT_OF_BYTES, UNIT_IS_NUMBER };

struct mapping_value {
	char *text;
	enum trace_op op; /* OP_INVALID: the request is skipped */
};

struct mapping_column {
	char *name; /* name in the header line; NULL: the column is identified by its number */
	unsigned int index; /* 0-based number of a column without a name */
	enum mapping_field field;
	int64_t unit; /* times: ns, a divisor of 1 s; offset, length and last: bytes */
	enum mapping_unit unit_kind;
	struct mapping_value value[MAPPING_VALUES_MAX];
	unsigned int n_values;
	bool any_case, optional, number;
	char *write; /* text to write into a column that has no field, or "seq" */
	unsigned int digits; /* number of decimals of written times */
};

struct mapping {
	char *name, *help, *heading, *clock;
	char delimiter; /* 0: fields are separated by runs of blanks */
	char comment;	/* 0: none */
	bool header;
	/* n_columns: minimum number of columns; without `more`, the exact number. With `more`,
	 * optional columns at the end of a line may be missing. */
	unsigned int n_skipped_lines, n_columns;
	bool more;
	enum trace_level level;
	enum object_kind object_kind;
	int64_t epoch_s; /* with `absolute`: seconds from the epoch of the format to 1970 */
	bool absolute;
	double resolution_ns; /* 0: determined from the stamps */
	int bid;
	struct mapping_column column[MAPPING_COLUMNS_MAX];
	unsigned int n;
};

/* Parses the text of a mapping file; messages contain `name`. Errors: EINVAL, with the line.
 * Ownership: mapping_release, also after an error. */
int mapping_parse(struct mapping *m, const char *name, const char *text, struct err *e);
void mapping_release(struct mapping *m);

/* Parses a file. Errors: as mapping_parse, and of the system. */
int mapping_load(struct mapping *m, const char *path, struct err *e);

/* How probable it is that a file with this beginning matches the mapping (FORMAT_BID_...); 0: it
 * does not match. */
int mapping_bid(const struct mapping *m, const unsigned char *head, size_t len);
/* Opens a trace. Takes ownership of `m` (allocated by malloc), also after an error. */
int mapping_open(struct trace **t, struct mapping *m, const char *path,
		 const struct trace_open_options *o, struct err *e);
int mapping_write(const struct mapping *m, struct trace *t, const char *path,
		  struct trace_export_report *report, struct err *e);
