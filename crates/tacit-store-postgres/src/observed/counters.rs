//! The counters of files, pairs of files and errors. Each tree of sessions has its share in them,
//! which is subtracted before the tree counts again.

use tacit_core::{RepoPath, Timestamp};
use tacit_store::{
    CoChange, DIRECTION_SESSIONS, DIRECTION_SHARE, ErrorOccurrences, FilePairUse, LoggedSignal,
    ObservedTree, StoreResult, TreeUsage,
};
use tokio_postgres::types::Type;

use crate::connection::{Connection, Parameter, WriterLock};
use crate::error::unwritable;
use crate::text::to_stored;

/// Adds a share to the counters.
const ADD: &str = "
WITH files AS (
    INSERT INTO tacit.observer_file_nodes AS f (project, path, access_count, last_accessed_at, session_count)
    SELECT $1, path, sum(used), $2, count(*)
    FROM unnest($3::text[], $4::bigint[]) AS g (path, used) GROUP BY path
    ON CONFLICT (project, path) DO UPDATE SET
        access_count = f.access_count + excluded.access_count, session_count = f.session_count + excluded.session_count,
        last_accessed_at = greatest(f.last_accessed_at, excluded.last_accessed_at)),
pairs AS (
    INSERT INTO tacit.observer_co_access_edges AS c
        (project, file_a, file_b, source, weight, raw_count, avg_time_delta_ms, directional,
         last_observed_at, forward_count)
    SELECT $1, a, b, 'sessions', 0, count(*), sum(delta) / count(*), false, $2,
           count(*) FILTER (WHERE a_first)
    FROM unnest($5::text[], $6::text[], $7::boolean[], $8::double precision[])
        AS g (a, b, a_first, delta) GROUP BY a, b
    ON CONFLICT (project, file_a, file_b, source) DO UPDATE SET
        avg_time_delta_ms = (coalesce(c.avg_time_delta_ms, 0) * c.raw_count
                        + excluded.raw_count * excluded.avg_time_delta_ms)
                       / (c.raw_count + excluded.raw_count),
        raw_count = c.raw_count + excluded.raw_count,
        forward_count = c.forward_count + excluded.forward_count,
        last_observed_at = greatest(c.last_observed_at, excluded.last_observed_at))
INSERT INTO tacit.observer_error_patterns AS e
    (project, fingerprint, tool, message, occurrence_count, last_seen_at, resolved_how)
SELECT $1, fingerprint, tool, (array_agg(message ORDER BY place))[1], sum(times), $2,
       (array_agg(resolved ORDER BY place DESC) FILTER (WHERE resolved IS NOT NULL))[1]
FROM unnest($9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[])
    WITH ORDINALITY AS g (fingerprint, tool, message, times, resolved, place)
GROUP BY fingerprint, tool
ON CONFLICT (project, owner, fingerprint, tool) DO UPDATE SET
    occurrence_count = e.occurrence_count + excluded.occurrence_count,
    resolved_how = coalesce(excluded.resolved_how, e.resolved_how),
    last_seen_at = greatest(e.last_seen_at, excluded.last_seen_at)";

/// Subtracts a share from the counters, which are never below zero.
const SUBTRACT: &str = "
WITH files AS (
    UPDATE tacit.observer_file_nodes f SET
        access_count = greatest(0, f.access_count - g.used), session_count = greatest(0, f.session_count - g.times),
        last_accessed_at = greatest(f.last_accessed_at, $2)
    FROM (SELECT path, sum(used)::bigint AS used, count(*) AS times
          FROM unnest($3::text[], $4::bigint[]) AS g (path, used) GROUP BY path) g
    WHERE f.project = $1 AND f.path = g.path),
pairs AS (
    UPDATE tacit.observer_co_access_edges c SET
        avg_time_delta_ms = CASE WHEN c.raw_count - g.times <= 0 THEN 0 ELSE
            (coalesce(c.avg_time_delta_ms, 0) * c.raw_count - g.delta) / (c.raw_count - g.times) END,
        raw_count = greatest(0, c.raw_count - g.times),
        forward_count = greatest(0, c.forward_count - g.forward),
        last_observed_at = greatest(c.last_observed_at, $2)
    FROM (SELECT a, b, sum(delta) AS delta, count(*) AS times,
                 count(*) FILTER (WHERE a_first) AS forward
          FROM unnest($5::text[], $6::text[], $7::boolean[], $8::double precision[])
              AS g (a, b, a_first, delta) GROUP BY a, b) g
    WHERE c.project = $1 AND c.file_a = g.a AND c.file_b = g.b AND c.source = 'sessions')
UPDATE tacit.observer_error_patterns e SET
    occurrence_count = greatest(0, e.occurrence_count - g.times),
    last_seen_at = greatest(e.last_seen_at, $2)
FROM (SELECT fingerprint, tool, sum(times)::bigint AS times
      FROM unnest($9::text[], $10::text[], $11::text[], $12::bigint[], $13::text[])
          AS g (fingerprint, tool, message, times, resolved) GROUP BY fingerprint, tool) g
WHERE e.project = $1 AND e.owner = session_user AND e.fingerprint = g.fingerprint AND e.tool = g.tool";

/// Updates the weights of pairs with one of these files.
const WEIGH: &str = "
UPDATE tacit.observer_co_access_edges c SET
    weight = least(1.0, c.raw_count::double precision / greatest(1,
        coalesce((SELECT session_count FROM tacit.observer_file_nodes f
                  WHERE f.project = $1 AND f.path = c.file_a), 0)
        + coalesce((SELECT session_count FROM tacit.observer_file_nodes f
                    WHERE f.project = $1 AND f.path = c.file_b), 0) - c.raw_count)),
    directional = c.raw_count >= $3
        AND greatest(c.forward_count, c.raw_count - c.forward_count) >= $4 * c.raw_count
WHERE c.project = $1 AND (c.file_a = ANY ($2) OR c.file_b = ANY ($2)) AND c.source = 'sessions'";

/// Deletes the pairs that are not used together any more.
const FORGET: &str = "
DELETE FROM tacit.observer_co_access_edges
WHERE project = $1 AND raw_count = 0 AND weight = 0 AND source = 'sessions'";

/// Marks the sessions of a tree as observed and logs its signals.
const CONCLUDE: &str = "
WITH sessions AS (
    INSERT INTO tacit.observer_sessions AS o
        (project, session, tree, upto, state, at, digest, applied)
    SELECT $1, session, $2, max(upto), $3, $4,
           CASE WHEN session = $2 THEN $5 END, CASE WHEN session = $2 THEN $6 END
    FROM unnest($7::text[], $8::bigint[]) AS g (session, upto) GROUP BY session
    ON CONFLICT (project, owner, session) DO UPDATE SET
        tree = excluded.tree, upto = excluded.upto, state = excluded.state, at = excluded.at,
        digest = excluded.digest, applied = excluded.applied)
INSERT INTO tacit.observer_signal_log (project, session, kind, body, score, created_at)
SELECT $1, $2, kind, body, score, $4
FROM unnest($9::text[], $10::text[], $11::double precision[])
    WITH ORDINALITY AS s (kind, body, score, place) ORDER BY place";

/// Saves the observation of a tree in the current transaction.
pub(super) fn save(
    connection: &Connection,
    project: i64,
    observed: &ObservedTree,
) -> StoreResult<()> {
    // The counters are changed by one process at a time.
    connection.rows(
        "SELECT pg_advisory_xact_lock(hashtextextended('tacit observer', $1))",
        &[(&project, Type::INT8)],
    )?;
    let sessions: Vec<&str> =
        observed.sessions.iter().map(|(session, _)| session.as_str()).collect();
    // The earlier shares of the tree's sessions are subtracted first.
    let applied = connection.read(
        "WITH gone AS (
             DELETE FROM tacit.observer_signal_log
             WHERE project = $1 AND owner = session_user AND session = ANY ($2))
         SELECT applied FROM tacit.observer_sessions
         WHERE project = $1 AND owner = session_user AND session = ANY ($2)
         AND applied IS NOT NULL ORDER BY array_position($2, session)",
        &[(&project, Type::INT8), (&sessions, Type::TEXT_ARRAY)],
        |row| row.text(0),
    )?;
    let before: Vec<TreeUsage> =
        applied.iter().filter_map(|json| serde_json::from_str(json).ok()).collect();
    for usage in &before {
        count(connection, SUBTRACT, project, usage, observed.at)?;
    }
    count(connection, ADD, project, &observed.usage, observed.at)?;
    let usages = before.iter().chain([&observed.usage]);
    let files: Vec<&str> =
        usages.flat_map(|usage| &usage.files).map(|(file, _)| file.as_str()).collect();
    connection.execute(
        WEIGH,
        &[
            (&project, Type::INT8),
            (&files, Type::TEXT_ARRAY),
            (&i64::from(DIRECTION_SESSIONS), Type::INT8),
            (&DIRECTION_SHARE, Type::FLOAT8),
        ],
    )?;
    connection.execute(FORGET, &[(&project, Type::INT8)])?;
    conclude(connection, project, observed)
}

fn count(
    connection: &Connection,
    sql: &str,
    project: i64,
    usage: &TreeUsage,
    at: Timestamp,
) -> StoreResult<()> {
    let TreeUsage { files, pairs, errors } = usage;
    let paths: Vec<&str> = files.iter().map(|(file, _)| file.as_str()).collect();
    let used: Vec<i64> = files.iter().map(|(_, used)| (*used).into()).collect();
    let pair = |path: fn(&FilePairUse) -> &RepoPath| -> Vec<&str> {
        pairs.iter().map(|pair| path(pair).as_str()).collect()
    };
    let a_first: Vec<bool> = pairs.iter().map(|pair| pair.a_first).collect();
    let deltas: Vec<f64> = pairs.iter().map(|pair| pair.delta_ms).collect();
    let text = |of: fn(&ErrorOccurrences) -> &str| -> Vec<_> {
        errors.iter().map(|error| to_stored(of(error))).collect()
    };
    let times: Vec<i64> = errors.iter().map(|error| error.count.into()).collect();
    let resolved: Vec<_> =
        errors.iter().map(|error| error.resolved_how.as_deref().map(to_stored)).collect();
    connection.execute(
        sql,
        &[
            (&project, Type::INT8),
            (&at.as_millis(), Type::INT8),
            (&paths, Type::TEXT_ARRAY),
            (&used, Type::INT8_ARRAY),
            (&pair(|pair| &pair.a), Type::TEXT_ARRAY),
            (&pair(|pair| &pair.b), Type::TEXT_ARRAY),
            (&a_first, Type::BOOL_ARRAY),
            (&deltas, Type::FLOAT8_ARRAY),
            (&text(|error| &error.fingerprint), Type::TEXT_ARRAY),
            (&text(|error| &error.tool), Type::TEXT_ARRAY),
            (&text(|error| &error.message), Type::TEXT_ARRAY),
            (&times, Type::INT8_ARRAY),
            (&resolved, Type::TEXT_ARRAY),
        ],
    )?;
    Ok(())
}

fn conclude(connection: &Connection, project: i64, observed: &ObservedTree) -> StoreResult<()> {
    let applied = serde_json::to_string(&observed.usage)
        .map_err(|error| unwritable(connection.server(), &error))?;
    let sessions: Vec<&str> =
        observed.sessions.iter().map(|(session, _)| session.as_str()).collect();
    let upto: Vec<i64> = observed.sessions.iter().map(|(_, upto)| upto.as_millis()).collect();
    let text = |of: fn(&LoggedSignal) -> &str| -> Vec<_> {
        observed.signals.iter().map(|signal| to_stored(of(signal))).collect()
    };
    let scores: Vec<Option<f64>> = observed.signals.iter().map(|signal| signal.score).collect();
    connection.execute(
        CONCLUDE,
        &[
            (&project, Type::INT8),
            (&observed.tree.as_str(), Type::TEXT),
            (&observed.state.as_str(), Type::TEXT),
            (&observed.at.as_millis(), Type::INT8),
            (&to_stored(&observed.digest), Type::TEXT),
            (&to_stored(&applied), Type::TEXT),
            (&sessions, Type::TEXT_ARRAY),
            (&upto, Type::INT8_ARRAY),
            (&text(|signal| &signal.kind), Type::TEXT_ARRAY),
            (&text(|signal| &signal.body), Type::TEXT_ARRAY),
            (&scores, Type::FLOAT8_ARRAY),
        ],
    )?;
    Ok(())
}

/// Replaces the co-changes from the git history, which are the last of equal pairs.
const SET_CO_CHANGES: &str = "
WITH given AS (
    SELECT DISTINCT ON (a, b) a, b, weight, times
    FROM unnest($2::text[], $3::text[], $4::double precision[], $5::bigint[])
        WITH ORDINALITY AS g (a, b, weight, times, place)
    ORDER BY a, b, place DESC),
gone AS (
    DELETE FROM tacit.observer_co_access_edges c WHERE c.project = $1 AND c.source = 'history'
    AND NOT EXISTS (SELECT 1 FROM given g WHERE g.a = c.file_a AND g.b = c.file_b))
INSERT INTO tacit.observer_co_access_edges (project, file_a, file_b, source, weight, raw_count, directional,
                             last_observed_at, forward_count)
SELECT $1, a, b, 'history', weight, times, true, $6, 0 FROM given
ON CONFLICT (project, file_a, file_b, source) DO UPDATE SET
    weight = excluded.weight, raw_count = excluded.raw_count, directional = true,
    last_observed_at = excluded.last_observed_at";

/// Replaces the co-changes from the git history in one statement.
pub(crate) fn set_co_changes(
    connection: &Connection,
    project: i64,
    ties: &[CoChange],
    at: Timestamp,
) -> StoreResult<()> {
    let path = |of: fn(&CoChange) -> &RepoPath| -> Vec<&str> {
        ties.iter().map(|tie| of(tie).as_str()).collect()
    };
    let (files, others) = (path(|tie| &tie.file), path(|tie| &tie.other));
    let weights: Vec<f64> = ties.iter().map(|tie| tie.weight).collect();
    let counts: Vec<i64> = ties.iter().map(|tie| tie.count.into()).collect();
    connection.transaction(WriterLock::None, |connection| {
        connection.rows(
            "SELECT pg_advisory_xact_lock(hashtextextended('tacit observer', $1))",
            &[(&project, Type::INT8)],
        )?;
        let parameters: [Parameter<'_>; 6] = [
            (&project, Type::INT8),
            (&files, Type::TEXT_ARRAY),
            (&others, Type::TEXT_ARRAY),
            (&weights, Type::FLOAT8_ARRAY),
            (&counts, Type::INT8_ARRAY),
            (&at.as_millis(), Type::INT8),
        ];
        connection.execute(SET_CO_CHANGES, &parameters)
    })?;
    Ok(())
}
