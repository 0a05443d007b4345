#pragma once
#include <stdint.h>

/// Writes the events and photos of captures into a catalogue, as a loop in C would: in the same groups, each statement
/// prepared once, with the columns that have a value. Returns the number of changes, or -1 after printing why.
int64_t raw_ingest(const char *path, int64_t first_id, int captures, int nodes, int steps, int batch);
