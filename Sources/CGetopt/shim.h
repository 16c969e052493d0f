#pragma once
#include <getopt.h>

// getopt's state is in C globals, which Swift's concurrency checking does not let through.
static inline void getopt_restart(void) {
    optind = 0;
    opterr = 0;
}
static inline int getopt_next(int argc, char *const *argv, const char *letters, const struct option *names) {
    return getopt_long(argc, argv, letters, names, 0);
}
static inline int getopt_position(void) { return optind; }
static inline const char *getopt_argument(void) { return optarg; }
static inline int getopt_rejected(void) { return optopt; }
