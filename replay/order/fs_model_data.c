/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on descriptors (data, sizes, positions), and on extended attributes. */
#include <linux/falloc.h>
#include <sys/xattr.h>

#include "replay/order/fs_model_private.h"

/* --- sizes and positions ------------------------------------------------- */

/* 0: unknown */
static uint32_t slot_object(const struct fs_model *m, uint32_t slot)
{
	return slot ? (uint32_t)m->word[m->slot_word[slot] + SLOT_OBJECT] : 0;
}

void slot_opened(struct fs_model *m, uint32_t slot)
{
	const struct slots *s = m->s;
	word_set(m, m->state_word + slot, SLOT_OPEN);
	if (s->slot[slot].replaces)
		word_set(m, m->state_word + s->slot[slot].replaces, SLOT_CLOSED);
	for (uint32_t h = s->slot[slot].heir; h; h = s->slot[h].next_heir)
		word_set(m, m->state_word + h, SLOT_OPEN);
}

/* Applies a request to the slot: before its open and after its close, no request on a descriptor
 * succeeds. */
static bool slot_apply(struct fs_model *m, const struct load_request *r)
{
	const struct load_more *more = load_more(m->l, r);
	const bool in_memory =
	    load_is_touch(r) || (op_info(r->op)->family == FAMILY_MAP && r->op != OP_MMAP);
	if (r->rvalue < 0 || in_memory) /* a mapping outlives its descriptor */
		return true;
	if (m->word[m->state_word + r->slot] != SLOT_OPEN && !m->force)
		return false;
	if (load_closes(r))
		word_set(m, m->state_word + r->slot, SLOT_CLOSED);
	else if (more && more->slot && op_info(r->op)->family != FAMILY_COPY)
		slot_opened(m, more->slot);
	return true;
}

static uint64_t position_of(const struct fs_model *m, uint32_t slot, uint64_t offset)
{
	uint64_t at = m->word[m->slot_word[slot] + SLOT_POSITION];
	return at == UNKNOWN ? offset : at;
}

static void position_set(struct fs_model *m, uint32_t slot, uint64_t at)
{
	word_set(m, m->slot_word[slot] + SLOT_POSITION, at);
}

void size_change(struct fs_model *m, uint32_t object, uint64_t size)
{
	word_set(m, object + WORD_SIZE, size);
	event_report(m, FS_EVENT_RESIZE, object, true);
}

void attribute_report(struct fs_model *m, uint32_t object, bool change)
{
	event_report(m, FS_EVENT_ATTRIBUTE, object, change);
}

/* Reports a listing of a directory. A listing through a descriptor also depends on the removal of
 * the directory. */
static void listing_report(struct fs_model *m, uint32_t directory)
{
	event_report(m, FS_EVENT_ENTRIES, directory + WORD_ENTRIES, false);
	attribute_report(m, directory, false);
}

/* A readdir that begins a listing. */
static bool count_fits(struct fs_model *m, const struct load_request *r, uint32_t directory)
{
	const uint32_t *n = u64_map_find(&m->listing, (uint64_t)(r - m->l->request)),
		       word = directory + WORD_LISTED;
	if (!n || m->word[word] == *n)
		return true;
	if (m->word[word] != UNKNOWN && !m->any_count && !m->force)
		return false;
	word_set(m, word, *n);
	return true;
}

/* --- moving data --------------------------------------------------------- */

static bool read_apply(struct fs_model *m, uint32_t object, uint64_t start, uint64_t asked,
		       uint64_t got)
{
	uint64_t size = m->word[object + WORD_SIZE];
	if (start != OFFSET_NONE && size != UNKNOWN) {
		uint64_t there = start < size ? size - start : 0,
			 expected = asked < there ? asked : there;
		if (got != expected && !m->force)
			return false;
		if (got > expected)
			word_set(m, object + WORD_SIZE, load_end_of(start, got));
	} else if (start != OFFSET_NONE && got && got < asked) {
		word_set(m, object + WORD_SIZE, load_end_of(start, got)); /* short: end of file */
	}
	const uint64_t end = start == OFFSET_NONE ? UINT64_MAX : load_end_of(start, asked);
	event_report_more(m, FS_EVENT_READ, object, false, 3, (const uint64_t[]){start, end, got});
	return true;
}

static void write_apply(struct fs_model *m, uint32_t object, uint64_t start, uint64_t n,
			bool appends)
{
	uint64_t size = m->word[object + WORD_SIZE];
	if (appends)
		start = size == UNKNOWN ? OFFSET_NONE : size;
	uint64_t end = start == OFFSET_NONE ? UINT64_MAX : load_end_of(start, n);
	if (start == OFFSET_NONE)
		word_set(m, object + WORD_SIZE, UNKNOWN);
	else if (size != UNKNOWN && end > size)
		word_set(m, object + WORD_SIZE, end);
	if (start != OFFSET_NONE && size != UNKNOWN && start > size)
		start = size; /* the hole before the written bytes becomes readable as well */
	event_report_more(m, FS_EVENT_WRITE, object, appends, 2, (const uint64_t[]){start, end});
}

/* Applies a transfer between a descriptor and memory or another descriptor. */
static bool move_apply(struct fs_model *m, uint32_t slot, bool writes, bool appends,
		       bool at_position, uint64_t offset, uint64_t asked, int64_t result)
{
	uint32_t object = slot_object(m, slot);
	if (result < 0)
		return result != -EISDIR || !object || object_must_be(m, object, KIND_DIRECTORY);
	if (object && !object_must_be(m, object, KIND_FILE))
		return false;
	uint64_t n = (uint64_t)result;
	uint64_t start = at_position ? position_of(m, slot, offset) : offset;
	if (object && !writes && !read_apply(m, object, start, asked, n))
		return false;
	if (object && writes && n)
		write_apply(m, object, start, n, appends);
	if (object && appends && at_position)
		start = m->word[object + WORD_SIZE] == UNKNOWN ? OFFSET_NONE
							       : m->word[object + WORD_SIZE] - n;
	if (at_position)
		position_set(m, slot, start == OFFSET_NONE ? UNKNOWN : load_end_of(start, n));
	return true;
}

static bool copy_apply(struct fs_model *m, const struct load_request *r)
{
	const struct load_more *more = load_more(m->l, r);
	bool from_position = r->offset == OFFSET_NONE || r->op == OP_SENDFILE || r->op == OP_SPLICE;
	uint64_t from = r->offset;
	if (r->rvalue < 0)
		return true;
	/* a short copy to a pipe or socket does not show the end of the file */
	uint64_t asked = r->op == OP_COPY_FILE_RANGE ? r->length : (uint64_t)r->rvalue;
	if (r->slot && !m->s->slot[r->slot].skipped &&
	    !move_apply(m, r->slot, false, false, from_position && r->offset == OFFSET_NONE, from,
			asked, r->rvalue))
		return false;
	if (more && more->slot && !m->s->slot[more->slot].skipped && r->rvalue > 0)
		return move_apply(m, more->slot, true, false, more->from == OFFSET_NONE, more->from,
				  r->length, r->rvalue); /* copies refuse O_APPEND */
	return true;
}

/* Handles a seek to the end of a directory, which is 0 or the largest position of its file
 * system. */
static bool end_asked(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	uint64_t size = m->word[object + WORD_SIZE], found = (uint64_t)r->rvalue - r->offset;
	bool directory = m->word[object + WORD_KIND] == KIND_DIRECTORY;
	if (directory && found && found < INT32_MAX && !m->force)
		return false;
	if (r->flags == SEEK_END && !directory && size != UNKNOWN && size != found && !m->force)
		return false;
	if (r->flags == SEEK_END && !directory)
		word_set(m, object + WORD_SIZE, found);
	event_report_more(m, FS_EVENT_SIZE, object, false, 1,
		  (const uint64_t[]){m->word[object + WORD_SIZE]});
	return true;
}

static bool seek_apply(struct fs_model *m, const struct load_request *r)
{
	uint32_t object = slot_object(m, r->slot);
	uint64_t at = m->word[m->slot_word[r->slot] + SLOT_POSITION];
	bool from_end = r->flags != SEEK_SET && r->flags != SEEK_CUR;
	/* the result depends on whether later bytes were ever written */
	if ((r->flags == SEEK_DATA || r->flags == SEEK_HOLE) && object)
		event_report_more(m, FS_EVENT_READ, object, false, 3,
			  (const uint64_t[]){r->offset, UINT64_MAX, 0});
	/* the end of a directory depends on its entries */
	if (from_end && object && m->word[object + WORD_KIND] == KIND_DIRECTORY)
		listing_report(m, object);
	if (r->rvalue < 0)
		return true;
	if (r->flags == SEEK_CUR && at != UNKNOWN && at + r->offset != (uint64_t)r->rvalue &&
	    !m->force)
		return false;
	if (from_end && object && !end_asked(m, r, object))
		return false;
	position_set(m, r->slot, (uint64_t)r->rvalue);
	return true;
}

static void allocate_apply(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	uint64_t end = load_end_of(r->offset, r->length), size = m->word[object + WORD_SIZE];
	if (r->flags & (FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE))
		event_report_more(m, FS_EVENT_WRITE, object, false, 2,
				  (const uint64_t[]){r->offset, end});
	if (r->flags & (FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE))
		size_change(m, object, UNKNOWN);
	/* without KEEP_SIZE the call sets the size, even if the file is large enough now */
	else if (!(r->flags & FALLOC_FL_KEEP_SIZE))
		write_apply(m, object, size < end ? size : end, size < end ? end - size : 0, false);
}

/* Applies a request on a stream. Streams read and write whole buffers at unknown offsets. */
static void stream_apply(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	bool writes = r->op == OP_FWRITE || r->op == OP_FPUTS || r->op == OP_FPUTC || r->op ==
		OP_FPRINTF || r->op == OP_FFLUSH || r->op == OP_FCLOSE || r->op == OP_FSEEK;
	bool reads = r->op == OP_FREAD || r->op == OP_FGETS || r->op == OP_FGETC ||
		     r->op == OP_GETDELIM || r->op == OP_FSCANF || r->op == OP_FSEEK;
	if (reads)
		read_apply(m, object, OFFSET_NONE, r->length, 0);
	if (writes && (m->s->slot[r->slot].flags & O_ACCMODE) != O_RDONLY)
		write_apply(m, object, OFFSET_NONE, 1, false);
	position_set(m, r->slot, UNKNOWN);
}

/* --- attributes ---------------------------------------------------------- */

/* Applies a request on an extended attribute. Its word is UNKNOWN, 0 if the attribute does not
 * exist, or 1 + its length. */
static bool xattr_apply(struct fs_model *m, const struct load_request *r, uint32_t object,
			bool sets, bool removes)
{
	uint32_t len;
	const char *name = load_heap(m->l, r, &len);
	if (!name || !len)
		return true;
	uint32_t word = xattr_word(m, object, name, len);
	uint64_t is = m->word[word];
	bool there = r->rvalue >= 0 ? !sets || r->flags & XATTR_REPLACE : r->rvalue == -EEXIST;
	bool missing = r->rvalue == -ENODATA || (r->rvalue >= 0 && sets && r->flags & XATTR_CREATE);
	if (((there && is == 0) || (missing && is != 0 && is != UNKNOWN)) && !m->force)
		return false;
	bool looks = !sets && !removes;
	if (looks && r->rvalue >= 0 && is != UNKNOWN && is != 0 && is != 1 + (uint64_t)r->rvalue &&
	    !m->force)
		return false;
	if (r->rvalue >= 0)
		word_set(m, word, removes ? 0 : 1 + (sets ? r->length : (uint64_t)r->rvalue));
	else if (missing)
		word_set(m, word, 0);
	return true;
}

bool attribute_apply(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	bool sets = r->op == OP_SETXATTR || r->op == OP_FSETXATTR,
	     removes = r->op == OP_REMOVEXATTR || r->op == OP_FREMOVEXATTR;
	bool looks = r->op == OP_GETXATTR || r->op == OP_FGETXATTR;
	bool lists = r->op == OP_LISTXATTR || r->op == OP_FLISTXATTR;
	bool changes = sets || removes || r->op == OP_CHMOD || r->op == OP_FCHMOD ||
		r->op == OP_CHOWN || r->op == OP_FCHOWN;
	if ((sets || removes || looks) && !xattr_apply(m, r, object, sets, removes))
		return false;
	if (changes || looks || lists || r->op == OP_ACCESS || r->op == OP_OPEN)
		attribute_report(m, object, changes && r->rvalue >= 0);
	return true;
}

/* --- locks --------------------------------------------------------------- */

/* --- one request --------------------------------------------------------- */

static bool object_apply(struct fs_model *m, const struct load_request *r, uint32_t object)
{
	enum op_family family = op_info(r->op)->family;
	if (r->op == OP_FTRUNCATE && r->rvalue >= 0)
		size_change(m, object, r->length);
	else if (r->op == OP_FALLOCATE && r->rvalue >= 0)
		allocate_apply(m, r, object);
	else if (r->op == OP_READDIR && !count_fits(m, r, object))
		return false;
	else if (family == FAMILY_DIRECTORY && r->op != OP_CLOSEDIR && r->op != OP_TELLDIR)
		listing_report(m, object);
	else if (family == FAMILY_STREAM)
		stream_apply(m, r, object);
	else if (load_is_touch(r) && r->flags & PAGE_WRITTEN)
		write_apply(m, object, r->offset, 1, false);
	else if (load_is_touch(r))
		read_apply(m, object, r->offset, 1, 1);
	/* a close may release locks: those of the process, or those of the open file */
	bool of_process;
	enum lock_act act = lock_act(m->l, r, &of_process);
	if (load_closes(r) && r->rvalue >= 0 && m->s->file[m->s->slot[r->slot].file].locked)
		act = LOCK_RELEASED;
	if (act != LOCK_NONE)
		event_report_more(m, FS_EVENT_LOCK, object + WORD_KIND, false, 1,
				  (const uint64_t[]){act});
	return attribute_apply(m, r, object);
}

bool data_apply(struct fs_model *m, const struct load_request *r)
{
	const struct op_info *o = op_info(r->op);
	uint32_t object = slot_object(m, r->slot);
	if (o->family == FAMILY_COPY)
		return copy_apply(m, r);
	if (!r->slot)
		return true;
	if (!slot_apply(m, r))
		return false;
	if (r->op == OP_LSEEK)
		return seek_apply(m, r);
	bool async = r->op == OP_AIO_READ || r->op == OP_AIO_READV || r->op == OP_AIO_WRITE ||
		     r->op == OP_AIO_WRITEV;
	if (o->family == FAMILY_READ || o->family == FAMILY_WRITE || async) {
		bool writes =
		    o->family == FAMILY_WRITE || r->op == OP_AIO_WRITE || r->op == OP_AIO_WRITEV;
		return move_apply(m, r->slot, writes, r->appends, o->uses & OP_MOVES_POSITION,
				  r->offset, r->length, r->rvalue);
	}
	return !object || object_apply(m, r, object);
}
