#pragma once
#include <sqlite3.h>

/// SQLITE_TRANSIENT, which Swift cannot import: the bound bytes are copied before the call returns.
static inline sqlite3_destructor_type matterhub_sqlite_transient(void) { return SQLITE_TRANSIENT; }
