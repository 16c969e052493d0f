#pragma once
#include <dlfcn.h>
#include <dns_sd.h>
#include <stdlib.h>

// Avahi's libdns_sd up to 0.8 doesn't clear its handles: when the daemon ends it calls whatever the memory holds where a
// callback of another kind of operation would be, and crashes (avahi/avahi#569). Its allocator can be replaced by one that
// clears; where there is no such function (Bonjour's own library) there is no such fault.
struct dnssd_avahi_allocator {
    void *(*malloc)(size_t size);
    void (*free)(void *pointer);
    void *(*realloc)(void *pointer, size_t size);
    void *(*calloc)(size_t count, size_t size);
};
static inline void *dnssd_cleared(size_t size) { return calloc(1, size); }

/// Before the first call into the library.
static inline void dnssd_clear_allocations(void) {
    static const struct dnssd_avahi_allocator allocator = {dnssd_cleared, free, realloc, calloc};
    void *program = dlopen(NULL, RTLD_LAZY);
    if (!program) return;
    void (*set)(const struct dnssd_avahi_allocator *);
    *(void **)&set = dlsym(program, "avahi_set_allocator");
    if (set) set(&allocator);
    dlclose(program);
}
