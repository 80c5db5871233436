/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/device_queue.h"

#include <sys/sysmacros.h>

#include "common/files.h"
#include "common/words.h"

static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
static const char value_chars[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";

/* Splits "key=value"; an item without '=' is the scheduler. */
static int item_cut(char *item, const char **key, const char **value, struct err *e)
{
	char *equals = strchr(item, '=');
	if (equals)
		*equals = 0;
	*key = equals ? item : "scheduler";
	*value = equals ? equals + 1 : item;
	if (!**key || strspn(*key, name_chars) != strlen(*key))
		return err_set(
		    e, EINVAL,
		    "\"%s\" is not a queue setting: expected a list such as "
		    "none,nr_requests=64,nomerges=2",
		    *key);
	if (!**value || strspn(*value, value_chars) != strlen(*value))
		return err_set(e, EINVAL, "\"%s\" is not a value of the queue setting %s", *value,
			       *key);
	return 0;
}

typedef int item_work(const char *key, const char *value, void *context, struct err *e);

static int items_each(const char *text, item_work *work, void *context, struct err *e)
{
	SCOPED(words_list_release) struct words_list items;
	int ret = words_split(&items, text, e);
	for (size_t i = 0; !ret && i < items.n; i++) {
		const char *key = NULL, *value = NULL;
		bool first_only = i > 0 && !strchr(items.v[i], '=');
		ret = first_only
			  ? err_set(e, EINVAL, "\"%s\": only the first item may be a scheduler",
				    items.v[i])
			  : item_cut(items.v[i], &key, &value, e);
		if (!ret && work)
			ret = work(key, value, context, e);
	}
	return ret;
}

int device_queue_check(const char *text, struct err *e)
{
	return items_each(text, NULL, NULL, e);
}

char *device_queue_parent(dev_t dev)
{
	char link[64];
	snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(dev), minor(dev));
	char *dir = major(dev) ? realpath(link, NULL) : NULL;
	if (!dir)
		return NULL;
	SCOPED_FREE char *partition = xasprintf("%s/partition", dir);
	char *slash = strrchr(dir, '/');
	if (path_exists(partition) && slash)
		*slash = 0;
	return dir;
}

static char *setting_path(const char *dir, const char *key)
{
	return xasprintf("%s/queue/%s", dir, key);
}

static int setting_fail(struct err *e, int code, const char *path, const char *value)
{
	return err_sys(e, code, "cannot set the queue setting %s to \"%s\"", path, value);
}

/* Returns the value in use, without the alternatives that the file lists: "[none] mq-deadline". */
static char *setting_read(const char *dir, const char *key, struct err *e)
{
	SCOPED_FREE char *path = setting_path(dir, key);
	SCOPED_FREE char *line = file_read_line(path);
	if (!line)
		err_sys(e, errno ? errno : ENOENT, "cannot read the queue setting %s", path);
	char *open = line ? strchr(line, '[') : NULL, *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return line ? xstrdup(line) : NULL;
	*close = 0;
	return xstrdup(open + 1);
}

static int setting_write(const char *dir, const char *key, const char *value, struct err *e)
{
	SCOPED_FREE char *path = setting_path(dir, key);
	const int code = file_put_text(path, value);
	return code ? setting_fail(e, code, path, value) : 0;
}

static int device_of(dev_t dev, char **dir, struct err *e)
{
	*dir = device_queue_parent(dev);
	if (!*dir)
		return err_set(e, ENODEV,
			       "the queue settings need a target directory on a block device, but "
			       "the directory is on device %u:%u, which is not a block device",
			       major(dev), minor(dev));
	return 0;
}

struct read_context {
	const char *dir;
	json_t *settings;
};

static int read_item(const char *key, const char *value, void *context, struct err *e)
{
	struct read_context *c = context;
	SCOPED_FREE char *now = setting_read(c->dir, key, e);
	if (!now)
		return e && e->code ? -e->code : -ENOENT;
	SCOPED_FREE char *path = setting_path(c->dir, key);
	if (access(path, W_OK) < 0)
		return setting_fail(e, errno, path, value);
	json_object_set_new(c->settings, key, json_string(now));
	return 0;
}

int device_queue_read(const char *text, dev_t dev, json_t **now, struct err *e)
{
	SCOPED_FREE char *dir = NULL;
	int ret = device_of(dev, &dir, e);
	if (ret)
		return ret;
	struct read_context c = {dir, json_object()};
	ret = items_each(text, read_item, &c, e);
	*now = ret ? NULL : json_pack("{s:s, s:O}", "device", dir, "settings", c.settings);
	json_decref(c.settings);
	return ret;
}

static int apply_item(const char *key, const char *value, void *context, struct err *e)
{
	return setting_write(context, key, value, e);
}

int device_queue_apply(const char *text, dev_t dev, struct err *e)
{
	SCOPED_FREE char *dir = NULL;
	int ret = device_of(dev, &dir, e);
	return ret ? ret : items_each(text, apply_item, dir, e);
}

int device_queue_restore(const json_t *before, struct err *e)
{
	const char *dir = json_string_value(json_object_get(before, "device")), *key;
	json_t *settings = json_object_get(before, "settings"), *value;
	int ret = 0;
	if (!dir || strncmp(dir, "/sys/devices/", 13) || strstr(dir, "/../"))
		return err_set(e, EINVAL,
			       "cannot restore the queue settings of the device: the journal of "
			       "the campaign does not name the device");
	json_object_foreach(settings, key, value)
	{
		const char *text = json_string_value(value);
		if (!text || strspn(key, name_chars) != strlen(key))
			continue;
		int one = setting_write(dir, key, text, ret ? NULL : e);
		ret = ret ? ret : one;
	}
	return ret;
}
