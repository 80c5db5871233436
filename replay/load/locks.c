/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/load/locks.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static enum lock_act act(const struct load_request *r, bool asks, enum lock_act done)
{
	return asks || r->rvalue < 0 ? LOCK_QUERIED : done;
}

static enum lock_act control_act(const struct load *l, const struct load_request *r,
		bool *of_process)
{
	struct op_lock lock;
	uint32_t len;
	const char *item = load_heap(l, r, &len);
	if (!item || len != sizeof lock)
		return LOCK_NONE; /* it is not replayed */
	memcpy(&lock, item, sizeof lock);
	*of_process = r->flags == F_SETLK || r->flags == F_SETLKW || r->flags == F_GETLK;
	return act(r, r->flags == F_GETLK || r->flags == F_OFD_GETLK,
		   lock.type == F_UNLCK ? LOCK_RELEASED :
		   lock.type == F_RDLCK ? LOCK_SHARED : LOCK_TAKEN);
}

enum lock_act lock_act(const struct load *l, const struct load_request *r, bool *of_process)
{
	const uint32_t how = r->flags & ~(uint32_t)LOCK_NB; /* of flock */
	*of_process = r->op == OP_LOCKF;
	switch (r->op) {
	case OP_FLOCK:
		return act(r, false, how == LOCK_UN ? LOCK_RELEASED :
			   how == LOCK_SH ? LOCK_SHARED : LOCK_TAKEN);
	case OP_LOCKF:
		return act(r, r->flags == F_TEST,
			   r->flags == F_ULOCK ? LOCK_RELEASED : LOCK_TAKEN);
	case OP_FCNTL:
		return control_act(l, r, of_process);
	default:
		return LOCK_NONE;
	}
}
