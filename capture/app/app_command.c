/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the command and the library, and decides whether the command can be captured. */
#include <sys/xattr.h>

#include "capture/app/app_private.h"
#include "common/files.h"

#define LIBRARY "libvalidate-capture.so"
#define LIBRARY_CAUSES "libvalidate-causality.so"

/* The library at `path`. NULL: it does not exist, or it cannot be used and *ret is the error. */
static char *library_at(const char *path, int *ret, struct err *e)
{
	char *real = realpath(path, NULL);
	if (!real || !strpbrk(real, " :"))
		return real;
	*ret = err_set(e, EINVAL, "%s: the dynamic linker cannot preload a library whose path has "
		"a space or a colon: install validate in another directory", real);
	free(real);
	return NULL;
}

char *app_library_find(bool causes, struct err *e)
{
	static const char *const places[] = {"", "../lib/validate/"};
	const char *name = causes ? LIBRARY_CAUSES : LIBRARY;
	char *self = program_path(e), *found = NULL;
	int ret = 0;
	if (!self)
		return NULL;
	char *slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places && !found && !ret; i++) {
		char *path = xasprintf("%s/%s%s", self, places[i], name);
		found = library_at(path, &ret, e);
		free(path);
	}
	if (!found && !ret)
		err_set(e, ENOENT, "cannot find %s: it must be in %s, the directory of validate, "
				   "or in %s/../lib/validate", name, self, self);
	free(self);
	return found;
}

char *app_command_find(const char *name, struct err *e)
{
	char *file = command_path(name);
	if (!file && strchr(name, '/'))
		err_sys(e, errno, "cannot execute %s", name);
	else if (!file)
		err_set(e, ENOENT, "there is no command \"%s\" in PATH", name);
	return file;
}

/* Programs that gain privileges at their start ignore LD_PRELOAD, so they are refused. */
static int privileges_check(const char *file, struct err *e)
{
	struct stat st;
	if (stat(file, &st))
		return err_sys(e, errno, "cannot examine %s", file);
	bool other_user = st.st_mode & S_ISUID && st.st_uid != getuid();
	bool other_group = st.st_mode & S_ISGID && st.st_mode & S_IXGRP && st.st_gid != getgid();
	bool capabilities = getuid() && getxattr(file, "security.capability", NULL, 0) > 0;
	if (!other_user && !other_group && !capabilities)
		return 0;
	return err_set(e, EPERM,
		       "%s: refused: it runs with other privileges (%s), so the dynamic linker "
		       "preloads no library; as root, use \"validate capture vfs\"",
		       file,
		       other_user    ? "setuid"
		       : other_group ? "setgid"
				     : "file capabilities");
}

int elf_loader(int fd, Elf64_Phdr *p)
{
	Elf64_Ehdr h;
	if (pread(fd, &h, sizeof h, 0) != sizeof h || memcmp(h.e_ident, ELFMAG, SELFMAG) ||
	    h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_phentsize != sizeof *p)
		return -1;
	for (unsigned int i = 0; i < h.e_phnum; i++)
		if (pread(fd, p, sizeof *p, (off_t)(h.e_phoff + i * sizeof *p)) == sizeof *p &&
		    p->p_type == PT_INTERP)
			return 1;
	return 0;
}

int app_command_check(const char *file, struct err *e)
{
	Elf64_Phdr loader;
	int ret = privileges_check(file, e);
	SCOPED_FD int fd = open(file, O_RDONLY | O_CLOEXEC);
	if (!ret && fd >= 0 && !elf_loader(fd, &loader))
		ret = err_set(e, ENOEXEC,
			      "%s is statically linked: a preloaded library does not see its "
			      "calls; as root, use \"validate capture vfs\"",
			      file);
	return ret;
}
