/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the model. Private to replay/fs_model*.c. */
#ifndef REPLAY_FS_MODEL_PRIVATE_H
#define REPLAY_FS_MODEL_PRIVATE_H

#include "replay/order/fs_model.h"

#define UNKNOWN UINT64_MAX
#define ABSENT 0u /* of a name: else the object it means, or UNKNOWN */
/* of a name: absent, because the trace's table of files has it not; tables have been incomplete */
#define ASSUMED (UINT64_MAX - 1)

/* as WORD_LINK of what is no link: words of names in it, or of its attributes, have been asked for
 */
#define HAS_MORE (UINT64_MAX - 1)
#define UNDO_MADE 0x80000000u

enum { WORD_SIZE, WORD_KIND, WORD_LINK, WORD_ENTRIES, OBJECT_WORDS };
enum { SLOT_OBJECT, SLOT_POSITION, SLOT_WORDS };
enum { SLOT_NOT_YET, SLOT_OPEN, SLOT_CLOSED };
enum { KIND_UNKNOWN, KIND_FILE, KIND_DIRECTORY, KIND_LINK };

enum found_how {
	FOUND_OBJECT,
	FOUND_NOTHING, /* the name is there to be made */
	FOUND_UNKNOWN, /* the name may mean something or not */
	FOUND_NO_WAY,  /* a directory on the way is missing */
	FOUND_NOT_DIRECTORY, /* something on the way is none */
	FOUND_VAGUE,   /* a directory on the way may be missing, or a link leads who knows where */
};

struct found {
	enum found_how how;
	uint32_t name;	    /* last one, 0 where the way ended before, or for the root */
	uint32_t directory; /* it lies in */
	uint32_t object;
};

static inline uint64_t word_get(const struct fs_model *m, uint32_t word)
{
	return m->word[word];
}
void word_set(struct fs_model *m, uint32_t word, uint64_t value);
uint32_t object_new(struct fs_model *m, uint64_t kind, bool complete);
uint32_t xattr_word(struct fs_model *m, uint32_t object, const char *name, uint32_t len);
uint32_t path_of_text(struct fs_model *m, const char *text, uint32_t len);

/* Looks a path up. `follow`: a link at its end too. `succeeded`: the call got there, so what is not
 * known on the way is a directory. Watchers are told of the names on the way, not of the last one.
 */
struct found path_find(struct fs_model *m, uint32_t path, bool follow, bool succeeded);
/* What is found is an object, because the call says so; false where it cannot be. */
bool found_must_exist(struct fs_model *m, struct found *f);
/* Nothing has the name, and there is a way to it. */
bool found_must_not_exist(struct fs_model *m, struct found *f);
bool object_must_be(struct fs_model *m, uint32_t object, uint64_t kind);
/* A name gets another meaning: ABSENT or an object. */
void name_set(struct fs_model *m, const struct found *f, uint64_t meaning);
void told_name(struct fs_model *m, const struct found *f, bool change);

/* Reports a use to the listener, if there is one. `what`: a name, an object, of a directory the
 * word of its entries, or of locks the word of the kind. */
static inline void tell_more(struct fs_model *m, enum fs_event_kind kind, uint32_t what,
			     bool change, size_t n, const uint64_t more[])
{
	if (m->told)
		fs_event_add(m->told, kind, what - m->first_told, change, n, more);
}
static inline void tell(struct fs_model *m, enum fs_event_kind kind, uint32_t what, bool change)
{
	tell_more(m, kind, what, change, 0, NULL);
}

/* fs_model_data.c: requests on descriptors. `object`: what the slot means. */
bool data_apply(struct fs_model *m, const struct load_request *r);
bool size_must_be(struct fs_model *m, uint32_t object, uint64_t at_least, uint64_t at_most);
void size_change(struct fs_model *m, uint32_t object, uint64_t size);
uint32_t slot_object(const struct fs_model *m, uint32_t slot); /* 0: not known */
void slot_opened(struct fs_model *m, uint32_t slot); /* and what inherits it */
void attribute_told(struct fs_model *m, uint32_t object, bool change);
bool attribute_apply(struct fs_model *m, const struct load_request *r, uint32_t object);

#endif
