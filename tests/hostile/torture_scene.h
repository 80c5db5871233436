/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of hostile replays: a mount namespace in which only scratch file systems in memory and
 * scratch loop devices can be written. A target directory with objects of all kinds is planted
 * again for each trace; all files outside it are watched. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCENE_DIR "/mnt" /* a file system in memory is mounted here */
#define SCENE_TARGET SCENE_DIR "/target"
#define SCENE_TMP SCENE_DIR "/tmp"   /* $TMPDIR of the replay */
#define SCENE_WORK SCENE_DIR "/work" /* traces, scratch files and outputs */
#define SCENE_KEEP SCENE_DIR "/keep" /* where failing traces are kept: a directory of the machine  \
				      */
#define SCENE_DEVICE_BYTES (1u << 20)

/* Names in traces: files, missing names, directories (the ordinary names), then objects that a
 * replay must not open or use to leave the target. Each number is the start of the next part. */
extern const char *const scene_names[];
extern const uint32_t scene_n_files, scene_n_new, scene_n_ordinary, scene_n_names;

struct scene {
	int canary_fd, scratch_fd; /* loop devices: one that must not change, one for replays */
	char canary[32], scratch[32]; /* their names */
	int fifo_fd;                  /* a planted FIFO that another process holds open */
	struct watched *watched;
	unsigned char *content; /* of the canary device */
};

/* Enters the namespace: mounts, devices, the canary tree. Everything else becomes read-only.
 * `keep`: an existing directory. `cgroup`: path of a device cgroup that is created, which the
 * caller removes when this process has ended. Prints failures. Returns 0, or 77 if the machine does
 * not permit it, or 1. */
int scene_enter(struct scene *s, const char *keep, const char *cgroup);
/* In a process that will replay: drops the rights to create device nodes, to load modules, to
 * restart the machine. */
void scene_drop_rights(void);

/* Makes the target again, with a random choice of all objects. */
void scene_plant(struct scene *s, uint64_t seed);
/* Exchanges names in the target until it is killed. */
void scene_swap_names(uint64_t seed);
/* Whether no file outside the target was changed and nothing was left over. If not, `why` states
 * the change. A changed canary is restored. */
bool scene_is_unchanged(struct scene *s, char *why, size_t size);
