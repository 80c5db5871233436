/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that does not use MPI loads a module with RTLD_LOCAL, as Python does, and the module
 * needs an MPI library (of three functions). This source gives three files: with -DLIBRARY, with
 * -DMODULE, and without either. */
#ifdef LIBRARY
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int MPI_Init(int *n, char ***words)
{
	(void)n;
	(void)words;
	return 0;
}

/* If MPI_OWN_FILE contains the name of a pipe, uses this file for 200 ms. */
int MPI_Barrier(void *communicator)
{
	const char *own = getenv("MPI_OWN_FILE");
	(void)communicator;
	if (own && !fork()) {
		usleep(200000);
		open(own, O_WRONLY);
		_exit(0);
	}
	if (own)
		close(open(own, O_RDONLY));
	return 7;
}

/* In Fortran the length of the name follows the arguments. */
void mpi_file_open_(int *communicator, const char *name, int *mode, int *info, int *file, int *error,
		    size_t length)
{
	(void)communicator, (void)name, (void)mode, (void)info, (void)file;
	*error = length != 4;
}
#elif defined(MODULE)
#include <stddef.h>

int MPI_Init(int *n, char ***words);
int MPI_Barrier(void *communicator);
void mpi_file_open_(int *communicator, const char *name, int *mode, int *info, int *file, int *error,
		    size_t length);

int meet(void)
{
	int unused = 0, error = 1;
	if (MPI_Init(0, 0))
		return 1;
	mpi_file_open_(&unused, "name", &unused, &unused, &unused, &error, 4);
	return error ? 2 : MPI_Barrier(0);
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
	int (*meet)(void) = module ? (int (*)(void))dlsym(module, "meet") : NULL;
	FILE *f = fopen("data", "w");
	if (!meet || !f) {
		fprintf(stderr, "%s\n", module ? "data" : dlerror());
		return 2;
	}
	fputs("written\n", f);
	fflush(f);
	const int got = meet();
	fputs("again\n", f);
	fclose(f);
	return got == 7 ? 0 : 3;
}
#endif
