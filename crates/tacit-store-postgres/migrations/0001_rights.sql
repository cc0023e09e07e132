-- Who may do what. The functions run as `tacit_owner`, which row-level security does not bind, with a fixed
-- search path, so that nothing a user creates is called in their place.

CREATE FUNCTION role_in(project bigint) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
BEGIN ATOMIC
    SELECT m.role FROM members m WHERE m.project = role_in.project AND m.member = session_user;
END;

-- Returns the projects in which the user has at least this role. A policy calls it once per statement.
CREATE FUNCTION projects_as(lowest text) RETURNS bigint[]
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
BEGIN ATOMIC
    SELECT coalesce(array_agg(m.project), '{}') FROM members m
    WHERE m.member = session_user
    AND array_position(ARRAY['reader', 'contributor', 'curator'], m.role)
        >= array_position(ARRAY['reader', 'contributor', 'curator'], lowest);
END;

-- Returns the number of a project and the user's role in it, which is NULL for one who is no member.
CREATE FUNCTION find_project(identity text, OUT project bigint, OUT role text) RETURNS SETOF record
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
BEGIN ATOMIC
    SELECT p.id, role_in(p.id) FROM projects p WHERE p.identity = find_project.identity;
END;

-- Adds a project with the user as its curator, if there is none with this identity. Returns its number.
-- Adding a partition locks the tables that its foreign keys name. They are locked in the order in which
-- writers use them, so that there is no deadlock, and given up soon, because others wait behind.
CREATE FUNCTION add_project(identity text, name text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp SET lock_timeout = '2s'
AS $$
DECLARE
    added bigint;
BEGIN
    IF starts_with(add_project.identity, 'user:')
        AND add_project.identity <> 'user:' || session_user THEN
        RAISE EXCEPTION 'a project whose name begins with `user:` belongs to that user'
            USING ERRCODE = '42501';
    END IF;
    SELECT p.id INTO added FROM projects p WHERE p.identity = add_project.identity;
    IF added IS NOT NULL THEN
        RETURN added;
    END IF;
    LOCK TABLE memories IN SHARE ROW EXCLUSIVE MODE;
    LOCK TABLE models IN SHARE ROW EXCLUSIVE MODE;
    LOCK TABLE memory_vectors IN ACCESS EXCLUSIVE MODE;
    INSERT INTO projects (identity, name) VALUES (add_project.identity, add_project.name)
    ON CONFLICT DO NOTHING RETURNING id INTO added;
    IF added IS NULL THEN
        SELECT p.id INTO added FROM projects p WHERE p.identity = add_project.identity;
        RETURN added;
    END IF;
    INSERT INTO members (project, member, role) VALUES (added, session_user, 'curator');
    INSERT INTO counters (project) VALUES (added);
    EXECUTE format('CREATE TABLE memory_vectors_%s PARTITION OF memory_vectors FOR VALUES IN (%s)',
        added, added);
    EXECUTE format('ALTER TABLE memory_vectors_%s ENABLE ROW LEVEL SECURITY', added);
    RETURN added;
END
$$;

-- Adds the project with the user's own memories, if there is none, and returns its identity. It never has
-- another member.
CREATE FUNCTION add_own_project() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    PERFORM add_project('user:' || session_user, session_user);
    RETURN 'user:' || session_user;
END
$$;

CREATE FUNCTION require_curator(project bigint) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF role_in(project) IS DISTINCT FROM 'curator' THEN
        RAISE EXCEPTION 'only a curator of the project may do this' USING ERRCODE = '42501';
    END IF;
END
$$;

CREATE FUNCTION require_another_curator(project bigint, besides name) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM members m WHERE m.project = require_another_curator.project
            AND m.role = 'curator' AND m.member <> besides) THEN
        RAISE EXCEPTION 'a project needs a curator, and `%` is the last one', besides
            USING ERRCODE = '42501';
    END IF;
END
$$;

-- Adds a member, or changes a member's role.
CREATE FUNCTION set_member(project bigint, member name, role text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    PERFORM require_curator(set_member.project);
    IF EXISTS (SELECT 1 FROM projects p WHERE p.id = set_member.project
            AND p.identity = 'user:' || session_user) THEN
        RAISE EXCEPTION 'nobody else can be a member of a user''s own project'
            USING ERRCODE = '42501';
    END IF;
    -- Two curators must not demote each other at once.
    PERFORM 1 FROM projects p WHERE p.id = set_member.project FOR UPDATE;
    IF set_member.role <> 'curator' THEN
        PERFORM require_another_curator(set_member.project, set_member.member);
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.rolname = set_member.member) THEN
        RAISE EXCEPTION 'the server has no user `%`', set_member.member USING ERRCODE = '42704';
    END IF;
    IF NOT pg_catalog.pg_has_role(set_member.member, 'tacit_member', 'MEMBER') THEN
        EXECUTE format('GRANT tacit_member TO %I', set_member.member);
    END IF;
    INSERT INTO members VALUES (set_member.project, set_member.member, set_member.role)
    ON CONFLICT ON CONSTRAINT members_pkey DO UPDATE SET role = excluded.role;
END
$$;

-- Removes a member. Returns false if there was none with this name.
CREATE FUNCTION remove_member(project bigint, member name) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    PERFORM require_curator(remove_member.project);
    PERFORM 1 FROM projects p WHERE p.id = remove_member.project FOR UPDATE;
    PERFORM require_another_curator(remove_member.project, remove_member.member);
    DELETE FROM members m
    WHERE m.project = remove_member.project AND m.member = remove_member.member;
    RETURN FOUND;
END
$$;

-- Makes the index of a model's vectors, if it can have one and has none.
CREATE FUNCTION index_model(project bigint, model bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    width integer;
    home text;
BEGIN
    IF NOT index_model.project = ANY (projects_as('contributor')) THEN
        RAISE EXCEPTION 'only a contributor of the project may do this' USING ERRCODE = '42501';
    END IF;
    SELECT m.dims INTO width FROM models m
    WHERE m.project = index_model.project AND m.seq = index_model.model;
    -- pgvector indexes no longer vectors.
    IF width IS NULL OR width > 2000 THEN
        RETURN;
    END IF;
    SELECT quote_ident(n.nspname) INTO home FROM pg_catalog.pg_type t
    JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
    WHERE t.oid = (SELECT a.atttypid FROM pg_catalog.pg_attribute a
                   WHERE a.attrelid = 'memory_vectors'::regclass AND a.attname = 'v');
    EXECUTE format('CREATE INDEX IF NOT EXISTS memory_vectors_%s_%s ON memory_vectors_%s
        USING hnsw ((v::%s.vector(%s)) %s.vector_ip_ops) WHERE model = %s',
        project, model, project, home, width, home, model);
END
$$;

-- The history is append-only: a purge blanks what it says, and never changes what happened.
CREATE FUNCTION keep_history() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF TG_TABLE_NAME = 'changes' THEN
        IF (NEW.project, NEW.id, NEW.owner, NEW.at, NEW.kind, NEW.actor)
                IS DISTINCT FROM (OLD.project, OLD.id, OLD.owner, OLD.at, OLD.kind, OLD.actor)
            OR NEW.reverts IS DISTINCT FROM OLD.reverts
            OR NEW.holder NOT IN (OLD.holder, '')
            OR (NEW.reason IS NOT NULL AND NEW.reason IS DISTINCT FROM OLD.reason) THEN
            RAISE EXCEPTION 'the history is append-only' USING ERRCODE = '42501';
        END IF;
    ELSIF (NEW.project, NEW.change, NEW.item, NEW.owner, NEW.memory)
            IS DISTINCT FROM (OLD.project, OLD.change, OLD.item, OLD.owner, OLD.memory)
        OR NEW.holder NOT IN (OLD.holder, '')
        OR (OLD.before IS NULL AND NEW.before IS NOT NULL)
        OR (OLD.after IS NULL AND NEW.after IS NOT NULL) THEN
        RAISE EXCEPTION 'the history is append-only' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER keep_history BEFORE UPDATE ON changes
FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_history BEFORE UPDATE ON change_items
FOR EACH ROW EXECUTE FUNCTION keep_history();

-- Rules about a row before and after an update, which policies cannot compare.
CREATE FUNCTION guard_memory() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF NEW.owner IS DISTINCT FROM OLD.owner OR NEW.project <> OLD.project OR NEW.id <> OLD.id THEN
        RAISE EXCEPTION 'the owner of a memory cannot be changed' USING ERRCODE = '42501';
    END IF;
    IF NEW.visibility <> OLD.visibility AND OLD.owner <> session_user THEN
        RAISE EXCEPTION 'only the owner of a memory decides who sees it' USING ERRCODE = '42501';
    END IF;
    IF NEW.visibility = 'private' AND OLD.visibility = 'team' THEN
        RAISE EXCEPTION 'the team has seen this memory, so it cannot become private'
            USING ERRCODE = '42501', HINT = 'forget it, then store it again with `--private`';
    END IF;
    IF NEW.review <> OLD.review AND OLD.owner <> session_user
        AND role_in(OLD.project) IS DISTINCT FROM 'curator' THEN
        RAISE EXCEPTION 'only a curator can review other people''s memories' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER guard_memory BEFORE UPDATE ON memories
FOR EACH ROW EXECUTE FUNCTION guard_memory();

CREATE FUNCTION keep_owner() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF NEW.owner IS DISTINCT FROM OLD.owner THEN
        RAISE EXCEPTION 'the owner of a row cannot be changed' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER keep_owner BEFORE UPDATE ON requests
FOR EACH ROW EXECUTE FUNCTION keep_owner();

-- Policies. `mine` is true for rows that the team or only the user sees.
DO $$
DECLARE
    reads constant text := 'project = ANY ((SELECT projects_as(''reader''))::bigint[])';
    writes constant text := 'project = ANY ((SELECT projects_as(''contributor''))::bigint[])';
    curates constant text := 'project = ANY ((SELECT projects_as(''curator''))::bigint[])';
    mine constant text := 'holder IN ('''', (SELECT session_user::text))';
    own constant text := 'owner = (SELECT session_user::text)';
    target text;
BEGIN
    -- Memories, and the rows about them.
    FOREACH target IN ARRAY ARRAY['memories', 'memory_marks', 'memory_words', 'terms', 'text_totals',
        'memory_links', 'memory_vectors', 'vector_queue', 'changes', 'change_items'] LOOP
        EXECUTE format('CREATE POLICY seen ON %I FOR SELECT USING (%s AND %s)', target, reads, mine);
    END LOOP;
    EXECUTE format('CREATE POLICY added ON memories FOR INSERT WITH CHECK (%s AND %s)', writes, own);
    EXECUTE format('CREATE POLICY changed ON memories FOR UPDATE USING (%s AND %s)', writes, mine);
    EXECUTE format('CREATE POLICY removed ON memories FOR DELETE
        USING ((%s AND %s) OR (%s AND %s))', curates, mine, writes, own);
    FOREACH target IN ARRAY ARRAY['memory_marks', 'memory_words', 'terms', 'text_totals',
        'memory_links', 'memory_vectors', 'vector_queue'] LOOP
        EXECUTE format('CREATE POLICY added ON %I FOR INSERT WITH CHECK (%s AND %s)',
            target, writes, mine);
        EXECUTE format('CREATE POLICY changed ON %I FOR UPDATE USING (%s AND %s)',
            target, writes, mine);
        EXECUTE format('CREATE POLICY removed ON %I FOR DELETE USING (%s AND %s)',
            target, writes, mine);
    END LOOP;
    FOREACH target IN ARRAY ARRAY['changes', 'change_items'] LOOP
        EXECUTE format('CREATE POLICY added ON %I FOR INSERT WITH CHECK (%s AND %s AND %s)',
            target, writes, mine, own);
    END LOOP;
    -- A purge blanks; the writer of a change may still share it with the team while adding to it.
    EXECUTE format('CREATE POLICY changed ON changes FOR UPDATE
        USING (%s AND %s AND (%s OR %s))', writes, mine, own, curates);
    EXECUTE format('CREATE POLICY changed ON change_items FOR UPDATE
        USING ((%s AND %s) OR (%s AND holder = (SELECT session_user::text)))', curates, mine, writes);

    -- Sessions: each person's own.
    FOREACH target IN ARRAY ARRAY['agent_sessions', 'agent_events', 'agent_event_paths',
        'agent_injections', 'agent_notes', 'observer_signal_log'] LOOP
        EXECUTE format('CREATE POLICY own ON %I USING (%s AND %s)', target, reads, own);
    END LOOP;

    -- Conclusions with an owner: seen by all members, written by their owner.
    FOREACH target IN ARRAY ARRAY['observer_sessions', 'memory_uses', 'requests'] LOOP
        EXECUTE format('CREATE POLICY seen ON %I FOR SELECT USING (%s)', target, reads);
        EXECUTE format('CREATE POLICY added ON %I FOR INSERT WITH CHECK (%s AND %s)',
            target, writes, own);
        EXECUTE format('CREATE POLICY changed ON %I FOR UPDATE USING (%s AND (%s OR %s))',
            target, writes, own, curates);
        EXECUTE format('CREATE POLICY removed ON %I FOR DELETE USING (%s AND (%s OR %s))',
            target, writes, own, curates);
    END LOOP;
    CREATE TRIGGER keep_owner BEFORE UPDATE ON observer_sessions
    FOR EACH ROW EXECUTE FUNCTION keep_owner();
    CREATE TRIGGER keep_owner BEFORE UPDATE ON memory_uses
    FOR EACH ROW EXECUTE FUNCTION keep_owner();

    -- Shared counters and models.
    FOREACH target IN ARRAY ARRAY['counters', 'models', 'observer_file_nodes',
        'observer_co_access_edges', 'observer_error_patterns'] LOOP
        EXECUTE format('CREATE POLICY seen ON %I FOR SELECT USING (%s)', target, reads);
        EXECUTE format('CREATE POLICY added ON %I FOR INSERT WITH CHECK (%s)', target, writes);
        EXECUTE format('CREATE POLICY changed ON %I FOR UPDATE USING (%s)', target, writes);
        EXECUTE format('CREATE POLICY removed ON %I FOR DELETE USING (%s)', target, writes);
    END LOOP;

    -- Projects and members change through functions alone.
    CREATE POLICY seen ON projects FOR SELECT
        USING (id = ANY ((SELECT projects_as('reader'))::bigint[]));
    EXECUTE format('CREATE POLICY seen ON members FOR SELECT USING (%s)', reads);

    FOR target IN SELECT c.relname FROM pg_catalog.pg_class c
        WHERE c.relnamespace = 'tacit'::regnamespace AND c.relkind IN ('r', 'p')
        AND c.relname <> 'schema_version' LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', target);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO tacit_member', target);
    END LOOP;
END
$$;
REVOKE INSERT, UPDATE, DELETE ON projects, members FROM tacit_member;
REVOKE DELETE ON changes, change_items, counters FROM tacit_member;
REVOKE INSERT ON counters FROM tacit_member;
GRANT SELECT ON schema_version TO tacit_member;
GRANT USAGE ON SCHEMA tacit TO tacit_member;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tacit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION role_in, projects_as, find_project, add_project, add_own_project,
    set_member, remove_member,
    index_model, keep_history, guard_memory, keep_owner TO tacit_member;
