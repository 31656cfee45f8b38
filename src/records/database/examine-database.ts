import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { Client, type ClientConfig } from 'pg';
import { DatabaseError, type DatabaseSetting, type DatabaseTrouble, troubleOf } from './database-trouble.js';
import { rowsOf } from './statements.js';
import { verifyingTls } from './watch-connection.js';

const OLDEST_MAJOR = 16;
const CONNECT_TIMEOUT_MS = 5_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;
const SHOWN_TABLES = 3;
/** What knex leaves in an empty database when the first migration fails. */
const BOOKKEEPING = new Set(['migrations', 'migrations_lock']);

/** Asks one statement; of knex or of pg. */
type Ask = (sql: string) => PromiseLike<{ rows: unknown[] }>;

interface Standing {
  version: number;
  shown: string;
  encoding: string;
  standby: boolean;
  read_only: boolean;
  database: string;
  username: string;
  schema: string | null;
  may_make_tables: boolean | null;
  may_make_schemas: boolean;
  /** Of our tables and the queues': roles that made them, and are none of the user's. */
  owners: string[];
  has_queues: boolean;
  may_make_queues: boolean;
  has_migrations: boolean;
}

const NOT_OF_EXTENSION = `NOT EXISTS (
  SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')`;

/** Understood by every server from version 10 on. */
const STANDING = `
  SELECT current_setting('server_version_num')::integer AS version, current_setting('server_version') AS shown,
    current_setting('server_encoding') AS encoding,
    pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only,
    current_database() AS database, current_user AS username, current_schema() AS schema,
    has_schema_privilege(current_schema(), 'CREATE') AS may_make_tables,
    has_database_privilege(current_database(), 'CREATE') AS may_make_schemas,
    to_regnamespace('bullmq') IS NOT NULL AS has_queues,
    coalesce(has_schema_privilege(to_regnamespace('bullmq'), 'USAGE, CREATE'), false) AS may_make_queues,
    ARRAY(SELECT DISTINCT relowner::regrole::text FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname IN (current_schema(), 'bullmq') AND relkind IN ('r', 'p') AND NOT pg_has_role(relowner, 'USAGE')
        AND ${NOT_OF_EXTENSION} ORDER BY 1) AS owners,
    to_regclass('migrations') IS NOT NULL AS has_migrations`;

/** Ours by what it says, not by its name. */
const OURS = `
  SELECT EXISTS (SELECT FROM migrations AS one WHERE to_jsonb(one)->>'name' = '0001_installation.sql') AS ours,
    NOT EXISTS (SELECT FROM migrations) AS empty`;

/** What stands where our tables would be made. What an extension brought, and the queues of nobody, is no one's. */
const TABLES = `
  SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = current_schema() AND relkind IN ('r', 'p', 'v', 'm', 'f') AND ${NOT_OF_EXTENSION}
  UNION ALL SELECT 'bullmq.' || relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'bullmq' AND relkind IN ('r', 'p')
  ORDER BY 1`;

/**
 * What is wrong with the server and the database behind `ask`; null: we can work here. With `toMigrate` also what would
 * keep migrations from being run, before anything is written.
 */
export async function examineStanding(ask: Ask, { toMigrate = false } = {}): Promise<DatabaseTrouble | null> {
  const [standing] = (await ask(STANDING)).rows as Standing[];
  if (!standing) throw new Error('the database gave no answer');
  return (
    troubleOfServer(standing) ?? (await troubleOfTables(ask, standing)) ?? (toMigrate ? missingRight(standing) : null)
  );
}

const found = (what: string, remedy: string, passing = false): DatabaseTrouble => ({
  code: null,
  what,
  remedy,
  passing,
});

function troubleOfServer({
  version,
  shown,
  encoding,
  standby,
  read_only: isReadOnly,
}: Standing): DatabaseTrouble | null {
  if (Math.floor(version / 10_000) < OLDEST_MAJOR) {
    return found(
      `is served by Postgres ${shown.split(' ')[0]}, and ${OLDEST_MAJOR} or newer is needed`,
      'upgrade the server, or set DATABASE_URL to a newer one',
    );
  }
  if (encoding !== 'UTF8') {
    const remedy = "set DATABASE_URL to one that was made so: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0";
    return found(`has the encoding ${encoding}, and UTF8 is needed: customers write any character`, remedy);
  }
  if (standby) {
    const remedy = 'set DATABASE_URL to the primary; after a failover it may take a moment';
    return found('is a standby, where nothing can be written', remedy, true);
  }
  if (!isReadOnly) return null;
  const remedy =
    'take default_transaction_read_only off the server, the database and the user; after a failover it may take a moment';
  return found('is read-only', remedy, true);
}

/** Other tables where ours would be made. */
async function troubleOfTables(ask: Ask, standing: Standing): Promise<DatabaseTrouble | null> {
  if (standing.schema === null) {
    return found(
      'has no schema to work in: search_path names none that is there and may be used',
      'create the schema (CREATE SCHEMA) or grant USAGE on it, or correct search_path',
    );
  }
  const migrations = standing.has_migrations ? await askOurs(ask) : { ours: false, empty: true };
  if (migrations === null) {
    return found(
      `holds a table "migrations" that ${standing.username} may not read`,
      `if it is Tallyhook's, let its owner run GRANT SELECT ON migrations TO "${standing.username}"; if not, create a database for Tallyhook alone`,
    );
  }
  if (migrations.ours) return null;
  const tables = ((await ask(TABLES)).rows as { name: string }[]).map(({ name }) => name);
  const others = migrations.empty ? tables.filter((name) => !BOOKKEEPING.has(name)) : tables;
  // Asked again: a migration may have ended between the two statements.
  if (others.length === 0 || (tables.includes('migrations') && (await askOurs(ask))?.ours === true)) return null;
  const shown = others.slice(0, SHOWN_TABLES).join(', ');
  const more = others.length > SHOWN_TABLES ? ` and ${others.length - SHOWN_TABLES} more` : '';
  return found(
    `holds tables of another program (${shown}${more}), and none of ours`,
    'create a database for Tallyhook alone (CREATE DATABASE tallyhook) and set DATABASE_URL to it; nothing was written',
  );
}

/** Null: the user may not ask. */
async function askOurs(ask: Ask): Promise<{ ours: boolean; empty: boolean } | null> {
  try {
    const [said] = (await ask(OURS)).rows as { ours: boolean; empty: boolean }[];
    return said ?? { ours: false, empty: false };
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === '42501') return null;
    throw error;
  }
}

const INBOX_LOCK_MS = 1_000;

/** What an event needs to be stored, for no longer than it takes to ask. Statements sent together are one transaction. */
const ENTER_INBOX = `SET LOCAL lock_timeout = ${INBOX_LOCK_MS}; LOCK TABLE inbox IN ROW EXCLUSIVE MODE`;

/** Whether events can be stored, or somebody holds the table against that, as a migration or the build of an index does. */
export async function examineInbox(ask: Ask): Promise<DatabaseTrouble | null> {
  try {
    await ask(ENTER_INBOX);
    return null;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
    const remedy = 'no event can be stored until who holds the table is done; pg_locks names the process';
    return { code: '55P03', what: 'takes no events, its inbox is locked', remedy, passing: true };
  }
}

/** All that is missing, in one sentence: whoever has to ask for rights asks once. */
function missingRight(standing: Standing): DatabaseTrouble | null {
  const { database, username, schema, owners } = standing;
  const rights = [
    ...(standing.may_make_tables === true ? [] : [`CREATE ON SCHEMA "${schema}"`]),
    ...(standing.has_queues || standing.may_make_schemas ? [] : [`CREATE ON DATABASE "${database}"`]),
    ...(standing.has_queues && !standing.may_make_queues ? ['USAGE, CREATE ON SCHEMA bullmq'] : []),
    ...owners,
  ];
  if (rights.length === 0) return null;
  const grants = rights.map((right) => `GRANT ${right} TO "${username}"`).join('; ');
  return owners.length === 0
    ? found(`gives the user ${username} no right to create what is missing`, `let its owner run: ${grants}`)
    : found(
        `holds tables of Tallyhook that ${username} does not own`,
        `run this as the user that made them, ${owners.join(' or ')}, or let a superuser run: ${grants}`,
      );
}

export interface Opening {
  applicationName: string;
  setting?: DatabaseSetting;
  /** How long trouble that may pass is waited for. Default: not at all. */
  waitMs?: number;
}

/** A connection of its own. @throws {DatabaseError} that says why there is none, without a password */
export async function openWhenAnswering(
  url: string,
  { applicationName, setting, waitMs = 0 }: Opening,
): Promise<Client> {
  const deadline = performance.now() + waitMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    try {
      return await openClient(url, { application_name: applicationName });
    } catch (error) {
      const trouble = troubleOf(error, setting);
      if (trouble === null) throw error;
      if (!trouble.passing || performance.now() + pauseMs > deadline)
        throw new DatabaseError(trouble, url, { cause: error });
    }
    await delay(pauseMs);
  }
}

/** A connection of its own, tried once. */
export async function openClient(url: string, config: ClientConfig): Promise<Client> {
  const client = new Client({
    ...config,
    connectionString: verifyingTls(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // Without a listener a connection that breaks while it idles would end the process; the next query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    void client.end().catch(() => {});
    throw error;
  }
}

/** How many connections this user may have to this database at most, and how many programs other than ours have of them. */
export async function connectionRoom(db: Knex): Promise<{ allowed: number; others: number }> {
  const rows = await rowsOf<{ allowed: number; others: number }>(db)`
    
   SELECT least(
       current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
         - coalesce(current_setting('reserved_connections', true)::integer, 0),
       (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
       (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS allowed,
     (SELECT count(*)::integer FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND application_name NOT LIKE 'tallyhook%') AS others`;
  return rows[0] ?? { allowed: 0, others: 0 };
}
