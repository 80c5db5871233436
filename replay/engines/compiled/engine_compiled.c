/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compiled engine: compiles and runs a program for each trace, as ARTC does. The requests are
 * static tables, and each traced thread has a function. Order, waiting, calls and stamps use the
 * code of `event` (program.h), but the loops contain only what the trace needs, and the process is
 * new. Programs are cached (store.c). Source: Weiss et al., ROOT: replaying multithreaded traces
 * with resource-oriented ordering (SOSP 2013). */

#include "common/files.h"
#include "replay/engines/compiled/compiled.h"
#include "replay/options/engine.h"

static const char *compiler_of(const struct replay_config *c)
{
	return c->compiled.cc && *c->compiled.cc ? c->compiled.cc : "cc";
}

static int make_in(const char *dir, const struct replay_plan *p, const struct image *tables,
		   const struct replay_config *c, const char *library, struct err *e)
{
	struct source_files files;
	int ret = source_write(p, tables, c, dir, &files, e);
	ret = ret ? ret : build_program(dir, &files, compiler_of(c), library, e);
	source_files_release(&files);
	return ret ? err_context(e, "compiling in %s", dir) : 0;
}

/* Builds the program. With --keep-source it builds in that directory, even if the program is
 * cached. */
static int program_build(struct replay_plan *p, const struct image *tables,
			 const struct replay_config *c, const char *library, struct err *e)
{
	int ret = dir_create(c->compiled.keep_source, e);
	ret = ret ? ret : make_in(c->compiled.keep_source, p, tables, c, library, e);
	if (ret)
		return ret;
	SCOPED_FREE char *path = xasprintf("%s/program", c->compiled.keep_source);
	p->program_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (p->program_fd < 0)
		ret = err_sys(e, errno, "cannot open %s", path);
	return ret;
}

static int program_cache(struct replay_plan *p, const struct image *tables,
			 const struct replay_config *c, const char *store, const char *key,
			 const char *library, struct err *e)
{
	SCOPED_FREE char *workshop = store_workshop(store, e);
	if (!workshop)
		return -EIO;
	int ret = make_in(workshop, p, tables, c, library, e);
	if (!ret) {
		p->program_fd = store_keep(store, workshop, key, e);
		ret = p->program_fd < 0 ? p->program_fd : 0;
	}
	int removed = dir_remove_tree(workshop, ret ? NULL : e);
	return ret ? ret : removed;
}

/* Identifies the library that programs are linked with, by its path, size, time and inode. A new
 * library gives new programs. */
static char *identity_of(const char *library)
{
	struct stat st = {.st_size = 0};
	(void)stat(library, &st);
	return xasprintf("%s %lld %lld.%09ld %llu", library, (long long)st.st_size,
		(long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec, (unsigned long long)st.st_ino);
}

static int program_find(struct replay_plan *p, const struct image *tables,
			const struct replay_config *c, const char *library, struct err *e)
{
	char key[FILE_DIGEST_HEX];
	SCOPED_FREE char *identity = identity_of(library);
	const char *const more[] = {identity, compiler_of(c), build_flags, NULL};
	int ret = source_key(tables, c, more, key, e);
	SCOPED_FREE char *store = NULL;
	ret = ret ? ret : store_find(c->compiled.program_cache, &store, e);
	if (!ret)
		p->program_fd = store_open(store, key);
	if (!ret && p->program_fd < 0)
		ret = program_cache(p, tables, c, store, key, library, e);
	return ret;
}

static int compiled_prepare(struct replay_plan *p, const struct replay_config *c, struct err *e)
{
	SCOPED_FREE char *library = build_library_find(e);
	if (!library)
		return -ENOENT;
	struct vm_region tables;
	int ret = image_make(p, &tables, e);
	if (!ret)
		ret = c->compiled.keep_source && *c->compiled.keep_source
			  ? program_build(p, tables.base, c, library, e)
			  : program_find(p, tables.base, c, library, e);
	vm_free(&tables);
	return ret;
}

static int compiled_run(struct replay_plan *p, const struct replay_config *c, struct err *e)
{
	int ret = start_program(p, c, p->program_fd, e);
	close(p->program_fd);
	p->program_fd = 0;
	return ret;
}

static int compiled_check(const struct replay_config *c, struct err *e)
{
	if (c->mutant && *c->mutant)
		return err_set(e, EINVAL,
			"mutant: engine compiled has no mutants: use engine event or block");
	return 0;
}

const struct replay_engine engine_compiled = {
	.name = "compiled",
	.level = LEVEL_SYSCALL,
	.help = "compiles a program from the trace, with one function per traced thread, and "
			 "runs it",
	.processes = true,
	.own_threads = true,
	.program = true,
	.captured = true,
	.marks_cpu_delay = true,
	.options = compiled_option_table,
	.options_ignored = true,
	.check = compiled_check,
	.prepare = compiled_prepare,
	.run = compiled_run,
};
