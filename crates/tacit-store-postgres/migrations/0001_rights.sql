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
            USING ERRCODE = '42501', HINT = 'set another name with `database.project`';
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

-- Fails unless the user is a curator, and stays one until the transaction ends: the row of the member is
-- locked, because a transaction may have begun before it was removed and not see that.
CREATE FUNCTION require_curator(project bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    PERFORM 1 FROM members m WHERE m.project = require_curator.project AND m.member = session_user
        AND m.role = 'curator' FOR SHARE;
    IF NOT FOUND THEN
        -- The client says what to do.
        RAISE EXCEPTION 'only a curator of the project may do this' USING ERRCODE = '42501';
    END IF;
END
$$;

CREATE FUNCTION require_contributor(project bigint) RETURNS void
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF NOT project = ANY (projects_as('contributor')) THEN
        RAISE EXCEPTION 'only a contributor of the project may do this'
            USING ERRCODE = '42501', HINT = 'ask a curator for the role `contributor`';
    END IF;
END
$$;

-- Waits until no other transaction writes memories of the project, and keeps others from it until this one
-- ends. The client takes the same lock. Only contributors can, unlike with an advisory lock.
CREATE FUNCTION lock_writers(project bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    PERFORM 1 FROM counters c WHERE c.project = lock_writers.project FOR UPDATE;
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
    -- Two curators must not demote each other at once.
    PERFORM 1 FROM projects p WHERE p.id = set_member.project FOR UPDATE;
    PERFORM require_curator(set_member.project);
    IF EXISTS (SELECT 1 FROM projects p WHERE p.id = set_member.project
            AND p.identity = 'user:' || session_user) THEN
        RAISE EXCEPTION 'nobody else can be a member of a user''s own project'
            USING ERRCODE = '42501', HINT = 'add them to the project of a repository';
    END IF;
    IF set_member.role <> 'curator' THEN
        PERFORM require_another_curator(set_member.project, set_member.member);
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles r WHERE r.rolname = set_member.member) THEN
        RAISE EXCEPTION 'the server has no user `%`', set_member.member
            USING ERRCODE = '42704';
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
    PERFORM 1 FROM projects p WHERE p.id = remove_member.project FOR UPDATE;
    PERFORM require_curator(remove_member.project);
    PERFORM require_another_curator(remove_member.project, remove_member.member);
    DELETE FROM members m
    WHERE m.project = remove_member.project AND m.member = remove_member.member;
    RETURN FOUND;
END
$$;

-- Makes the index of a model's vectors, if it can have one and has none. Those of private memories are not in
-- it: a search that anybody runs would come across them.
CREATE FUNCTION index_model(project bigint, model bigint) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    width integer;
BEGIN
    PERFORM require_contributor(index_model.project);
    SELECT m.dims INTO width FROM models m
    WHERE m.project = index_model.project AND m.seq = index_model.model;
    -- pgvector indexes no longer vectors. One that is there must not be locked to find that out.
    IF width IS NULL OR width > 2000
        OR to_regclass(format('tacit.memory_vectors_%s_%s', project, model)) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE INDEX IF NOT EXISTS memory_vectors_%s_%s ON memory_vectors_%s
        USING hnsw ((v::tacit_vector.vector(%s)) tacit_vector.vector_ip_ops)
        WHERE model = %s AND holder = %L', project, model, project, width, model, '');
END
$$;

-- Returns true if two JSON values are equal, apart from texts that a purge blanked in the second.
CREATE FUNCTION is_blanked(before jsonb, after jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF before = after OR jsonb_typeof(before) = 'string' AND after = '"[purged]"' THEN
        RETURN true;
    ELSIF jsonb_typeof(before) <> jsonb_typeof(after) THEN
        RETURN false;
    ELSIF jsonb_typeof(before) = 'object' THEN
        RETURN (SELECT coalesce(bool_and(o.key IS NOT NULL AND n.key IS NOT NULL
                                         AND is_blanked(o.value, n.value)), true)
                FROM jsonb_each(before) o FULL JOIN jsonb_each(after) n ON n.key = o.key);
    ELSIF jsonb_typeof(before) = 'array' THEN
        RETURN jsonb_array_length(before) = jsonb_array_length(after) AND (
            SELECT coalesce(bool_and(is_blanked(o.value, n.value)), true)
            FROM jsonb_array_elements(before) WITH ORDINALITY o (value, place)
            JOIN jsonb_array_elements(after) WITH ORDINALITY n (value, place) USING (place));
    END IF;
    RETURN false;
END
$$;

-- Like the function above, for texts: a purge may also blank all of one, or remove it. The type jsonb has no
-- U+0000.
CREATE FUNCTION is_blanked(before text, after text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = tacit, pg_temp
AS $$
BEGIN
    RETURN after IS NULL OR before IS NOT NULL AND (after IN (before, '{}') OR is_blanked(
        replace(before, '\u0000', '\u0001')::jsonb, replace(after, '\u0000', '\u0001')::jsonb));
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
        OR NOT is_blanked(OLD.before, NEW.before) OR NOT is_blanked(OLD.after, NEW.after) THEN
        RAISE EXCEPTION 'the history is append-only' USING ERRCODE = '42501';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER keep_history BEFORE UPDATE ON changes
FOR EACH ROW EXECUTE FUNCTION keep_history();
CREATE TRIGGER keep_history BEFORE UPDATE ON change_items
FOR EACH ROW EXECUTE FUNCTION keep_history();

-- Rules about a memory that policies cannot express: they compare a row before and after an update, and the
-- columns, which rights are about, with `doc`, which clients read. Counts of accesses and entries of the
-- index change without it.
CREATE FUNCTION guard_memory() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
DECLARE
    said record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF NEW.owner IS DISTINCT FROM OLD.owner OR NEW.project <> OLD.project OR NEW.id <> OLD.id
            OR NEW.seq <> OLD.seq THEN
            RAISE EXCEPTION 'the owner of a memory cannot be changed' USING ERRCODE = '42501';
        END IF;
        IF NEW.visibility <> OLD.visibility AND OLD.owner <> session_user THEN
            RAISE EXCEPTION 'only the owner of a memory decides who sees it' USING ERRCODE = '42501',
                HINT = 'its owner can share it';
        END IF;
        IF NEW.visibility = 'private' AND OLD.visibility = 'team' THEN
            RAISE EXCEPTION 'the team has seen this memory, so it cannot become private'
                USING ERRCODE = '42501', HINT = 'forget it, then store it again with `--private`';
        END IF;
        IF NEW.review <> OLD.review AND OLD.owner <> session_user
            AND role_in(OLD.project) IS DISTINCT FROM 'curator' THEN
            RAISE EXCEPTION 'only a curator can review other people''s memories'
                USING ERRCODE = '42501', HINT = 'ask a curator: `tacit team members` lists them';
        END IF;
    END IF;
    NEW.changed_by := session_user;
    -- Functions of JSON refuse U+0000, which is in none of these fields.
    SELECT * INTO said FROM json_to_record(replace(NEW.doc, '\u0000', '\u0001')::json) AS d (
        id uuid, type text, source text, scope text, review text, visibility text, status json);
    IF (uuid_send(said.id), said.type, said.source, said.scope, said.review,
            coalesce(said.visibility, 'team'), said.status ->> 'state')
        IS DISTINCT FROM (NEW.id, NEW.type, NEW.source, NEW.scope, NEW.review,
            NEW.visibility, NEW.status) THEN
        RAISE EXCEPTION 'the columns of a memory differ from its text' USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER guard_memory BEFORE INSERT OR UPDATE OF project, seq, id, owner, changed_by, visibility, type,
    source, scope, status, review, doc ON memories
FOR EACH ROW EXECUTE FUNCTION guard_memory();

-- Numbers only grow, and not by much at once: nobody uses them up. Functions of the owner may start again.
CREATE FUNCTION guard_counters() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF row_security_active('counters') AND (NEW.project <> OLD.project
        OR NEW.memory NOT BETWEEN OLD.memory AND OLD.memory + 1000000
        OR NEW.change NOT BETWEEN OLD.change AND OLD.change + 1000000) THEN
        RAISE EXCEPTION 'numbers are given one after another' USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER guard_counters BEFORE UPDATE ON counters
FOR EACH ROW EXECUTE FUNCTION guard_counters();

-- The numbers of new rows were given before: those of others are to come.
CREATE FUNCTION check_numbers() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
DECLARE
    is_wrong boolean;
BEGIN
    IF TG_TABLE_NAME = 'changes' THEN
        SELECT bool_or(a.id > coalesce(c.change, 0)) INTO is_wrong
        FROM added a LEFT JOIN counters c ON c.project = a.project;
    ELSE
        SELECT bool_or(a.seq > coalesce(c.memory, 0)) INTO is_wrong
        FROM added a LEFT JOIN counters c ON c.project = a.project;
    END IF;
    IF is_wrong THEN
        RAISE EXCEPTION 'the number of a row was not given' USING ERRCODE = '23514';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER check_numbers AFTER INSERT ON changes REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_numbers();
CREATE TRIGGER check_numbers AFTER INSERT ON memories REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_numbers();

-- Marks and words belong to a memory that is there, and are seen by whom the memory is.
CREATE FUNCTION check_memories() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM (SELECT DISTINCT a.project, a.seq, a.holder FROM added a) a
            LEFT JOIN memories m ON m.project = a.project AND m.seq = a.seq AND m.holder = a.holder
            WHERE m.seq IS NULL) THEN
        RAISE EXCEPTION 'a row belongs to no memory' USING ERRCODE = '23503';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER check_memories AFTER INSERT ON memory_marks REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_memories();
CREATE TRIGGER check_memories AFTER INSERT ON memory_words REFERENCING NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION check_memories();

-- A model stays what it is, and its generations are numbered one after another.
CREATE FUNCTION guard_model() RETURNS trigger
LANGUAGE plpgsql SET search_path = tacit, pg_temp
AS $$
BEGIN
    IF (NEW.project, NEW.seq, NEW.name, NEW.dims)
            IS DISTINCT FROM (OLD.project, OLD.seq, OLD.name, OLD.dims)
        OR NEW.generation NOT BETWEEN OLD.generation AND OLD.generation + 1 THEN
        RAISE EXCEPTION 'a model stays the same' USING ERRCODE = '23514';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER guard_model BEFORE UPDATE ON models FOR EACH ROW EXECUTE FUNCTION guard_model();

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
        'agent_injections', 'agent_notes', 'observer_signal_log', 'observer_error_patterns'] LOOP
        EXECUTE format('CREATE POLICY own ON %I USING (%s AND %s)', target, reads, own);
    END LOOP;

    -- Conclusions with an owner, who writes them. Members see what is about memories that they see, and what
    -- is shared of a session: the owner's share in the counters makes a row the owner's alone.
    EXECUTE format('CREATE POLICY seen ON requests FOR SELECT USING (%s)', reads);
    EXECUTE format('CREATE POLICY seen ON memory_uses FOR SELECT USING (%s AND (%s OR %s))',
        reads, mine, own);
    EXECUTE format('CREATE POLICY seen ON observer_sessions FOR SELECT
        USING (%s AND (%s OR applied IS NULL))', reads, own);
    FOREACH target IN ARRAY ARRAY['observer_sessions', 'memory_uses', 'requests'] LOOP
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
        'observer_co_access_edges'] LOOP
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
-- They are replaced, never changed.
REVOKE UPDATE ON memory_marks, memory_words FROM tacit_member;
GRANT SELECT ON schema_version TO tacit_member;
GRANT USAGE ON SCHEMA tacit TO tacit_member;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tacit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION role_in, projects_as, find_project, add_project, add_own_project,
    set_member, remove_member,
    index_model TO tacit_member;
-- Triggers call these with the rights of the user.
GRANT EXECUTE ON FUNCTION is_blanked(jsonb, jsonb), is_blanked(text, text) TO tacit_member;
