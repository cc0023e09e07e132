-- Functions for what the rights of a member do not allow, and for what needs settings of its own.

-- Adds a model if it is unknown. All memories wait for its vectors, those that the user does not see
-- included: only their owners can embed them. The first model is active.
CREATE FUNCTION add_model(project bigint, name text, dims bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    added bigint;
    is_first boolean;
BEGIN
    PERFORM require_contributor(add_model.project);
    -- No memory is stored meanwhile, which would not wait for the model.
    PERFORM lock_writers(add_model.project);
    SELECT NOT EXISTS (SELECT 1 FROM models m WHERE m.project = add_model.project AND m.active)
    INTO is_first;
    INSERT INTO models (project, name, dims, active)
    VALUES (add_model.project, add_model.name, add_model.dims, is_first)
    ON CONFLICT DO NOTHING RETURNING seq INTO added;
    IF added IS NULL THEN
        RETURN;
    END IF;
    INSERT INTO vector_queue (project, model, seq, holder)
    SELECT m.project, added, m.seq, m.holder FROM memories m
    WHERE m.project = add_model.project AND m.meaning IS NOT NULL;
    IF is_first THEN
        PERFORM index_model(add_model.project, added);
    END IF;
END
$$;

-- Makes a known model active in place of the others. The client has indexed its vectors before, because
-- nobody writes while this waits.
CREATE FUNCTION activate_model(project bigint, name text, dims bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    known bigint;
BEGIN
    PERFORM require_contributor(activate_model.project);
    PERFORM lock_writers(activate_model.project);
    SELECT m.seq INTO known FROM models m WHERE m.project = activate_model.project
        AND m.name = activate_model.name AND m.dims = activate_model.dims;
    IF known IS NULL THEN
        RETURN;
    END IF;
    PERFORM index_model(activate_model.project, known);
    UPDATE models m SET active = (m.seq = known)
    WHERE m.project = activate_model.project AND m.active <> (m.seq = known);
END
$$;

-- Deletes all models but a known one, with their vectors and their indexes.
CREATE FUNCTION delete_other_models(project bigint, name text, dims bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    known bigint;
    gone bigint;
BEGIN
    PERFORM require_contributor(delete_other_models.project);
    PERFORM lock_writers(delete_other_models.project);
    SELECT m.seq INTO known FROM models m WHERE m.project = delete_other_models.project
        AND m.name = delete_other_models.name AND m.dims = delete_other_models.dims;
    IF known IS NULL THEN
        RETURN;
    END IF;
    FOR gone IN DELETE FROM models m
        WHERE m.project = delete_other_models.project AND m.seq <> known RETURNING m.seq LOOP
        EXECUTE format('DROP INDEX IF EXISTS memory_vectors_%s_%s', project, gone);
    END LOOP;
END
$$;

-- The settings of the next function are known once the extension is loaded.
SELECT tacit_vector.vector_dims('[1]'::tacit_vector.vector);

-- Returns about the nearest vectors of a model that the user sees, nearest first. Those of the user's private
-- memories are not in the index and are all compared.
CREATE FUNCTION nearest(project bigint, name text, dims bigint, wanted real[], most bigint)
RETURNS TABLE (seq bigint, part smallint, v real[])
LANGUAGE plpgsql STABLE SET search_path = tacit, pg_temp
SET hnsw.ef_search = 100 SET hnsw.iterative_scan = 'strict_order'
AS $$
DECLARE
    model bigint;
    each_of text;
BEGIN
    SELECT m.seq INTO model FROM models m
    WHERE m.project = nearest.project AND m.name = nearest.name AND m.dims = nearest.dims;
    IF model IS NULL THEN
        RETURN;
    END IF;
    -- The numbers are written out, so that the plan has one partition and its partial index.
    each_of := format(
        '(SELECT n.seq, n.part, n.v, (n.v::tacit_vector.vector(%s))
              OPERATOR(tacit_vector.<#>) $1::tacit_vector.vector(%s) AS distance
          FROM memory_vectors n WHERE n.project = %s AND n.model = %s AND n.holder = %%s
          ORDER BY distance LIMIT $2)', dims, dims, project, model);
    RETURN QUERY EXECUTE format(
        'SELECT n.seq, n.part, n.v::real[] FROM (%s UNION ALL %s) AS n ORDER BY n.distance LIMIT $2',
        format(each_of, quote_literal('')), format(each_of, quote_literal(session_user)))
    USING wanted, most;
END
$$;

-- Blanks what the history says of a memory, and the reasons of changes that are about nothing else. A curator
-- blanks all of a memory that the team has seen, what its owner wrote before sharing it included; others only
-- what they alone see. Returns false if something is left that the user sees.
CREATE FUNCTION erase_history(project bigint, memory bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    all_of_it boolean;
BEGIN
    PERFORM require_contributor(erase_history.project);
    all_of_it := role_in(erase_history.project) = 'curator' AND EXISTS (
        SELECT 1 FROM change_items i WHERE i.project = erase_history.project
        AND i.memory = erase_history.memory AND i.holder = '');
    UPDATE change_items i SET before = NULL, after = NULL
    WHERE i.project = erase_history.project AND i.memory = erase_history.memory
    AND (i.before IS NOT NULL OR i.after IS NOT NULL) AND (all_of_it OR i.holder = session_user);
    -- The reason describes the change; that of the purge itself is kept.
    UPDATE changes c SET reason = NULL
    WHERE c.project = erase_history.project AND c.reason IS NOT NULL AND c.kind <> 'purge'
    AND (all_of_it OR c.owner = session_user)
    AND c.id IN (SELECT i.change FROM change_items i
                 WHERE i.project = erase_history.project AND i.memory = erase_history.memory)
    AND NOT EXISTS (SELECT 1 FROM change_items i WHERE i.project = erase_history.project
                    AND i.change = c.id AND (i.before IS NOT NULL OR i.after IS NOT NULL));
    RETURN NOT EXISTS (SELECT 1 FROM change_items i WHERE i.project = erase_history.project
        AND i.memory = erase_history.memory AND (i.before IS NOT NULL OR i.after IS NOT NULL)
        AND (all_of_it OR i.holder IN ('', session_user)));
END
$$;

-- Blanks the texts of a memory's injections: everybody's for a curator, who cannot see them, else the
-- user's own. Returns their number.
CREATE FUNCTION blank_injections(project bigint, memory bytea) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    blanked bigint;
BEGIN
    UPDATE agent_injections i SET text = '', why = '', fate_why = ''
    WHERE i.project = blank_injections.project AND i.memory = blank_injections.memory
    AND (role_in(i.project) = 'curator' OR role_in(i.project) IS NOT NULL AND i.owner = session_user);
    GET DIAGNOSTICS blanked = ROW_COUNT;
    RETURN blanked;
END
$$;

-- Removes all rows of a project whose only member is the user. A move to the server that was interrupted
-- begins again with it if its source has lost rows since.
CREATE FUNCTION clear_project(project bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    target text;
BEGIN
    PERFORM require_contributor(clear_project.project);
    -- Nobody writes meanwhile, and nobody becomes a member. Writers lock in this order too.
    PERFORM lock_writers(clear_project.project);
    PERFORM 1 FROM projects p WHERE p.id = clear_project.project FOR UPDATE;
    PERFORM require_curator(clear_project.project);
    IF EXISTS (SELECT 1 FROM members m
            WHERE m.project = clear_project.project AND m.member <> session_user) THEN
        RAISE EXCEPTION 'the project has other members, whose memories would be lost'
            USING ERRCODE = '42501', HINT = 'remove them first, or choose another project';
    END IF;
    FOREACH target IN ARRAY ARRAY['memories', 'memory_marks', 'memory_words', 'terms', 'text_totals',
        'changes', 'requests', 'agent_sessions', 'agent_event_paths', 'agent_events',
        'agent_injections', 'agent_notes', 'observer_signal_log', 'observer_sessions',
        'observer_file_nodes', 'observer_co_access_edges', 'observer_error_patterns',
        'memory_uses'] LOOP
        EXECUTE format('DELETE FROM %I WHERE project = $1', target) USING clear_project.project;
    END LOOP;
    FOR target IN DELETE FROM models m WHERE m.project = clear_project.project
        RETURNING format('memory_vectors_%s_%s', m.project, m.seq) LOOP
        EXECUTE format('DROP INDEX IF EXISTS %I', target);
    END LOOP;
    -- The row stays: others may wait for its lock.
    UPDATE counters c SET memory = 0, change = 0, judged = NULL, judged_at = NULL
    WHERE c.project = clear_project.project;
END
$$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tacit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clear_project, add_model, activate_model, delete_other_models, nearest,
    erase_history, blank_injections TO tacit_member;
