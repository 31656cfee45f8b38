import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SECRET, type Store, startStore } from '../../notify/store.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { until } from '../../support/drill.js';
import { createInstallation, type Installation } from '../../support/installation.js';
import { createLoad, type Load } from '../../support/load.js';
import { type CliProcess, startCli } from '../../support/run-cli.js';
import { eventBody, signedHeaders } from '../../support/signed.js';
import { createDrillClock } from '../fault/drill-clock.js';
import { type ConsoleVisitor, signInAt } from './console-visitor.js';
import { loopsByTheClock, setShift, shiftDatabase } from './one-time.js';
import { createScrapes, type Scrapes } from './scrapes.js';

/** An alert as the receiver of the webhook got it. */
export interface Arrived {
  type: string;
  name: string;
  subject: string;
  detail: string;
  remedy: string;
  /** On the service's clock, ms. */
  at: number;
}

/** An installation on call: each role a process, somebody at the console, and a webhook that alerts go to. */
export interface OnCallSite {
  folder: string;
  database: TestDatabase;
  installation: Installation;
  load: Load;
  visitor: ConsoleVisitor;
  scrapes: Scrapes;
  arrived: Arrived[];
  /** Seconds of the drill. */
  seconds(): number;
  /** So much time passes, and everybody does what was due in it. */
  pass(seconds: number): Promise<void>;
  useSecret(secret: string): Promise<void>;
  close(): Promise<void>;
}

/** More than the pause of any loop that is counted in whole numbers. */
const BEYOND = 0.25;
const TOKEN = 'a-token-for-the-night';

export async function createOnCallSite(longestSeconds: number): Promise<OnCallSite> {
  const database = await createTestDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'on-call-'));
  const secretsFile = path.join(folder, 'secrets');
  await writeFile(secretsFile, 'drill=whsec_soon');
  let shiftMs = -longestSeconds * 1_000;
  await shiftDatabase(database.db, shiftMs);
  const clock = await createDrillClock(folder, longestSeconds);
  const sink = await startStore();
  const installation = await createInstallation({
    databaseUrl: database.url,
    env: {
      ...clock.env,
      NODE_OPTIONS: `${clock.env['NODE_OPTIONS']} ${await loopsByTheClock(folder)}`,
      WEBHOOK_SECRETS: '',
      WEBHOOK_SECRETS_FILE: secretsFile,
      ALERT_WEBHOOK_URL: sink.url,
      ALERT_WEBHOOK_SECRET: SECRET,
      CONSOLE_TOKENS: `ann:operator:${TOKEN}`,
      CONSOLE_PORT: '0',
      RETENTION_PERSONAL_DAYS: '36500',
    },
    sandbox: { realNow: clock.realNow, rateSwingBasisPoints: 0, retrySchedule: [5, 30, 120, 600, 3600] },
  });
  const { sandbox, endpoint } = installation;
  const arrived: Arrived[] = [];
  listen(sink, arrived, () => sandbox.control.now());
  await writeFile(secretsFile, `drill=${endpoint.secret}`);
  const desk = startCli(['console'], { cwd: installation.cwd, env: installation.env });
  await installation.start('serve', 'work', 'schedule');
  const consoleUrl = (await desk.stdoutMatch(/^console +(http:\/\/\S+)$/m))[1] ?? '';
  const began = sandbox.control.now();
  const seconds = () => (sandbox.control.now() - began) / 1_000;
  const scrapes = createScrapes(() => ({ ...installation.metricsUrls(), console: consoleUrl }));
  await settled(database, began);
  return {
    folder,
    database,
    installation,
    load: createLoad(sandbox),
    visitor: await signInAt(consoleUrl, TOKEN),
    scrapes,
    arrived,
    seconds,
    async pass(wanted) {
      shiftMs += (wanted + BEYOND) * 1_000;
      // Before the processes hear of it: a check that is faster than this one counts, and the next is half a minute away.
      const jumped = await setShift(database.db, shiftMs);
      await clock.advance(sandbox, wanted + BEYOND);
      await sandbox.control.deliveriesIdle();
      await settled(database, jumped);
      await scrapes.read(seconds());
    },
    async useSecret(secret) {
      await writeFile(secretsFile, `drill=${secret}`);
      process.kill(installation.pidOf('serve') ?? 0, 'SIGHUP');
      await until('the receiver has read its secret', () => isAccepted(endpoint.url, secret), { intervalMs: 100 });
    },
    close: async () => closeAll({ desk, installation, sink, database, folder }),
  };
}

/** Not verified: the library that does it goes by the real clock. */
function listen(sink: Store, arrived: Arrived[], now: () => number): void {
  sink.answer = ({ body }, res) => {
    const { type, data } = JSON.parse(body) as { type: string; data: Omit<Arrived, 'type' | 'at'> };
    arrived.push({ ...data, type, at: now() });
    res.writeHead(204).end();
  };
}

/** The check for alerts that was due by then is over, and what it found is sent; runs and events are through. */
async function settled({ db }: TestDatabase, ms: number): Promise<void> {
  await until(
    'everybody has done what was due',
    async () => {
      const { rows } = await db.raw<{ rows: [{ open: string | null }] }>(
        `SELECT concat_ws(', ',
         CASE WHEN NOT EXISTS (SELECT FROM signs_of_life WHERE part = 'alerts' AND seen_at >= to_timestamp(?))
           THEN 'a check for alerts' END,
         (SELECT 'runs of ' || string_agg(kind, ' ') FROM runs WHERE status = 'running'),
         (SELECT 'notices' FROM alert_notices WHERE status = 'pending' LIMIT 1),
         (SELECT 'events' FROM inbox WHERE status IN ('received', 'failed') LIMIT 1)) AS open`,
        [ms / 1_000],
      );
      return rows[0].open === '' || rows[0].open;
    },
    { intervalMs: 15 },
  );
}

/** Known by what our receiver says of an event that is too old: it checks the signature first. */
async function isAccepted(url: string, secret: string): Promise<boolean> {
  const body = eventBody('of-long-ago', { timestamp: 1 });
  const response = await fetch(url, { method: 'POST', headers: signedHeaders(body, secret), body });
  return (await response.text()).includes('expired_timestamp');
}

async function closeAll(
  parts: Pick<OnCallSite, 'installation' | 'database' | 'folder'> & { desk: CliProcess; sink: Store },
): Promise<void> {
  await parts.desk.end('SIGKILL');
  await parts.installation.close();
  await parts.sink.close();
  await parts.database.drop();
  await rm(parts.folder, { recursive: true, force: true });
}
