/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/preload/file_actions.h"

#include <fcntl.h>
#include <stdlib.h>

#include "capture/op.h"

/* An element of the array `__actions` in glibc 2.35 (sysdeps spawn_int.h). Earlier versions have
 * the same layout and fewer actions. */
struct __spawn_action {
	enum { ACT_CLOSE, ACT_DUP2, ACT_OPEN, ACT_CHDIR, ACT_FCHDIR, ACT_CLOSE_FROM, ACT_TERMINAL,
	       N_ACTS } what;
	union {
		int fd;
		char *directory;
		struct {
			int fd, wanted;
		} dup2;
		struct {
			int fd;
			char *path;
			int flags;
			mode_t mode;
		} open;
	};
};

/* Returns whether the C library has this layout: makes an object with known actions and reads it.
 * Two threads may do this at the same time; the result is the same. */
static bool layout_is_known(void)
{
	static _Atomic int known; /* 0: not tested yet; 1: known; -1: unknown */
	posix_spawn_file_actions_t a;
	if (known || posix_spawn_file_actions_init(&a))
		return known > 0;
	bool sound = !posix_spawn_file_actions_addopen(&a, 7, "/file", O_CREAT | O_RDWR, 0640) &&
		     !posix_spawn_file_actions_addclose(&a, 4) &&
		     !posix_spawn_file_actions_adddup2(&a, 5, 6) &&
		     !posix_spawn_file_actions_addchdir_np(&a, "/directory") &&
		     !posix_spawn_file_actions_addfchdir_np(&a, 3) && a.__used == 5;
	const struct __spawn_action *s = a.__actions;
	sound = sound && s[0].what == ACT_OPEN && s[0].open.fd == 7 &&
		!strcmp(s[0].open.path, "/file") && s[0].open.flags == (O_CREAT | O_RDWR) &&
		s[0].open.mode == 0640 && s[1].what == ACT_CLOSE && s[1].fd == 4 &&
		s[2].what == ACT_DUP2 && s[2].dup2.fd == 5 && s[2].dup2.wanted == 6 &&
		s[3].what == ACT_CHDIR && !strcmp(s[3].directory, "/directory") &&
		s[4].what == ACT_FCHDIR && s[4].fd == 3;
	posix_spawn_file_actions_destroy(&a);
	known = sound ? 1 : -1;
	return sound;
}

/* Number of actions, or -1: they cannot be read. */
static int count_of(const posix_spawn_file_actions_t *a)
{
	if (!a || a->__used <= 0)
		return 0;
	if (!layout_is_known())
		return -1;
	for (int i = 0; i < a->__used; i++)
		if ((unsigned int)a->__actions[i].what >= N_ACTS)
			return -1;
	return a->__used;
}

void file_actions_look(const posix_spawn_file_actions_t *actions)
{
	/* a directory that the actions change to, relative to `dir`, and a name in it */
	char text[4097], *to = text, *const end = text + sizeof text - 1;
	int dir = AT_FDCWD;
	const int n = capture_flags & LOG_STATE ? count_of(actions) : 0;
	for (int i = 0; i < n; i++) {
		const struct __spawn_action *a = &actions->__actions[i];
		if (a->what == ACT_FCHDIR) {
			dir = a->fd;
			to = text;
		}
		if (a->what == ACT_OPEN && a->open.path[0] == '/') {
			capture_look(AT_FDCWD, a->open.path);
		} else if (a->what == ACT_OPEN) {
			capture_text_add(to, end, a->open.path);
			capture_look(dir, text);
		} else if (a->what == ACT_CHDIR) {
			to = a->directory[0] == '/' ? text : to;
			to = capture_text_add(to, end, a->directory);
			capture_look(dir, text);
			to = capture_text_add(to, end, "/");
		}
	}
}

static void one_note(const struct __spawn_action *a, uint64_t begin)
{
	const uint64_t end = begin;
	const struct op_peer to = {a->dup2.wanted, OBJECT_NONE, OFFSET_NONE};
	const uint32_t flags = (uint32_t)a->open.flags;
	/* close and open first close the descriptor, if it is open */
	if (a->what == ACT_CLOSE || a->what == ACT_OPEN || a->what == ACT_CLOSE_FROM)
		NOTE_RESULT(0, .op = LOG_CLOSE_RANGE, .offset = (uint64_t)(a->fd > 0 ? a->fd : 0),
			    .length = a->what == ACT_CLOSE_FROM ? UINT32_MAX : (uint64_t)a->fd);
	switch (a->what) {
	case ACT_OPEN:
		NOTE_RESULT(a->open.fd, .op = OP_OPEN, .fd = a->open.fd, .dir = AT_FDCWD,
			    .path = a->open.path, .flags = flags,
			    .length = op_makes_file(OP_OPEN, flags) ? a->open.mode : 0);
		break;
	case ACT_DUP2:
		if (a->dup2.fd == a->dup2.wanted) /* stays open in the program */
			NOTE_RESULT(0, .op = OP_FCNTL, .fd = a->fd, .flags = F_SETFD);
		else
			NOTE_RESULT(a->dup2.wanted, .op = OP_DUP2, .fd = a->dup2.fd, .extra = &to,
				    .extra_len = sizeof to);
		break;
	case ACT_CHDIR:
		NOTE_RESULT(0, .op = OP_CHDIR, .dir = AT_FDCWD, .path = a->directory);
		break;
	case ACT_FCHDIR:
		NOTE_RESULT(0, .op = OP_FCHDIR, .fd = a->fd);
		break;
	default:
		break;
	}
}

static bool makes_files(const posix_spawn_file_actions_t *actions, int n)
{
	for (int i = 0; i < n; i++)
		if (actions->__actions[i].what == ACT_OPEN &&
		    actions->__actions[i].open.flags & (O_CREAT | O_TRUNC))
			return true;
	return false;
}

void file_actions_note(const posix_spawn_file_actions_t *actions, uint64_t begin, pid_t child)
{
	uint64_t signals;
	const int n = count_of(actions);
	if (!n || !capture_is_on())
		return;
	if (n < 0 || child <= 0 || !capture_as_child_begin((uint32_t)child, &signals)) {
		if (n < 0 || child > 0 || makes_files(actions, n))
			change_write(CHANGE_ACTIONS);
		return;
	}
	/* the child's program begins much later */
	for (int i = 0; i < n; i++)
		one_note(&actions->__actions[i], begin + (uint64_t)i);
	capture_as_child_end(&signals);
}
