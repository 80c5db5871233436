/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes records with text. */
#include <pthread.h>

#include "capture/op.h"
#include "capture/preload/core.h"

enum { PATH_MOST = 4096 };

static char *room_reserve(size_t n)
{
	for (int i = 0; i < 3; i++) { /* a signal handler may fill the window that was just taken */
		struct recorder *r = capture_mine();
		char *at = r ? capture_reserve(r, n) : NULL;
		if (at || !capture_more())
			return at;
	}
	return NULL;
}

static void lengths_write(char *to, const struct note *n, size_t len)
{
	for (size_t i = 0; i < len / sizeof(uint64_t); i++) {
		const uint64_t each = n->vector[i].iov_len;
		memcpy(to + i * sizeof each, &each, sizeof each);
	}
}

/* Length of the path. -1: there is no readable path. After ENOENT, the kernel has read the path. */
static ssize_t path_length(const struct note *n, int error)
{
	if (!n->path || (n->result < 0 && error == EFAULT))
		return -1;
	return n->result >= 0 || error == ENOENT ? (ssize_t)strnlen(n->path, PATH_MOST)
						 : capture_text(n->path);
}

static size_t length_cut(size_t len, size_t most)
{
	return len < most ? len : most;
}

static uint64_t length_of(const struct note *n)
{
	if (!op_makes_file(n->op, n->flags) || !(capture_umask & OP_UMASK_KNOWN))
		return n->length;
	return op_mode_under(n->op, n->length, capture_umask);
}

void capture_note(const struct note *n)
{
	int saved = errno;
	cause_recorded(n->op, n->result < 0 ? saved : 0);
	/* EFAULT: the pointers are invalid and must not be dereferenced */
	bool readable = !(n->result < 0 && saved == EFAULT);
	const ssize_t len_or_none = path_length(n, saved);
	const char *path = len_or_none < 0 ? NULL : n->path;
	const size_t path_len = path ? (size_t)len_or_none : 0;
	size_t extra_len = !readable   ? 0
			   : n->vector ? n->n_vector * sizeof(uint64_t)
			   : n->extra  ? n->extra_len
				       : 0;
	extra_len = length_cut(extra_len, LOG_TEXT_MAX - PATH_MOST);
	bool has_text = path || extra_len;
	size_t len = sizeof(struct log_record) +
		     (has_text ? sizeof(struct log_text) + path_len + extra_len : 0);
	uint32_t n_units = (uint32_t)((len + LOG_UNIT - 1) / LOG_UNIT);
	char *at = room_reserve(n_units * LOG_UNIT);
	if (!at) {
		capture_lost();
		errno = saved;
		return;
	}
	struct log_record *to = (struct log_record *)at;
	to->begin = n->begin;
	to->end = n->end;
	to->offset = n->offset;
	to->length = length_of(n);
	to->result = n->result;
	to->fd = n->fd;
	to->dir = n->dir;
	to->flags = n->flags;
	to->op = n->op;
	to->error = (uint16_t)(n->result < 0 ? saved : 0);
	to->n_units = (uint16_t)n_units;
	to->reserved = 0;
	if (has_text) {
		char *texts = at + sizeof *to;
		struct log_text text = {(uint16_t)path_len, (uint16_t)extra_len, n->second_dir};
		memcpy(texts, &text, sizeof text);
		memcpy(texts + sizeof text, path ? path : "", path_len);
		if (n->vector)
			lengths_write(texts + sizeof text + path_len, n, extra_len);
		else if (extra_len)
			memcpy(texts + sizeof text + path_len, n->extra, extra_len);
	}
	atomic_store_explicit(&to->commit, capture_generation(to), memory_order_release);
	struct recorder *r = capture_self;
	if (unlikely(r && r->begins)) { /* the same start: the records of a thread stay in order */
		r->begins = 0;
		capture_note(&(struct note){.begin = n->begin,
					    .end = n->begin,
					    .op = LOG_THREAD,
					    .offset = (uint64_t)pthread_self()});
	}
	errno = saved;
}
