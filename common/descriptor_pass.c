/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/descriptor_pass.h"

#include <sys/socket.h>

union rights { /* a control message with one descriptor, aligned */
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int descriptor_send(int socket, uint32_t number, int fd)
{
	union rights rights = {.room = {0}};
	struct iovec text = {&number, sizeof number};
	const struct msghdr m = {.msg_iov = &text,
				 .msg_iovlen = 1,
				 .msg_control = &rights,
				 .msg_controllen = sizeof rights};
	rights.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof fd),
					 .cmsg_level = SOL_SOCKET,
					 .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&rights.header), &fd, sizeof fd);
	return TEMP_FAILURE_RETRY(sendmsg(socket, &m, MSG_NOSIGNAL)) < 0 ? errno : 0;
}

bool descriptor_receive(int socket, uint32_t *number, int *fd)
{
	union rights rights;
	struct iovec text = {number, sizeof *number};
	struct msghdr m = {.msg_iov = &text,
			   .msg_iovlen = 1,
			   .msg_control = &rights,
			   .msg_controllen = sizeof rights};
	*fd = -1;
	if (TEMP_FAILURE_RETRY(recvmsg(socket, &m, MSG_CMSG_CLOEXEC)) != sizeof *number)
		return false;
	const struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof *fd);
	return true;
}
