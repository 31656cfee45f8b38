import type { Client } from 'pg';
import { DatabaseError, type DatabaseTrouble, troubleOf } from './database-trouble.js';
import { openWhenAnswering } from './examine-database.js';

export interface DatabaseUrls {
  /** DATABASE_URL. */
  url: string;
  /** DATABASE_DIRECT_URL; the same where it is not set. */
  directUrl: string;
}

/** The number of the session, as its server knows it. */
const SESSION = 'SELECT pg_backend_pid() AS pid';
/** So often two clients ask by turns; one shared session is mostly seen at once. */
const TURNS = 5;

/** The same for one database, whatever the address: the number of its cluster, its own within that, and the schema. */
const PLACE = `SELECT concat_ws('/', (SELECT system_identifier FROM pg_control_system()), oid, current_schema()) AS place
  FROM pg_database WHERE datname = current_database()`;

/** Whether what needs a session of its own (locks, LISTEN, the queue, migrations) has one; null: it has. */
export async function examineSessions({ url, directUrl }: DatabaseUrls): Promise<DatabaseTrouble | null> {
  const setting = directUrl === url ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
  const clients: Client[] = [];
  const open = async (to: string, named: typeof setting | 'DATABASE_URL' = setting) => {
    const client = await openWhenAnswering(to, { applicationName: 'tallyhook check', setting: named });
    clients.push(client);
    return client;
  };
  try {
    const first = await open(directUrl);
    if (directUrl !== url) {
      const places = [await placeOf(first), await placeOf(await open(url, 'DATABASE_URL'))];
      if (places[0] !== places[1]) return otherDatabase;
    }
    const stated = (first as Client & { processID: number | null }).processID;
    const pid = await sessionOf(first);
    if (pid === stated) return null;
    const second = await open(directUrl);
    for (let turn = 0; turn < TURNS; turn += 1) {
      if ((await sessionOf(second)) === pid || (await sessionOf(first)) !== pid) return sharedSessions(setting);
    }
    return null;
  } catch (error) {
    if (error instanceof DatabaseError) return error.trouble;
    const trouble = troubleOf(error, setting);
    if (trouble === null) throw error;
    return trouble;
  } finally {
    for (const client of clients) void client.end().catch(() => {});
  }
}

const otherDatabase: DatabaseTrouble = {
  code: null,
  what: 'of DATABASE_DIRECT_URL is another one than that of DATABASE_URL',
  remedy: 'set both to the same database, server and schema',
  passing: false,
};

function sharedSessions(setting: 'DATABASE_URL' | 'DATABASE_DIRECT_URL'): DatabaseTrouble {
  return {
    code: null,
    what: `is reached by ${setting} through a pooler that keeps no sessions (pool_mode transaction), which leadership, the queue and migrations need`,
    remedy: 'set DATABASE_DIRECT_URL to Postgres itself, or to a pooler in session mode',
    passing: false,
  };
}

async function sessionOf(client: Client): Promise<number | undefined> {
  return (await client.query<{ pid: number }>(SESSION)).rows[0]?.pid;
}

async function placeOf(client: Client): Promise<string | undefined> {
  return (await client.query<{ place: string }>(PLACE)).rows[0]?.place;
}
