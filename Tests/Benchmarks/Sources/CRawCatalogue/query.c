#include "CRawCatalogue.h"
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

// MARK: A large catalogue

static const char *FILL[] = {
    "WITH RECURSIVE c(id) AS (SELECT ?1 UNION ALL SELECT id + 1 FROM c WHERE id < ?2) "
    "INSERT INTO capture (unique_id, request_id, run, state, plan_name, plan, bracket_kind, step_count, policy, "
    "created_at, finished_at) SELECT id, 'r' || id, 1, 'complete', 'p', '{}', 'burst', ?4, 'all', id, id FROM c",
    "WITH RECURSIVE c(id) AS (SELECT ?1 UNION ALL SELECT id + 1 FROM c WHERE id < ?2), "
    "n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 - 1) "
    "INSERT INTO capture_node (unique_id, node, state, expected_photo_count) "
    "SELECT id, 'node-' || i, 'complete', ?4 FROM c, n ORDER BY id, i",
    "WITH RECURSIVE c(id) AS (SELECT ?1 UNION ALL SELECT id + 1 FROM c WHERE id < ?2), "
    "n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 - 1), "
    "s(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM s WHERE k < ?4) "
    "INSERT INTO photo (unique_id, node, photo_count, sequence_count, format, state, path, byte_count, sha256, width, "
    "height, image_unique_id, frame_sequence, exposure_start_ns, exposure_start_uncertainty_ns, requested_exposure_ns, "
    "applied_exposure_ns, brightness, stored_at) SELECT id, 'node-' || i, k, k, 'jpeg', 'stored', "
    "printf('photos/2027-01-15/%d/node-%d_%d_%02d.jpg', id, i, id, k), 2000000, printf('%064d', id), 4056, 3040, "
    "printf('%032d', id), k, k * 1000, 1000, 1000000, 1000000, 0.25, id FROM c, n, s ORDER BY id, i, k",
    "WITH RECURSIVE c(id) AS (SELECT ?1 UNION ALL SELECT id + 1 FROM c WHERE id < ?2), "
    "n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?3 - 1), "
    "s(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM s WHERE k < 3 * ?4 + 2) "
    "INSERT INTO event (unique_id, node, sequence, kind, rig_time_ns, node_time_ns, sequence_count, photo_count) "
    "SELECT id, 'node-' || i, k, CASE WHEN k = 1 THEN 'willBeginCapture' WHEN k = 3 * ?4 + 2 THEN 'didFinishCapture' "
    "WHEN k > 2 * ?4 + 1 THEN 'didFinishProcessingPhoto' WHEN k % 2 = 0 THEN 'willCapturePhoto' "
    "ELSE 'didCapturePhoto' END, k * 1000 + i, k * 1000, CASE WHEN k BETWEEN 2 AND 2 * ?4 + 1 THEN k / 2 END, "
    "CASE WHEN k BETWEEN 2 * ?4 + 2 AND 3 * ?4 + 1 THEN k - 2 * ?4 - 1 END FROM c, n, s ORDER BY id, i, k",
};

int raw_fill(const char *path, int64_t first_id, int captures, int nodes, int steps) {
    sqlite3 *db;
    int failed = sqlite3_open(path, &db);
    sqlite3_exec(db, "PRAGMA synchronous = OFF", 0, 0, 0);
    sqlite3_exec(db, "PRAGMA temp_store = MEMORY", 0, 0, 0);
    const int piece = 2000;
    for (int done = 0; done < captures && !failed; done += piece) {
        int64_t first = first_id + done, last = first_id + (done + piece < captures ? done + piece : captures) - 1;
        sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0);
        for (int n = 0; n < 4 && !failed; n++) {
            sqlite3_stmt *s;
            failed |= sqlite3_prepare_v2(db, FILL[n], -1, &s, 0);
            sqlite3_bind_int64(s, 1, first);
            sqlite3_bind_int64(s, 2, last);
            sqlite3_bind_int(s, 3, nodes);
            sqlite3_bind_int(s, 4, steps);
            failed |= sqlite3_step(s) != SQLITE_DONE;
            sqlite3_finalize(s);
        }
        failed |= sqlite3_exec(db, "COMMIT", 0, 0, 0);
        sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", 0, 0, 0);
    }
    if (failed) fprintf(stderr, "raw: %s: %s\n", path, sqlite3_errmsg(db));
    sqlite3_close(db);
    return failed ? -1 : 0;
}

// MARK: One capture

static const char *SHOW[] = {
    "SELECT state, reason, plan_name, session, created_at, policy, fire_rig_time_ns, predicted_spread_ns, max_spread_ns "
    "FROM capture WHERE unique_id = ?",
    "SELECT key, value FROM capture_label WHERE unique_id = ?",
    "SELECT count(*), sum(expected_photo_count) FROM capture_node WHERE unique_id = ?",
    "SELECT count(*) FROM photo WHERE unique_id = ? AND state = 'stored'",
    "SELECT node, state, error_message, expected_photo_count, offset_ns, clock_status, clock_bound_ns "
    "FROM capture_node WHERE unique_id = ? ORDER BY node",
    "SELECT node, photo_count, sequence_count, format, state, path, byte_count, sha256, width, height, image_unique_id, "
    "frame_sequence, exposure_start_ns, exposure_start_uncertainty_ns, requested_exposure_ns, requested_iso, "
    "requested_bias_ev, requested_gain, requested_lens_position, requested_white_balance, applied_exposure_ns, "
    "applied_iso, applied_gain, verified_exposure_ns, verified_iso, verified_gain, verification, verification_reason, "
    "brightness, error_code, error_message FROM photo WHERE unique_id = ? ORDER BY node, photo_count",
    "SELECT node, sequence, kind, rig_time_ns, sequence_count, photo_count, error_code, error_message FROM event "
    "WHERE unique_id = ? ORDER BY max(rig_time_ns) OVER (PARTITION BY node ORDER BY sequence), node, sequence",
    "SELECT sequence_count, nodes, spread_ns, uncertainty_ns FROM v_sync WHERE unique_id = ? AND nodes > 1 "
    "ORDER BY sequence_count",
};
enum { SHOW_COUNT = sizeof SHOW / sizeof SHOW[0] };

struct raw_reader {
    sqlite3 *db;
    sqlite3_stmt *statements[SHOW_COUNT];
    int64_t sum;
};

struct raw_reader *raw_open(const char *path) {
    struct raw_reader *reader = calloc(1, sizeof *reader);
    int failed = sqlite3_open_v2(path, &reader->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, 0);
    for (int n = 0; n < SHOW_COUNT; n++) {
        failed |= sqlite3_prepare_v2(reader->db, SHOW[n], -1, &reader->statements[n], 0);
    }
    if (!failed) return reader;
    fprintf(stderr, "raw: %s: %s\n", path, sqlite3_errmsg(reader->db));
    raw_close(reader);
    return 0;
}

int raw_show(struct raw_reader *reader, int64_t id) {
    int rows = 0;
    sqlite3_exec(reader->db, "BEGIN", 0, 0, 0);
    for (int n = 0; n < SHOW_COUNT; n++) {
        sqlite3_stmt *s = reader->statements[n];
        sqlite3_bind_int64(s, 1, id);
        while (sqlite3_step(s) == SQLITE_ROW) {
            rows++;
            for (int column = 0; column < sqlite3_column_count(s); column++) {
                switch (sqlite3_column_type(s, column)) {
                case SQLITE_TEXT: {
                    // As whoever wants it would have it: a string of his own.
                    char *copy = sqlite3_mprintf("%s", sqlite3_column_text(s, column));
                    reader->sum += copy[0];
                    sqlite3_free(copy);
                    break;
                }
                case SQLITE_FLOAT: reader->sum += (int64_t)sqlite3_column_double(s, column); break;
                case SQLITE_INTEGER: reader->sum += sqlite3_column_int64(s, column); break;
                default: break;
                }
            }
        }
        sqlite3_reset(s);
    }
    sqlite3_exec(reader->db, "COMMIT", 0, 0, 0);
    return rows;
}

void raw_close(struct raw_reader *reader) {
    for (int n = 0; n < SHOW_COUNT; n++) sqlite3_finalize(reader->statements[n]);
    sqlite3_close(reader->db);
    free(reader);
}
