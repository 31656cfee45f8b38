import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { type Config, environment, loadConfig, type Needed, type VariableName } from '../config.js';
import type { ConsoleToken } from '../console/authenticate.js';
import type { Person } from '../domain/two-people.js';
import { ConfigError } from '../errors.js';
import type { Logger } from '../log.js';
import { DatabaseError, troubleOf } from '../records/database/database-trouble.js';
import { EMBEDDED_FOLDER, openStore } from '../wiring/open-store.js';
import { commandLog } from './command-log.js';
import { printNote } from './print.js';
import { findDemo } from './running-demo.js';

export type Store = { db: Knex; config: Config; log: Logger } & ReturnType<typeof settingsOf>;

/** Runs one short command against the database, joining the embedded one where that is in use, and leaves it again. */
export async function withStore<T, N extends VariableName = never>(
  work: (store: Store & { config: Needed<N> }) => Promise<T>,
  needs: readonly N[] = [],
): Promise<T> {
  const config = await commandConfig(needs);
  return reachingDatabase(config, () => workAt(config, work));
}

/** The settings of a command. Where neither a service nor a database is set, nor a database was made here: those of the demo that runs in this folder. */
export async function commandConfig<N extends VariableName = never>(needs: readonly N[] = []) {
  const { SERVICE_BASE_URL, DATABASE_URL } = loadConfig();
  const isOwn = [SERVICE_BASE_URL, DATABASE_URL].some((set) => set !== undefined);
  const demo = isOwn || existsSync(path.join(EMBEDDED_FOLDER, 'postgres')) ? undefined : await findDemo();
  if (demo === undefined) return loadConfig(needs);
  printNote(`of the demo that runs here: ${demo.console}`);
  return loadConfig(needs, { env: { ...environment(), ...demo.settings } });
}

async function workAt<T, C extends Config>(config: C, work: (store: Store & { config: C }) => Promise<T>): Promise<T> {
  const log = commandLog(config.LOG_LEVEL);
  const store = await openStore({ config, log }, { max: 4 });
  // Killed before it has left, it would leave an embedded server behind that nobody uses.
  const interrupt = () => void store.close().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    return await work({ db: store.db, config, log, ...settingsOf(config) });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await store.close();
  }
}

/** Files are read, and what reads them is loaded, when they are asked for. */
function settingsOf(config: Config) {
  const zone = { timeZone: config.BOOKS_TIMEZONE, currency: config.REPORTING_CURRENCY };
  const contract = async () => (await import('../service-api/contract.js')).loadContract(config.CONTRACT_FILE);
  const books = async () => {
    const { loadChart } = await import('../finance/load-chart.js');
    const { SETTLEMENT_DAYS: settlementDays } = config;
    return { ...zone, settlementDays, chart: await loadChart(config.CHART_FILE), table: (await contract()).movements };
  };
  return { zone, contract, books };
}

/** Runs a command against the database; where it can't be worked with, one line says so, not the place that noticed. */
export async function reachingDatabase<T>(
  { DATABASE_URL }: Pick<Config, 'DATABASE_URL'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === null) throw error;
    throw new DatabaseError(trouble, DATABASE_URL, { cause: error });
  }
}

/** Who runs the command, as it is kept with what they do: the person whose token TALLYHOOK_TOKEN is, else the operating system's user. */
export const cliActor = (): string => cliPerson().name;

/** The same with the role of the token; the operating system gives none. */
export const cliPerson = (): Person => tokenOwner() ?? { name: osUser(), role: null };

/** Null: no TALLYHOOK_TOKEN is given. @throws {ConfigError} where it is none of CONSOLE_TOKENS */
function tokenOwner(): ConsoleToken | null {
  const { TALLYHOOK_TOKEN: given, CONSOLE_TOKENS: tokens = [] } = loadConfig([]);
  if (given === undefined) return null;
  const own = tokens.find(({ token }) => token === given);
  if (own === undefined) throw new ConfigError('TALLYHOOK_TOKEN is none of the tokens in CONSOLE_TOKENS.');
  return own;
}

/** A container may have no name for its user. */
function osUser(): string {
  try {
    return `os:${userInfo().username}`;
  } catch {
    return `os:uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
