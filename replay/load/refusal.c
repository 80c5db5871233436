/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls that no replay makes, by their arguments. */
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>

#include "capture/op.h"
#include "replay/load/load.h"

static enum pass_reason control_refusal(const struct load *l, const struct load_request *r)
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
		return PASS_NOT;
	case F_SETLK:
	case F_SETLKW:
	case F_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
	case F_OFD_GETLK:
		return len == sizeof(struct op_lock) ? PASS_NOT : PASS_UNTOLD;
	default:
		return PASS_UNTOLD;
	}
}

/* ioctl(). An immutable or append-only file could not be removed after the replay. */
static enum pass_reason ioctl_refusal(const struct load_request *r)
{
	switch (r->flags) {
	case CALL_TCGETS:
	case FIGETBSZ:
	case FS_IOC_GETFLAGS:
	case FS_IOC_FSGETXATTR:
		return PASS_NOT;
	case FS_IOC_SETFLAGS:
		if (r->offset == OFFSET_NONE || !(r->offset & OP_IOCTL_VALUE))
			return PASS_UNTOLD;
		return r->offset & (FS_IMMUTABLE_FL | FS_APPEND_FL) ? PASS_FORBIDDEN : PASS_NOT;
	default:
		return PASS_UNTOLD;
	}
}

enum pass_reason call_refusal(const struct load *l, const struct load_request *r)
{
	uint32_t len, type = (uint32_t)r->length & S_IFMT;
	const char *text = load_heap(l, r, &len);
	switch (r->op) {
	case OP_CHROOT:
		return PASS_FORBIDDEN;
	case OP_MKNOD:
		return type && type != S_IFREG && type != S_IFSOCK && type != S_IFIFO ?
			PASS_FORBIDDEN : PASS_NOT;
	case OP_RENAME:
		/* RENAME_WHITEOUT makes a device */
		return r->flags & ~3u ? PASS_FORBIDDEN : PASS_NOT;
	case OP_SETXATTR:
	case OP_FSETXATTR:
		if (r->flags & OP_ACL_IS_MODE) /* permissions */
			return PASS_NOT;
		/* fallthrough */
	case OP_REMOVEXATTR:
	case OP_FREMOVEXATTR:
		return text && strncmp(text, "user.", 5) ? PASS_FORBIDDEN : PASS_NOT;
	case OP_FCNTL:
		return control_refusal(l, r);
	case OP_IOCTL:
		return ioctl_refusal(r);
	case OP_FFLUSH:
		return r->has_fd ? PASS_NOT : PASS_UNTOLD; /* of all streams */
	case OP_AIO_OTHER:
	case OP_IO_CANCEL:
	case OP_IO_URING_ENTER:
		return PASS_UNTOLD;
	case OP_VMSPLICE:
	case OP_TEE:
		return PASS_OBJECT;
	case OP_PAGE_CACHE_ADD:
		return PASS_KERNEL;
	default:
		return PASS_NOT;
	}
}
