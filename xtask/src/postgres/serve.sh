# Runs a server in the directory `$1`, with the settings `$2`, until standard input ends, as it does however `xtask`
# ends; then removes the directory. The first line of the input is the port. Prints `initialised`, and `ready` once the
# server answers, or `failed`.
cd "$1" || exit
export LD_LIBRARY_PATH="$1/lib"
{
    bin/initdb --pgdata=data --username=postgres --pwfile=password --auth=scram-sha-256 --encoding=UTF8 \
        --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8 --no-sync </dev/null >log 2>&1 &&
        echo initialised &&
        read -r port &&
        bin/pg_ctl start --pgdata=data --log=log --wait --timeout=60 --silent --options="-p $port $2" \
            </dev/null >>log 2>&1 &&
        echo ready
} || echo failed
read -r _
# The data is removed, so nothing of it has to be written.
bin/pg_ctl stop --pgdata=data --mode=immediate --silent </dev/null >/dev/null 2>&1
cd / && rm -rf "$1"
