/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offsets of members in the running kernel's structures, from its type information (BTF,
 * /sys/kernel/btf/vmlinux; format: Documentation/bpf/btf.rst of Linux). */
#ifndef CAPTURE_KERNEL_BTF_H
#define CAPTURE_KERNEL_BTF_H

#include <stdbool.h>

#include "common/err.h"

struct btf;

/* Errors: ENOENT: the kernel has none; EBADMSG. Ownership: btf_close. */
int btf_open(struct btf **b, struct err *e);
void btf_close(struct btf *b); /* NULL is fine */

struct btf_field {
	int offset, size; /* bytes */
};
/* Finds a structure's member, also inside an anonymous structure; "how.flags": a member of the
 * member structure `how`. False: the kernel has no such member. */
bool btf_member(const struct btf *b, const char *structure, const char *member,
		struct btf_field *to);

#endif
