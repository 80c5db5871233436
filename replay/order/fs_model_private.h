/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the model. Private to replay/order/fs_model*.c. */
#pragma once

#include "replay/order/fs_model.h"

#define UNKNOWN UINT64_MAX
#define ABSENT 0u /* value of a name; other values are UNKNOWN or an object */
/* value of a name that is not in the trace's table of files. It is probably absent, but tables can
 * be incomplete */
#define ASSUMED (UINT64_MAX - 1)
/* WORD_LINK of an object that is not a link, and for which there are words of names or
 * attributes */
#define HAS_MORE (UINT64_MAX - 1)
#define UNDO_MADE 0x80000000u

/* WORD_ENTRIES: number of entries in a directory that the trace created. WORD_LISTED: number of
 * entries that a listing of any directory has; UNKNOWN before its first listing */
enum { WORD_SIZE, WORD_KIND, WORD_LINK, WORD_ENTRIES, WORD_LISTED, OBJECT_WORDS };
enum { SLOT_OBJECT, SLOT_POSITION, SLOT_WORDS };
enum { SLOT_NOT_YET, SLOT_OPEN, SLOT_CLOSED };
enum { KIND_UNKNOWN, KIND_FILE, KIND_DIRECTORY, KIND_LINK };

enum found_how {
	FOUND_OBJECT,
	FOUND_NOTHING, /* the name does not exist, but its directory does */
	FOUND_UNKNOWN, /* whether the name exists is unknown */
	FOUND_NO_WAY,  /* a directory in the path is missing */
	FOUND_NOT_DIRECTORY, /* a component in the path is not a directory */
	/* a directory in the path may be missing, or the target of a link is unknown */
	FOUND_VAGUE,
};

struct found {
	enum found_how how;
	/* the last name; 0: a directory before it is missing, or the path is the root */
	uint32_t name;
	uint32_t directory; /* of the name */
	uint32_t object;
};

/* Sets a word of the state. While there is a journal, it keeps the old value for an undo. */
void word_set(struct fs_model *m, uint32_t word, uint64_t value);
/* Returns a new object. `complete`: the trace created it, so it has no unknown entries. */
uint32_t object_new(struct fs_model *m, uint64_t kind, bool complete);
/* Returns the word of an extended attribute, which is added if it is new. */
uint32_t xattr_word(struct fs_model *m, uint32_t object, const char *name, uint32_t len);
/* Adds a path and returns its index. */
uint32_t path_of_text(struct fs_model *m, const char *text, uint32_t len);

/* Looks up a path. `follow`: also follow a link at its end. `succeeded`: the call reached the last
 * component, so unknown components before it are directories. Reports events for all names except
 * the last. */
struct found path_find(struct fs_model *m, uint32_t path, bool follow, bool succeeded);
/* Notes that the result of the call shows that the name exists. Returns false if it cannot
 * exist. */
bool found_must_exist(struct fs_model *m, struct found *f);
/* Notes that the result of the call shows that the name does not exist. Returns false if it must
 * exist. */
bool found_must_not_exist(struct fs_model *m, struct found *f);
/* Notes that the object has this kind. Returns false if it is known to have another kind. */
bool object_must_be(struct fs_model *m, uint32_t object, uint64_t kind);
/* Sets the meaning of a name to an object or to ABSENT, and updates the number of entries of its
 * directory. */
void name_set(struct fs_model *m, const struct found *f, uint64_t meaning);
/* Reports an event of a name and, if it changes, of the entries of its directory. */
void name_report(struct fs_model *m, const struct found *f, bool change);
/* Reports an event, if events are wanted. `what`: for a name or object its word; for a directory
 * the word of its entries; for locks the word of the kind. */
static inline void event_report_more(struct fs_model *m, enum fs_event_kind kind, uint32_t what,
			     bool change, size_t n, const uint64_t more[])
{
	if (m->events)
		fs_event_add(m->events, kind, what - m->event_base, change, n, more);
}
static inline void event_report(struct fs_model *m, enum fs_event_kind kind, uint32_t what,
				bool change)
{
	event_report_more(m, kind, what, change, 0, NULL);
}

/* fs_model_data.c: applies requests on descriptors. `object`: the object of the slot. */
bool data_apply(struct fs_model *m, const struct load_request *r);
/* Sets the size of an object and reports the change. */
void size_change(struct fs_model *m, uint32_t object, uint64_t size);
void slot_opened(struct fs_model *m, uint32_t slot); /* also opens its heirs */
/* Report an event of the object's attributes; attribute_apply() also applies a request on them, and
 * returns false if its traced result is impossible in this state. */
void attribute_report(struct fs_model *m, uint32_t object, bool change);
bool attribute_apply(struct fs_model *m, const struct load_request *r, uint32_t object);
