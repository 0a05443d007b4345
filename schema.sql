-- The catalogue of a Volley library: every capture, photo and event, and what became of each.
--
-- Times: *_at are microseconds since the Unix epoch (UTC); *_rig_time_ns and *_start_ns are nanoseconds of rig time,
-- the coordinator's CLOCK_MONOTONIC, which the row of `run` anchors to UTC, again whenever its clock is set.
-- Exposures are in nanoseconds, biases in EV.
-- The views v_* are for people; the names of tables and columns are kept for programs.

-- One row for each start of a coordinator; rig time may begin anew with each.
CREATE TABLE run (
    id INTEGER PRIMARY KEY,
    started_at INTEGER NOT NULL,
    -- Rig time at started_at.
    started_rig_time_ns INTEGER NOT NULL,
    -- The newest instant known in both, as of a clock that was set meanwhile; null for that of the start.
    anchored_at INTEGER,
    anchored_rig_time_ns INTEGER,
    -- When the coordinator's machine was suspended, as a JSON array of {"rigTime": nanoseconds, "nanoseconds": how long}:
    -- rig time stands still meanwhile, so UTC is later by that from there on. Null where it was not. The anchors above are
    -- as if it never had been.
    sleeps TEXT CHECK (sleeps IS NULL OR json_valid(sleeps))
) STRICT;

-- The wall clock by which a coordinator throws away what is old, as it was last looked at: one row. After a jump nothing is
-- thrown away until the new time has stood for long enough, or somebody has agreed to it.
CREATE TABLE retention (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    looked_at INTEGER NOT NULL,
    -- For how long a time that the clock jumped to has stood, in nanoseconds; null while the clock is trusted.
    doubted_ns INTEGER,
    -- What the clock would show had it not jumped; null while it is trusted.
    expected_at INTEGER,
    -- The last time that the clock jumped to; what is in the trash from before ages from there.
    jumped_at INTEGER,
    -- How many captures were put into the trash, and removed from it, in the day that began then.
    day_began_at INTEGER NOT NULL,
    deleted_count INTEGER NOT NULL,
    emptied_count INTEGER NOT NULL
) STRICT;

CREATE TABLE node (
    name TEXT NOT NULL PRIMARY KEY,
    camera_id TEXT,
    manufacturer TEXT,
    model TEXT,
    serial_number TEXT,
    -- What the camera could do when it was last seen, as JSON.
    capabilities TEXT CHECK (capabilities IS NULL OR json_valid(capabilities)),
    -- The release of its program, as it last said.
    software TEXT,
    first_seen_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE capture (
    unique_id INTEGER PRIMARY KEY,
    -- Chosen by the operator's command; a repeated request is the same capture.
    request_id TEXT NOT NULL UNIQUE,
    -- The operators who asked for it, and who gave it up; null where an older release did not keep that.
    fired_by TEXT,
    cancelled_by TEXT,
    cancelled_at INTEGER,
    run INTEGER NOT NULL REFERENCES run (id),
    state TEXT NOT NULL
        CHECK (state IN ('preparing', 'firing', 'collecting', 'complete', 'partial', 'failed', 'cancelled')),
    -- Why it is not complete.
    reason TEXT,
    plan_name TEXT NOT NULL,
    -- The plan as JSON.
    plan TEXT NOT NULL CHECK (json_valid(plan)),
    bracket_kind TEXT NOT NULL
        CHECK (bracket_kind IN ('autoExposure', 'manualExposure', 'burst', 'focus', 'whiteBalance')),
    step_count INTEGER NOT NULL CHECK (step_count > 0),
    policy TEXT NOT NULL,
    session TEXT,
    -- What was before the cameras, and which attempt at it this is: 1, 2, 3... within session and subject.
    subject TEXT,
    take INTEGER,
    -- What people said of it afterwards: 1 to 5, whether it is not to be used, in words; and when the last of them did
    -- so, of it or of a photo of it.
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),
    rejected INTEGER NOT NULL DEFAULT 0 CHECK (rejected IN (0, 1)),
    note TEXT,
    annotated_at INTEGER,
    -- When it was deleted as a whole, and by whom. Its photos are in the trash, or gone; what nodes still have of it is
    -- not fetched.
    deleted_at INTEGER,
    deleted_by TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER,
    -- The instant at which the rig was told to begin the first exposure.
    fire_rig_time_ns INTEGER,
    -- How far apart the nodes were expected to begin, by how their frames lay before the fire.
    predicted_spread_ns INTEGER,
    -- The furthest that they were apart in any step, as in v_sync; null where that is not known, and before the end.
    widest_spread_ns INTEGER,
    -- The plan's limit.
    max_spread_ns INTEGER
) STRICT;

CREATE INDEX capture_by_session ON capture (session, unique_id, created_at, state, deleted_at);
CREATE INDEX capture_by_state ON capture (state, unique_id);
CREATE INDEX capture_by_time ON capture (created_at);
CREATE INDEX capture_by_spread ON capture (widest_spread_ns);
CREATE INDEX capture_by_reason ON capture (unique_id, reason) WHERE reason IS NOT NULL;
CREATE INDEX capture_by_subject ON capture (session, subject, take) WHERE subject IS NOT NULL;
CREATE INDEX capture_by_rating ON capture (rating, unique_id) WHERE rating IS NOT NULL;
CREATE INDEX capture_rejected ON capture (unique_id) WHERE rejected = 1;
CREATE INDEX capture_by_annotation ON capture (annotated_at) WHERE annotated_at IS NOT NULL;
CREATE INDEX capture_deleted ON capture (unique_id) WHERE deleted_at IS NOT NULL;

CREATE TABLE capture_label (
    unique_id INTEGER NOT NULL REFERENCES capture (unique_id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (unique_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX capture_label_by_value ON capture_label (key, value);

-- A node's part in a capture.
CREATE TABLE capture_node (
    unique_id INTEGER NOT NULL REFERENCES capture (unique_id) ON DELETE CASCADE,
    node TEXT NOT NULL REFERENCES node (name),
    state TEXT NOT NULL
        CHECK (state IN ('preparing', 'firing', 'collecting', 'complete', 'partial', 'failed', 'cancelled')),
    -- owing: it was told to fire, and has paid when its state says so; out: it refused or was put out, and owes nothing;
    -- settled: it was lost, and what it owes is no longer waited for.
    phase TEXT NOT NULL DEFAULT 'preparing' CHECK (phase IN ('preparing', 'out', 'owing', 'settled')),
    expected_photo_count INTEGER NOT NULL CHECK (expected_photo_count > 0),
    -- By how much the node was told to fire later than the rig.
    offset_ns INTEGER NOT NULL DEFAULT 0,
    -- What the node knew of rig time when it was told to fire; a clock that ran free taints the capture.
    clock_status TEXT CHECK (clock_status IN ('unavailable', 'calibrating', 'active', 'freeRun')),
    clock_bound_ns INTEGER,
    -- What took the part: the camera and its format when the node was told to fire, and the release of its program. What
    -- was known of the camera stands with each photo, as its profile.
    camera_id TEXT,
    model TEXT,
    serial_number TEXT,
    pixel_format TEXT,
    width INTEGER,
    height INTEGER,
    software TEXT,
    error_code TEXT,
    error_message TEXT,
    PRIMARY KEY (unique_id, node)
) STRICT, WITHOUT ROWID;

CREATE INDEX capture_node_by_node ON capture_node (node, unique_id);
CREATE INDEX capture_node_by_error ON capture_node (error_code, unique_id) WHERE error_code IS NOT NULL;
CREATE INDEX capture_node_unfinished ON capture_node (unique_id) WHERE state IN ('preparing', 'firing', 'collecting');

-- A photo that is owed: on its way, stored, or failed with its reason. A deleted one was stored; until the trash is
-- emptied its path is there.
CREATE TABLE photo (
    unique_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    -- 1...expected_photo_count, in the order of delivery.
    photo_count INTEGER NOT NULL CHECK (photo_count > 0),
    -- The exposure that it comes from, 1...step_count.
    sequence_count INTEGER NOT NULL CHECK (sequence_count >= 0),
    format TEXT NOT NULL CHECK (format IN ('jpeg', 'tiff', 'dng')),
    state TEXT NOT NULL CHECK (state IN ('pending', 'stored', 'failed', 'deleted')),
    -- Relative to the library.
    path TEXT UNIQUE,
    byte_count INTEGER,
    sha256 TEXT CHECK (sha256 IS NULL OR length(sha256) = 64),
    width INTEGER,
    height INTEGER,
    -- The EXIF ImageUniqueID.
    image_unique_id TEXT,
    -- The driver's number of the frame.
    frame_sequence INTEGER,
    -- When the exposure began, in rig time, surely within the uncertainty.
    exposure_start_ns INTEGER,
    exposure_start_uncertainty_ns INTEGER,
    -- By how much later the last line began than the first; 0 for a global shutter, null where it is not known.
    readout_ns INTEGER,
    -- What the frame's stamp told of: startOfExposure, endOfFrame, its arrival at the board, or deviceClock.
    timestamp_source TEXT,
    -- What was added to the stamp, as the camera's were measured to be off by that; null for nothing.
    start_correction_ns INTEGER,
    -- The capture in which the camera and others saw one lamp, and how well the start is known against those others' by
    -- that, in rig time; null where no lamp has shown it. The capture may have been deleted since.
    start_lamp INTEGER,
    start_lamp_uncertainty_ns INTEGER CHECK ((start_lamp_uncertainty_ns IS NULL) = (start_lamp IS NULL)),
    requested_exposure_ns INTEGER,
    requested_iso REAL,
    requested_bias_ev REAL,
    -- The driver's own value, without unit.
    requested_gain REAL,
    -- 0 nearest, 1 furthest.
    requested_lens_position REAL,
    -- Gains, or temperature and tint, as JSON.
    requested_white_balance TEXT CHECK (requested_white_balance IS NULL OR json_valid(requested_white_balance)),
    applied_exposure_ns INTEGER,
    applied_iso REAL,
    applied_gain REAL,
    applied_lens_position REAL,
    applied_white_balance TEXT CHECK (applied_white_balance IS NULL OR json_valid(applied_white_balance)),
    verified_exposure_ns INTEGER,
    verified_iso REAL,
    verified_gain REAL,
    verification TEXT CHECK (verification IN ('verified', 'mismatch', 'unverifiable')),
    verification_reason TEXT,
    -- What was known of the camera when it was judged: the fingerprint of its profile.
    profile TEXT,
    -- The picture's mean, linear, as a share of saturation.
    brightness REAL,
    error_code TEXT,
    error_message TEXT,
    stored_at INTEGER,
    deleted_at INTEGER,
    -- What people said of it afterwards, as of the capture.
    rating INTEGER CHECK (rating BETWEEN 1 AND 5),
    rejected INTEGER NOT NULL DEFAULT 0 CHECK (rejected IN (0, 1)),
    note TEXT,
    PRIMARY KEY (unique_id, node, photo_count),
    FOREIGN KEY (unique_id, node) REFERENCES capture_node (unique_id, node) ON DELETE CASCADE,
    CHECK (state <> 'stored' OR (path IS NOT NULL AND byte_count IS NOT NULL AND sha256 IS NOT NULL)),
    CHECK (state <> 'failed' OR error_code IS NOT NULL),
    CHECK ((state = 'deleted') = (deleted_at IS NOT NULL))
) STRICT;

CREATE INDEX photo_by_state ON photo (state, unique_id);
CREATE INDEX photo_by_rating ON photo (rating, unique_id) WHERE rating IS NOT NULL;
CREATE INDEX photo_rejected ON photo (unique_id) WHERE rejected = 1;
CREATE INDEX photo_by_doubt ON photo (verification, unique_id) WHERE verification <> 'verified';
CREATE INDEX photo_by_error ON photo (error_code, unique_id) WHERE error_code IS NOT NULL;

-- One lifecycle event of one node in one capture; sequence runs 1, 2, 3... without a gap.
CREATE TABLE event (
    unique_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    sequence INTEGER NOT NULL CHECK (sequence > 0),
    kind TEXT NOT NULL
        CHECK (kind IN (
            'willBeginCapture', 'willCapturePhoto', 'didCapturePhoto', 'didFinishProcessingPhoto', 'didFinishCapture')),
    rig_time_ns INTEGER,
    -- The same instant on the node's own CLOCK_MONOTONIC.
    node_time_ns INTEGER NOT NULL,
    sequence_count INTEGER,
    photo_count INTEGER,
    error_code TEXT,
    error_message TEXT,
    PRIMARY KEY (unique_id, node, sequence),
    FOREIGN KEY (unique_id, node) REFERENCES capture_node (unique_id, node) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- What was told to those who watch, in order; who was away asks for what is after the last number that he had. A row is an
-- event of a node, the state of a capture, or the state of a node. It may outlive its capture.
CREATE TABLE news (
    -- When it became true, raised to be greater than every number before it.
    number INTEGER PRIMARY KEY,
    unique_id INTEGER,
    node TEXT,
    -- The sequence of the event, which says the rest.
    event INTEGER,
    state TEXT,
    reason TEXT,
    photos_stored INTEGER,
    photos_expected INTEGER,
    CHECK ((event IS NULL) = (state IS NOT NULL)),
    CHECK (unique_id IS NOT NULL OR node IS NOT NULL)
) STRICT;

-- What people had done, or wanted done: when they asked, in microseconds since the Unix epoch; under which name and which
-- key; what was to be done, what it was about, and all of the request as JSON; then what came of it: done, and
-- how, or the code of a refusal and its reason. A request to correct photos' starts stands here, as asked, before any is
-- corrected.
CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    user TEXT NOT NULL,
    key TEXT,
    act TEXT NOT NULL,
    subject TEXT,
    arguments TEXT NOT NULL,
    result TEXT NOT NULL,
    message TEXT
) STRICT;

CREATE INDEX audit_by_time ON audit (at);

-- Photos that are kept a second time: where, as the engine that copied them was told and by the place's mark, and when
-- what is there was last read back and had the hash of the photo.
CREATE TABLE copy (
    unique_id INTEGER NOT NULL,
    node TEXT NOT NULL,
    photo_count INTEGER NOT NULL,
    place TEXT NOT NULL,
    verified_at INTEGER NOT NULL,
    PRIMARY KEY (unique_id, node, photo_count, place),
    FOREIGN KEY (unique_id, node, photo_count) REFERENCES photo (unique_id, node, photo_count) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

-- Where the rig's cameras stand and what they see: a row for each time that it was calculated or brought in, with the
-- instant from which it holds, and all of it as JSON. What held at some time is the newest since of those before.
CREATE TABLE geometry (
    version INTEGER PRIMARY KEY,
    since INTEGER NOT NULL,
    geometry TEXT NOT NULL CHECK (json_valid(geometry))
) STRICT;

-- How far apart the nodes began each step: latest start minus earliest, after what each was told to be later, known
-- to within the uncertainty: that of each start by itself, or against each other where one lamp has shown them all. Of
-- several photos of one exposure the first one counts. Grouped once, so that SQLite looks at one capture's photos when
-- it is asked for one capture.
CREATE VIEW v_sync AS
SELECT photo.unique_id, sequence_count, count(*) AS nodes,
    max(exposure_start_ns - offset_ns) - min(exposure_start_ns - offset_ns) AS spread_ns,
    2 * iif(count(DISTINCT start_lamp) = 1 AND count(start_lamp) = count(*),
        min(max(start_lamp_uncertainty_ns), max(exposure_start_uncertainty_ns)),
        max(exposure_start_uncertainty_ns)) AS uncertainty_ns
FROM photo JOIN capture_node USING (unique_id, node)
WHERE exposure_start_ns IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM photo AS other WHERE other.unique_id = photo.unique_id AND other.node = photo.node
        AND other.sequence_count = photo.sequence_count AND other.photo_count < photo.photo_count AND other.exposure_start_ns IS NOT NULL)
GROUP BY photo.unique_id, sequence_count;

CREATE VIEW v_captures AS
SELECT
    capture.unique_id,
    strftime('%Y-%m-%d %H:%M:%S', capture.created_at / 1000000, 'unixepoch') AS created,
    capture.state,
    capture.reason,
    capture.plan_name AS plan,
    capture.session,
    capture.subject,
    capture.take,
    capture.rating,
    capture.rejected,
    capture.note,
    strftime('%Y-%m-%d %H:%M:%S', capture.deleted_at / 1000000, 'unixepoch') AS deleted,
    capture.deleted_by,
    capture.fired_by,
    capture.cancelled_by,
    (SELECT group_concat(key || '=' || value, ' ') FROM capture_label WHERE unique_id = capture.unique_id) AS labels,
    capture.policy,
    (SELECT count(*) FROM capture_node WHERE unique_id = capture.unique_id) AS nodes,
    (SELECT count(*) FROM photo WHERE unique_id = capture.unique_id AND state = 'stored') AS photos_stored,
    (SELECT sum(expected_photo_count) FROM capture_node WHERE unique_id = capture.unique_id) AS photos_expected,
    round(capture.widest_spread_ns / 1e6, 3) AS widest_spread_ms,
    round(capture.predicted_spread_ns / 1e6, 3) AS predicted_spread_ms,
    (SELECT group_concat(node, ' ') FROM capture_node
        WHERE unique_id = capture.unique_id AND clock_status = 'freeRun') AS free_running_clocks
FROM capture;

CREATE VIEW v_photos AS
SELECT
    photo.unique_id,
    photo.node,
    photo.photo_count AS photo,
    photo.sequence_count AS step,
    photo.format,
    photo.state,
    strftime('%Y-%m-%d %H:%M:%f',
        (coalesce(run.anchored_at, run.started_at) / 1000
            + (photo.exposure_start_ns - coalesce(run.anchored_rig_time_ns, run.started_rig_time_ns)
                + coalesce((SELECT sum(value ->> 'nanoseconds') FROM json_each(run.sleeps)
                    WHERE value ->> 'rigTime' < photo.exposure_start_ns), 0)) / 1000000)
            / 1000.0,
        'unixepoch') AS exposed,
    round(photo.requested_exposure_ns / 1e6, 3) AS requested_ms,
    round(photo.verified_exposure_ns / 1e6, 3) AS verified_ms,
    photo.requested_iso,
    photo.verified_iso,
    photo.requested_bias_ev AS bias_ev,
    photo.verification,
    coalesce(photo.error_message, photo.verification_reason) AS remark,
    photo.rating,
    photo.rejected,
    photo.note,
    photo.byte_count AS bytes,
    photo.path
FROM photo
JOIN capture ON capture.unique_id = photo.unique_id
JOIN run ON run.id = capture.run;

CREATE VIEW v_events AS
SELECT
    event.unique_id,
    event.node,
    event.sequence,
    event.kind,
    strftime('%Y-%m-%d %H:%M:%f',
        (coalesce(run.anchored_at, run.started_at) / 1000
            + (event.rig_time_ns - coalesce(run.anchored_rig_time_ns, run.started_rig_time_ns)
                + coalesce((SELECT sum(value ->> 'nanoseconds') FROM json_each(run.sleeps)
                    WHERE value ->> 'rigTime' < event.rig_time_ns), 0)) / 1000000)
            / 1000.0,
        'unixepoch') AS happened,
    round((event.rig_time_ns - capture.fire_rig_time_ns) / 1e6, 3) AS ms_after_fire,
    event.sequence_count AS step,
    event.photo_count AS photo,
    event.error_message AS error
FROM event
JOIN capture ON capture.unique_id = event.unique_id
JOIN run ON run.id = capture.run;
