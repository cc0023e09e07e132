//! Objects that somebody else has created in a schema of the default path.

use tacit_store::StoreError;
use tacit_store::conformance::{memory, store_all};
use tacit_store_postgres::{PostgresStore, add_project, install};

use crate::database::{PROJECT, TIMEOUTS, TestDatabase, settings};

/// Functions that match the arguments of statements better than those of the server.
const PLANTED: &str = "
    CREATE TABLE public.victims (name text);
    GRANT INSERT ON public.victims TO PUBLIC;
    CREATE FUNCTION public.hashtextextended(text, integer) RETURNS bigint LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO public.victims VALUES (current_user); RETURN 1; END $$;
    CREATE FUNCTION public.concat_ws(text, text, text, text) RETURNS text LANGUAGE plpgsql AS
    $$ BEGIN INSERT INTO public.victims VALUES (current_user); RETURN 'public'; END $$;
    CREATE FUNCTION public.array_position(text[], text) RETURNS integer LANGUAGE plpgsql AS
    $$ BEGIN RETURN 3; END $$;";

#[test]
fn planted_functions_are_not_called() {
    let database = TestDatabase::empty();
    database.create_user("mallory");
    let mallory = database.user("mallory");
    database.run(&format!("GRANT CREATE ON SCHEMA public TO {mallory}"));
    database.connect_as("mallory").batch_execute(PLANTED).expect("planted");
    install(&database.superuser(), TIMEOUTS).expect("a schema");
    let ada = settings(&database.create_user("ada"));
    database.run(&format!("GRANT tacit_member TO {}", database.user("ada")));
    add_project(&ada, TIMEOUTS, PROJECT, "app").expect("a project");
    store_all(&mut database.open("ada"), &[memory(1, "text")]);
    let victims = "SELECT string_agg(name, ' ') FROM public.victims";
    assert_eq!(database.ask_superuser(victims), None);
    // Rights are what they say.
    let ranks = "SELECT pg_get_function_sqlbody('tacit.projects_as'::regproc)";
    let body = database.ask_superuser(ranks).expect("a body");
    assert!(!body.contains("public."), "{body}");
}

#[test]
fn an_extension_that_everyone_can_replace_is_refused() {
    let database = TestDatabase::empty();
    database.run("GRANT CREATE ON SCHEMA public TO PUBLIC");
    let told = |result: Result<i64, StoreError>| match result {
        Err(StoreError::Denied { detail, .. }) => detail,
        other => panic!("{other:?}"),
    };
    let detail = told(install(&database.superuser(), TIMEOUTS));
    assert!(detail.contains("REVOKE CREATE ON SCHEMA"), "{detail}");
    database.run("CREATE EXTENSION vector");
    let detail = told(install(&database.superuser(), TIMEOUTS));
    assert!(detail.contains("`public`"), "{detail}");
    // A schema of its own will do, whatever its name is.
    database.run(
        "DROP EXTENSION vector; CREATE SCHEMA \"Of vectors\";
         CREATE EXTENSION vector SCHEMA \"Of vectors\"",
    );
    let detail = told(install(&database.superuser(), TIMEOUTS));
    assert!(detail.contains("GRANT USAGE ON SCHEMA"), "{detail}");
    database.run("GRANT USAGE ON SCHEMA \"Of vectors\" TO PUBLIC");
    assert_eq!(install(&database.superuser(), TIMEOUTS).expect("a schema"), 0);
    let ada = settings(&database.create_user("ada"));
    database.run(&format!("GRANT tacit_member TO {}", database.user("ada")));
    add_project(&ada, TIMEOUTS, PROJECT, "app").expect("a project");
    let error = PostgresStore::open(&ada, PROJECT, TIMEOUTS);
    store_all(&mut error.expect("a store"), &[memory(1, "text")]);
}
