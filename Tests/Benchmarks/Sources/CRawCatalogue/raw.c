#include "CRawCatalogue.h"
#include <sqlite3.h>
#include <stdio.h>

static const char *EVENT =
    "INSERT INTO event (unique_id, node, sequence, kind, rig_time_ns, node_time_ns, sequence_count, photo_count, "
    "error_code, error_message) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (unique_id, node, sequence) DO NOTHING";
static const char *PHOTO =
    "INSERT INTO photo (unique_id, node, photo_count, sequence_count, format, state, byte_count, sha256, width, height, "
    "image_unique_id, frame_sequence, exposure_start_ns, exposure_start_uncertainty_ns, requested_exposure_ns, "
    "applied_exposure_ns, brightness) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
    "ON CONFLICT (unique_id, node, photo_count) DO UPDATE SET state = excluded.state, sha256 = excluded.sha256 "
    "WHERE state <> 'stored'";
static const char *STORED =
    "UPDATE photo SET state = 'stored', path = ?, stored_at = ?, error_code = NULL, error_message = NULL "
    "WHERE unique_id = ? AND node = ? AND photo_count = ?";

struct writer {
    sqlite3 *db;
    sqlite3_stmt *event, *photo, *stored;
    int batch, pending;
    int64_t changes;
};

static void step(sqlite3 *db, sqlite3_stmt *statement) {
    if (sqlite3_step(statement) != SQLITE_DONE) fprintf(stderr, "raw: %s\n", sqlite3_errmsg(db));
    sqlite3_reset(statement);
}

static void changed(struct writer *w) {
    w->changes++;
    if (++w->pending < w->batch) return;
    sqlite3_exec(w->db, "COMMIT", 0, 0, 0);
    sqlite3_exec(w->db, "BEGIN IMMEDIATE", 0, 0, 0);
    w->pending = 0;
}

static void event(struct writer *w, int64_t id, const char *node, int sequence, const char *kind, int step_count,
                  int photo) {
    sqlite3_stmt *s = w->event;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_text(s, 2, node, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 3, sequence);
    sqlite3_bind_text(s, 4, kind, -1, SQLITE_STATIC);
    sqlite3_bind_int64(s, 5, sequence * 1000);
    sqlite3_bind_int64(s, 6, sequence * 1000);
    if (step_count) sqlite3_bind_int(s, 7, step_count); else sqlite3_bind_null(s, 7);
    if (photo) sqlite3_bind_int(s, 8, photo); else sqlite3_bind_null(s, 8);
    sqlite3_bind_null(s, 9);
    sqlite3_bind_null(s, 10);
    step(w->db, s);
}

static void photo(struct writer *w, int64_t id, const char *node, int count) {
    sqlite3_stmt *s = w->photo;
    sqlite3_bind_int64(s, 1, id);
    sqlite3_bind_text(s, 2, node, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 3, count);
    sqlite3_bind_int(s, 4, count);
    sqlite3_bind_text(s, 5, "jpeg", -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 6, "pending", -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 7, 2000000);
    sqlite3_bind_text(s, 8, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 9, 4056);
    sqlite3_bind_int(s, 10, 3040);
    sqlite3_bind_text(s, 11, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", -1, SQLITE_STATIC);
    for (int column = 12; column <= 16; column++) sqlite3_bind_int64(s, column, 1000 * count);
    sqlite3_bind_double(s, 17, 0.25);
    step(w->db, s);
}

static void stored(struct writer *w, int64_t id, const char *node, int count) {
    char path[128];
    snprintf(path, sizeof path, "photos/2027-01-15/%lld/%s_%lld_%02d.jpg", (long long)id, node, (long long)id, count);
    sqlite3_stmt *s = w->stored;
    sqlite3_bind_text(s, 1, path, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(s, 2, id);
    sqlite3_bind_int64(s, 3, id);
    sqlite3_bind_text(s, 4, node, -1, SQLITE_STATIC);
    sqlite3_bind_int(s, 5, count);
    step(w->db, s);
}

static void capture(struct writer *w, int64_t id, int nodes, int steps) {
    for (int index = 0; index < nodes; index++) {
        char node[16];
        int sequence = 0;
        snprintf(node, sizeof node, "node-%d", index);
        event(w, id, node, ++sequence, "willBeginCapture", 0, 0), changed(w);
        for (int n = 1; n <= steps; n++) {
            event(w, id, node, ++sequence, "willCapturePhoto", n, 0), changed(w);
            event(w, id, node, ++sequence, "didCapturePhoto", n, 0), changed(w);
        }
        for (int n = 1; n <= steps; n++) {
            event(w, id, node, ++sequence, "didFinishProcessingPhoto", n, n);
            photo(w, id, node, n), changed(w);
            stored(w, id, node, n), changed(w);
        }
        event(w, id, node, ++sequence, "didFinishCapture", 0, 0), changed(w);
    }
}

int64_t raw_ingest(const char *path, int64_t first_id, int captures, int nodes, int steps, int batch) {
    struct writer w = {.batch = batch};
    int failed = sqlite3_open(path, &w.db);
    sqlite3_exec(w.db, "PRAGMA foreign_keys = ON", 0, 0, 0);
    sqlite3_exec(w.db, "PRAGMA journal_mode = WAL", 0, 0, 0);
    sqlite3_exec(w.db, "PRAGMA synchronous = FULL", 0, 0, 0);
    failed |= sqlite3_prepare_v2(w.db, EVENT, -1, &w.event, 0);
    failed |= sqlite3_prepare_v2(w.db, PHOTO, -1, &w.photo, 0);
    failed |= sqlite3_prepare_v2(w.db, STORED, -1, &w.stored, 0);
    if (failed) {
        fprintf(stderr, "raw: %s: %s\n", path, sqlite3_errmsg(w.db));
        return -1;
    }
    sqlite3_exec(w.db, "BEGIN IMMEDIATE", 0, 0, 0);
    for (int n = 0; n < captures; n++) capture(&w, first_id + n, nodes, steps);
    sqlite3_exec(w.db, "COMMIT", 0, 0, 0);
    sqlite3_finalize(w.event);
    sqlite3_finalize(w.photo);
    sqlite3_finalize(w.stored);
    sqlite3_close(w.db);
    return w.changes;
}
