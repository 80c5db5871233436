/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The namespace of a scene: the parts of the machine that can be seen and written. */
#pragma once

#include <sys/types.h>

#include "torture_scene.h"

/* Part of scene_enter: enters the mount namespace, attaches the loop devices, mounts SCENE_DIR and
 * a private /dev that has no other devices, and makes every other mount read-only. Return as
 * scene_enter. */
int world_enter(struct scene *s, const char *keep, const char *cgroup);
/* Forbids this process and its children every block device except those of the scene, by a device
 * cgroup of version 1. False: there is no such cgroup. The caller removes `cgroup` when the process
 * has ended. */
bool world_devices_restrict(const struct scene *s, const char *cgroup);
dev_t world_device_number(int fd); /* of an open device */
