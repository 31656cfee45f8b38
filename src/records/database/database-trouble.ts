import { AppError } from '../../errors.js';
import { isPassing, PASSING_CODES, PASSING_MESSAGES, textOf } from './database-errors.js';

/** Why a database can't be worked with, in words for whoever runs it. */
export interface DatabaseTrouble {
  /** SQLSTATE, the system's code, or what pg says without one. Null: found by a check of our own. */
  code: string | null;
  /** Finishes "The database …". */
  what: string;
  remedy: string;
  /** Whether it may be over in a moment, without anybody's doing. */
  passing: boolean;
}

/** The settings that name a database. */
export type DatabaseSetting = 'DATABASE_URL' | 'DATABASE_DIRECT_URL';

/** The database does not answer, or is not one that this program can work with. */
export class DatabaseError extends AppError {
  readonly code = 'database';
  override readonly retryable: boolean;
  readonly trouble: DatabaseTrouble;

  constructor(trouble: DatabaseTrouble, url: string | undefined, options?: { cause?: unknown }) {
    super(`${sayTrouble(trouble, url)}.`, options);
    this.trouble = trouble;
    this.retryable = trouble.passing;
  }
}

/** Where, what is wrong, and what to do. */
function sayTrouble({ code, what, remedy }: DatabaseTrouble, url: string | undefined): string {
  return `${nameDatabase(url)} ${what}${code === null ? '' : ` (${code})`}: ${remedy}`;
}

/** The same as an answer of /readyz. `lasting`: waiting does not help. */
export function unready(
  trouble: DatabaseTrouble,
  url: string | undefined,
): { ok: false; problems: [string]; lasting: boolean } {
  return { ok: false, problems: [sayTrouble(trouble, url)], lasting: !trouble.passing };
}

/** The database and where it is, without user and password. */
export function nameDatabase(url: string | undefined): string {
  if (url === undefined) return 'The database under ./.tallyhook';
  if (!URL.canParse(url)) return 'The database of DATABASE_URL';
  const { host, pathname, searchParams } = new URL(url);
  return `The database at ${host === '' ? (searchParams.get('host') ?? 'this machine') : host}${pathname}`;
}

interface Row extends Omit<DatabaseTrouble, 'code' | 'passing'> {
  codes?: RegExp;
  messages?: RegExp;
  passing?: true;
}

const REFUSED_LOGIN = 'refuses the user or the password';
const CERTIFICATE =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_\w+|ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/;

/** The first that fits. `URL` stands for the setting. Poolers and proxies have words, and often no code, of their own. */
const ROWS: readonly Row[] = [
  {
    messages: /unsupported startup parameter/i,
    what: 'is a pooler that refuses a startup parameter of URL',
    remedy: 'take options=… out of URL, or add options to ignore_startup_parameters of the pooler',
  },
  {
    messages: /statement pooling mode/i,
    what: 'is a pooler in statement mode, which has no transactions',
    remedy: 'set its pool_mode to transaction or session',
  },
  {
    messages: /prepared statement ".*" (does not exist|already exists)/i,
    what: 'is a pooler that hands the session of one client to another',
    remedy: 'set its pool_mode to session, or upgrade it: docs/scale.md, “Behind a pooler”',
  },
  {
    messages: /no pg_hba\.conf entry.*(no encryption|SSL off)|(SSL|TLS)( connection)? (is )?required/i,
    what: 'takes connections with TLS only',
    remedy: 'add sslmode=verify-full to URL, and sslrootcert=FILE where an authority of its own signs it',
  },
  {
    messages: /does not support SSL connections/i,
    what: 'has no TLS, which sslmode in URL asks for',
    remedy: 'switch TLS on at the server; or, on a network that nobody else reads, take sslmode out of URL',
  },
  {
    codes: CERTIFICATE,
    what: 'shows a TLS certificate that is not trusted here',
    remedy:
      'add sslmode=verify-full and sslrootcert=FILE, its authority’s certificate, to URL, with the host name that the certificate names; sslmode=no-verify takes any certificate',
  },
  {
    messages: /client password must be/i,
    what: 'asks for a password, and URL has none',
    remedy: 'write it into URL: postgres://user:password@host:port/database',
  },
  {
    codes: /^3D000$/,
    messages: /no such database|database ".*" does not exist/i,
    what: 'does not exist',
    remedy: 'create it (CREATE DATABASE), or correct the name in URL',
  },
  {
    codes: /^28/,
    messages: /(password|SASL|trust|ident|peer) authentication failed|no such user|not authenticated/i,
    what: REFUSED_LOGIN,
    remedy: 'correct them in URL; characters such as @ : / # % in a password are written as %40 %3A %2F %23 %25',
  },
  {
    codes: /^53300$/,
    messages:
      /too many (clients|connections)|no more connections allowed|remaining connection slots|query_wait_timeout/i,
    what: 'has no connection left',
    remedy:
      'raise max_connections, or the limit of the role or pooler: docs/scale.md, “Connections”, says how many are needed',
    passing: true,
  },
  { codes: /^57P0/, what: 'is starting or stopping', remedy: 'wait until it takes connections', passing: true },
  {
    codes: /^25006$/,
    what: 'is read-only, as a standby is',
    remedy: 'set URL to the primary; after a failover it may take a moment',
    passing: true,
  },
  {
    codes: /^42501$/,
    what: 'denies the user a right',
    remedy: 'let the owner of the tables run this, or grant: docs/deploy.md, “The database”',
  },
  { codes: /^(42P01|42703|3F000)$/, what: 'is not up to date', remedy: 'bring it up to date with tallyhook migrate' },
  {
    codes: /^55P03$/,
    what: 'has a table that somebody held for too long',
    remedy: 'nothing was done; run it again when the long work there has ended',
    passing: true,
  },
  {
    codes: /^ECONNREFUSED$/,
    what: 'does not answer, nothing listens there',
    remedy: 'see that it runs and that host and port in URL are right',
    passing: true,
  },
  {
    codes: /^(ENOTFOUND|EAI_AGAIN)$/,
    what: 'can’t be found, its host name is not known',
    remedy: 'correct the host in URL, or see to the name service',
    passing: true,
  },
];

let passwordSetting: string | undefined;

/** The setting that held the password, where the address does not; the sentence about a refused login names it. */
export function passwordComesFrom(setting: string | undefined): void {
  passwordSetting = setting;
}

/** What keeps every statement from being run, until somebody sees to the database or to the settings; null: nothing such. */
export function troubleOf(error: unknown, setting: DatabaseSetting = 'DATABASE_URL'): DatabaseTrouble | null {
  if (error instanceof AggregateError)
    return error.errors.map((one) => troubleOf(one, setting)).find((trouble) => trouble !== null) ?? null;
  if (!(error instanceof Error) || error instanceof AppError) return null;
  const given = textOf(error, 'code');
  const row = ROWS.find(({ codes, messages }) => codes?.test(given) || messages?.test(error.message));
  const [said] = PASSING_MESSAGES.exec(error.message) ?? [];
  const code = given === '' ? (said ?? null) : given;
  if (row) {
    const { what, passing = false } = row;
    const remedy = what === REFUSED_LOGIN && passwordSetting !== undefined ? remedyIn(passwordSetting) : row.remedy;
    return { code, what: naming(what, setting), remedy: naming(remedy, setting), passing };
  }
  if (!PASSING_CODES.has(given) && !/^(08|53|57)/.test(given) && said === undefined) return null;
  const remedy = `see that it runs and can be reached from here, and that host and port in ${setting} are right`;
  return { code, what: 'is unreachable', remedy, passing: isPassing(error) };
}

function remedyIn(setting: string): string {
  const but = setting.endsWith('_FILE') ? ', without one new line at the end of the file' : '';
  return `correct the password in ${setting}, which is taken as it stands${but}, or the user in URL`;
}

const naming = (text: string, setting: DatabaseSetting): string => text.replaceAll(/\bURL\b/g, setting);
