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
    PERFORM pg_advisory_xact_lock(hashtextextended('tacit', add_model.project));
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

-- Makes a known model active in place of the others, and indexes its vectors.
CREATE FUNCTION activate_model(project bigint, name text, dims bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    known bigint;
BEGIN
    PERFORM require_contributor(activate_model.project);
    PERFORM pg_advisory_xact_lock(hashtextextended('tacit', activate_model.project));
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
    PERFORM pg_advisory_xact_lock(hashtextextended('tacit', delete_other_models.project));
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

CREATE FUNCTION require_contributor(project bigint) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF NOT project = ANY (projects_as('contributor')) THEN
        RAISE EXCEPTION 'only a contributor of the project may do this' USING ERRCODE = '42501';
    END IF;
END
$$;

-- The settings of the next function are known once the extension is loaded.
SELECT vector_dims('[1]'::vector);

-- Returns about the nearest vectors of a model that the user sees, nearest first. The index is searched
-- further while rows that the user does not see are left out.
CREATE FUNCTION nearest(project bigint, name text, dims bigint, wanted real[], most bigint)
RETURNS TABLE (seq bigint, part smallint, v real[])
LANGUAGE plpgsql STABLE SET hnsw.ef_search = 100 SET hnsw.iterative_scan = 'strict_order'
AS $$
DECLARE
    model bigint;
BEGIN
    SELECT m.seq INTO model FROM tacit.models m
    WHERE m.project = nearest.project AND m.name = nearest.name AND m.dims = nearest.dims;
    IF model IS NULL THEN
        RETURN;
    END IF;
    -- The numbers are written out, so that the plan has one partition and its partial index.
    RETURN QUERY EXECUTE format(
        'SELECT n.seq, n.part, n.v::real[] FROM tacit.memory_vectors n
         WHERE n.project = %s AND n.model = %s
         ORDER BY (n.v::vector(%s)) <#> $1::vector(%s) LIMIT $2',
        project, model, dims, dims) USING wanted, most;
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
    PERFORM require_curator(clear_project.project);
    -- Nobody becomes a member meanwhile, and nobody writes.
    PERFORM 1 FROM projects p WHERE p.id = clear_project.project FOR UPDATE;
    PERFORM pg_advisory_xact_lock(hashtextextended('tacit', clear_project.project));
    IF EXISTS (SELECT 1 FROM members m
            WHERE m.project = clear_project.project AND m.member <> session_user) THEN
        RAISE EXCEPTION 'the project has other members, whose memories would be lost'
            USING ERRCODE = '42501';
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
    DELETE FROM counters c WHERE c.project = clear_project.project;
    INSERT INTO counters (project) VALUES (clear_project.project);
END
$$;

REVOKE EXECUTE ON FUNCTION clear_project, add_model, activate_model, delete_other_models, require_contributor, nearest,
    blank_injections FROM PUBLIC;
GRANT EXECUTE ON FUNCTION clear_project, add_model, activate_model, delete_other_models, nearest,
    blank_injections TO tacit_member;
