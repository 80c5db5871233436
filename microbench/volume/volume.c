/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <sys/file.h>

#include "common/files.h"
#include "common/sort.h"
#include "microbench/volume/server.h"
#include "microbench/volume/volume_private.h"

#define NAME_MAX_BYTES 32

void volume_config_init(struct volume_config *c)
{
	*c = (struct volume_config){.n_bytes = UINT64_C(1) << 30, .service = "constant:time=200us",
				    .seed = 1, .log_cap = 1000000, .lead_ns = VOLUME_LEAD_AUTO,
				    .loop = geteuid() == 0};
}

char *volume_root(const char *root)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	if (root) {
		char *real = realpath(root, NULL),
		     *here = real || *root == '/' ? NULL : realpath(".", NULL);
		char *path = real ? real : here ? xasprintf("%s/%s", here, root) : xstrdup(root);
		/* the root may not exist yet */
		for (size_t len = strlen(path); len > 1 && path[len - 1] == '/'; len--)
			path[len - 1] = 0;
		free(here);
		return path;
	}
	if (geteuid() == 0)
		return xstrdup("/run/validate-volumes");
	if (runtime && runtime[0] == '/')
		return xasprintf("%s/validate-volumes", runtime);
	return xasprintf("/tmp/validate-volumes-%u", geteuid());
}

int volume_name_check(const char *name, struct err *e)
{
	static const char allowed[] =
	    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t n = strlen(name);
	if (!n || n > NAME_MAX_BYTES || strspn(name, allowed) < n || name[0] == '.' ||
	    name[0] == '-')
		return err_set(e, EINVAL, "\"%s\" is not a volume name: expected at most %d "
			"letters, digits, dots, underscores and hyphens, without a dot or hyphen "
			"at the start", name, NAME_MAX_BYTES);
	return 0;
}

bool volume_is(const char *dir)
{
	static const char *const parts[] = {"mount", "lock", "log", "volume.json"};
	const unsigned int n_parts = sizeof parts / sizeof *parts;
	unsigned int has = 0;
	struct stat st;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool is = fd >= 0 && !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & 077);
	DIR *d = is ? fdopendir(fd) : NULL;
	if (!d) {
		fd_close(fd);
		return false;
	}
	for (struct dirent *entry; is && (entry = readdir(d));) {
		unsigned int i = 0;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		    !strncmp(entry->d_name, ".validate-", 10))
			continue;
		while (i < n_parts && strcmp(entry->d_name, parts[i]))
			i++;
		is = i < n_parts;
		has |= 1u << i;
	}
	closedir(d);
	/* A directory with only "lock" or only "log" may belong to another program. A volume is
	 * never in this state, because its parts are created and removed in the order of the
	 * list. */
	return is && (!has || (has & 1) || (has & 8) || (has & 6) == 6);
}

char *volume_inside(const struct volume *v, const char *name)
{
	return xasprintf("%s/%s", v->dir, name);
}

int volume_lock_open(const struct volume *v)
{
	SCOPED_FREE char *path = volume_inside(v, "lock");
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	int code = errno;
	return fd < 0 ? -code : fd;
}

static void server_look(struct volume *v)
{
	int fd = volume_lock_open(v);
	char text[32] = "";
	if (fd < 0)
		return;
	v->alive = flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
	if (v->alive && read(fd, text, sizeof text - 1) > 0)
		v->pid = (pid_t)strtol(text, NULL, 10);
	close(fd);
}

static char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));
	return text ? xstrdup(text) : NULL;
}

static void facts_read(struct volume *v)
{
	SCOPED_FREE char *path = volume_inside(v, "volume.json");
	json_auto_t *o = json_load_file(path, 0, NULL);
	v->service = text_of(o, "service");
	v->backing = text_of(o, "backing");
	v->group = text_of(o, "group");
	v->n_bytes = (uint64_t)json_integer_value(json_object_get(o, "size"));
	v->seed = (uint64_t)json_integer_value(json_object_get(o, "seed"));
	for (size_t i = 0; i < VOLUME_DEPTHS; i++)
		v->lead.ns[i] =
		    json_integer_value(json_array_get(json_object_get(o, "leads_ns"), i));
	v->lead.n_steady = (uint32_t)json_integer_value(json_object_get(o, "n_steady"));
	v->lead.low_ns = json_integer_value(json_object_get(o, "way_low_ns"));
	v->lead.high_ns = json_integer_value(json_object_get(o, "way_high_ns"));
}

void volume_read(struct volume *v, const char *root, const char *name)
{
	*v = (struct volume){.name = xstrdup(name), .dir = xasprintf("%s/%s", root, name)};
	v->file = volume_inside(v, "mount/" VOLUME_FILE);
	v->log = volume_inside(v, "log");
	facts_read(v);
	struct volume_log log;
	if (!volume_log_open(&log, v->log, false, NULL)) {
		v->realtime = atomic_load(&log.head->realtime);
		v->awake = atomic_load(&log.head->awake);
		v->own_cpu = atomic_load(&log.head->own_cpu);
		volume_log_close(&log);
	}
	server_look(v);
	loop_of_file(v->file, v->device, NULL);
}

int volume_slow(const struct volume *v, double factor, struct err *e)
{
	struct volume_log log;
	if (!(factor >= 0.01 && factor <= 100))
		return err_set(e, EINVAL, "volume %s: a slowdown of %g is not between 0.01 and 100",
			       v->name, factor);
	if (v->group)
		return err_set(e, ENOTSUP, "volume %s is throttled: it has no service times to "
			       "change", v->name);
	int ret = volume_log_open(&log, v->log, true, e);
	if (ret)
		return ret;
	atomic_store(&log.head->slowness_ppm, factor == 1 ? 0 : (uint32_t)lround(factor * 1e6));
	volume_log_close(&log);
	return 0;
}

int volume_restart(const struct volume *v, struct err *e)
{
	struct volume_log log;
	int ret = volume_log_open(&log, v->log, true, e);
	if (ret)
		return ret;
	volume_log_reset(&log);
	atomic_fetch_add(&log.head->n_restarts, 1);
	volume_log_close(&log);
	return 0;
}

void volume_release(struct volume *v)
{
	FREE_EACH(v->name, v->dir, v->file, v->log, v->service, v->backing, v->group);
	*v = (struct volume){0};
}

void volumes_release(struct volume *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		volume_release(&v[i]);
	free(v);
}

ORDER_BY_TEXT(by_name, struct volume, name)

char *volume_root_resolve(const char *root)
{
	char *top = volume_root(root), *real = realpath(top, NULL);
	if (!real)
		return top;
	free(top);
	return real;
}

int volume_list(const char *root, struct volume **out, size_t *n, struct err *e)
{
	SCOPED_FREE char *top = volume_root_resolve(root);
	struct volume *v = NULL;
	size_t cap = 0;
	int ret = 0;
	*n = 0;
	SCOPED_DIR DIR *d = opendir(top);
	if (!d && errno != ENOENT)
		ret = err_sys(e, errno, "cannot open directory %s", top);
	for (struct dirent *entry; d && (entry = readdir(d));) {
		SCOPED_FREE char *dir = xasprintf("%s/%s", top, entry->d_name);
		if (volume_name_check(entry->d_name, NULL) || !volume_is(dir))
			continue;
		GROW(v, *n, cap);
		volume_read(&v[(*n)++], top, entry->d_name);
	}
	SORT(v, *n, by_name);
	*out = v;
	return ret;
}

static int nothing_of_this_name(const char *root, const char *name, struct err *e)
{
	struct volume *v;
	size_t n;
	SCOPED_STRBUF names = STRBUF_INIT;
	if (!volume_list(root, &v, &n, NULL)) {
		for (size_t i = 0; i < n; i++)
			strbuf_addf(&names, "%s%s", i ? ", " : "", v[i].name);
		volumes_release(v, n);
	}
	return names.len
		   ? err_set(e, ENOENT, "unknown volume \"%s\": existing volumes are %s", name,
			     names.s)
		   : err_set(e, ENOENT, "unknown volume \"%s\": this user has no volumes", name);
}

int volume_find(const char *root, const char *name, struct volume *v, struct err *e)
{
	*v = (struct volume){0};
	int ret = volume_name_check(name, e);
	if (ret)
		return ret;
	char *top = volume_root_resolve(root), *dir = xasprintf("%s/%s", top, name);
	if (volume_is(dir))
		volume_read(v, top, name);
	else if (path_exists(dir))
		ret = err_set(e, EINVAL, "%s is not a volume of this user", dir);
	else
		ret = nothing_of_this_name(root, name, e);
	FREE_EACH(dir, top);
	return ret;
}
