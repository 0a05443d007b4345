#pragma once
#include <stdint.h>

/// Writes the events and photos of captures into a catalogue, as a loop in C would: in the same groups, each statement
/// prepared once, with the columns that have a value. Returns the number of changes, or -1 after printing why.
int64_t raw_ingest(const char *path, int64_t first_id, int captures, int nodes, int steps, int batch);

/// Fills a catalogue with captures of so many nodes and steps, with all their events and photos. Returns 0, or -1 after
/// printing why.
int raw_fill(const char *path, int64_t first_id, int captures, int nodes, int steps);

/// A connection that reads captures, with the statements that the catalogue has, prepared once.
struct raw_reader;

/// Returns null after printing why.
struct raw_reader *raw_open(const char *path);

/// Reads everything about one capture. Returns the number of rows.
int raw_show(struct raw_reader *reader, int64_t id);

void raw_close(struct raw_reader *reader);
