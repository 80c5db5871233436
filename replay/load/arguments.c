/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derives two facts from the arguments of a request: whether it can be replayed, and what it does
 * to locks. */
#include <linux/fs.h>

#include "replay/load/load.h"

static enum skip_reason control_refusal(const struct load *l, const struct load_request *r)
{
	uint32_t len;
	load_heap(l, r, &len);
	switch (r->flags) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
	case F_GETFD:
	case F_SETFD:
	case F_GETFL:
	case F_SETFL:
		return SKIP_NONE;
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK:
		return len == sizeof(struct op_lock) ? SKIP_NONE : SKIP_MISSING;
	default:
		return SKIP_MISSING;
	}
}

/* Refuses flags that make a file immutable or append-only: it could not be removed after the
 * replay. */
static enum skip_reason ioctl_refusal(const struct load_request *r)
{
	switch (r->flags) {
	case CALL_TCGETS:
	case FIGETBSZ:
	case FS_IOC_GETFLAGS:
	case FS_IOC_FSGETXATTR:
		return SKIP_NONE;
	case FS_IOC_SETFLAGS:
		if (r->offset == OFFSET_NONE || !(r->offset & OP_IOCTL_VALUE))
			return SKIP_MISSING;
		return r->offset & (FS_IMMUTABLE_FL | FS_APPEND_FL) ? SKIP_FORBIDDEN : SKIP_NONE;
	default:
		return SKIP_MISSING;
	}
}

enum skip_reason call_refusal(const struct load *l, const struct load_request *r)
{
	uint32_t len, type = (uint32_t)r->length & S_IFMT;
	const char *text = load_heap(l, r, &len);
	if (r->rvalue == -EXDEV)
		return SKIP_ACROSS;
	/* asynchronous requests have no end if their results were not fetched */
	if (r->rvalue == -ECANCELED && load_end_ns(l, r) == INT64_MAX &&
	    !(r->op >= OP_AIO_READ && r->op <= OP_AIO_OTHER))
		return SKIP_UNFINISHED;
	switch (r->op) {
	case OP_CHROOT:
		return SKIP_FORBIDDEN;
	case OP_MKNOD:
		return type && type != S_IFREG && type != S_IFSOCK && type != S_IFIFO ?
			SKIP_FORBIDDEN : SKIP_NONE;
	case OP_RENAME:
		/* RENAME_WHITEOUT makes a device */
		return r->flags & ~3u ? SKIP_FORBIDDEN : SKIP_NONE;
	case OP_SETXATTR:
	case OP_FSETXATTR:
		if (r->flags & OP_ACL_IS_MODE) /* permissions */
			return SKIP_NONE;
		/* fallthrough */
	case OP_REMOVEXATTR:
	case OP_FREMOVEXATTR:
		return text && strncmp(text, "user.", 5) ? SKIP_FORBIDDEN : SKIP_NONE;
	case OP_GETXATTR:
	case OP_FGETXATTR: /* a replay sets only attributes in the namespace "user." */
		return text && r->rvalue >= 0 && strncmp(text, "user.", 5) ? SKIP_FORBIDDEN
									    : SKIP_NONE;
	case OP_FCNTL:
		return control_refusal(l, r);
	case OP_IOCTL:
		return ioctl_refusal(r);
	case OP_FFLUSH:
		return r->has_fd ? SKIP_NONE : SKIP_MISSING; /* of all streams */
	case OP_AIO_OTHER:
	case OP_IO_CANCEL:
	case OP_IO_URING_ENTER:
		return SKIP_MISSING;
	case OP_VMSPLICE:
	case OP_TEE:
		return SKIP_OBJECT;
	case OP_PAGE_CACHE_ADD:
		return SKIP_KERNEL;
	default:
		return SKIP_NONE;
	}
}

/* --- locks --------------------------------------------------------------- */

static enum lock_act act_of(const struct load_request *r, bool asks, enum lock_act done)
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
	return act_of(r, r->flags == F_GETLK || r->flags == F_OFD_GETLK,
		      lock.type == F_UNLCK ? LOCK_RELEASED :
		      lock.type == F_RDLCK ? LOCK_SHARED : LOCK_TAKEN);
}

enum lock_act lock_act(const struct load *l, const struct load_request *r, bool *of_process)
{
	const uint32_t how = r->flags & ~(uint32_t)LOCK_NB; /* of flock */
	*of_process = r->op == OP_LOCKF;
	switch (r->op) {
	case OP_FLOCK:
		return act_of(r, false, how == LOCK_UN ? LOCK_RELEASED :
			      how == LOCK_SH ? LOCK_SHARED : LOCK_TAKEN);
	case OP_LOCKF:
		return act_of(r, r->flags == F_TEST,
			      r->flags == F_ULOCK ? LOCK_RELEASED : LOCK_TAKEN);
	case OP_FCNTL:
		return control_act(l, r, of_process);
	default:
		return LOCK_NONE;
	}
}
