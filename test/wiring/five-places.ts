import type { statusFacts } from '../../src/cli/status.js';
import { createState, statusNow } from '../../src/console/status.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { examine } from '../../src/wiring/doctor/examine.js';
import { HASTY, partsFor } from '../cli/doctor-service.js';
import { alertDeps } from '../notify/alert-deps.js';
import { testConsole } from '../support/console.js';
import { visit } from '../support/console-visit.js';
import { NO_SERVICE, type useShell } from '../support/shell.js';
import { type Db, readAll } from './fault-steps.js';

export const runEverySeconds = Object.fromEntries(runKinds.map((kind) => [kind, 300]));

/** An installation of which nothing is wrong: every kind is proven, every part at work. */
export async function allWell(db: Db): Promise<void> {
  await readAll(db, 10);
  await recordHeartbeat(db, ['receiver', 'worker', 'alerts', 'queue']);
  const { id } = await db('runs').where({ kind: 'deliveries' }).first('id');
  await db('watermarks').insert({ kind: 'deliveries', name: 'upTo', value: '1', run_id: id });
}

/** What stands where people look; the doctor asks the service of that address. */
export async function readPlaces(db: Db, run: ReturnType<typeof useShell>, service = NO_SERVICE) {
  const now = () => new Date();
  const log = alertDeps(db, now).log;
  const state = createState({
    db,
    log,
    now,
    runKinds,
    runEverySeconds,
    secretsStatus: async () => ({ items: [] }),
  });
  const console = await visit(testConsole(db, { runKinds, runEverySeconds }).app, 'admin');
  const { items: doctor } = await examine(partsFor(db, service, {}, service === NO_SERVICE ? HASTY : undefined));
  const command = await run('status', '--json');
  const lines = await run('status');
  const overview = await console.get('/');
  return {
    status: await statusNow(state),
    overview: overview.text,
    buttons: overview.main,
    console,
    doctor,
    command: command.json as ReturnType<typeof statusFacts>,
    code: command.code,
    lines: lines.stdout.trimEnd().split('\n'),
  };
}
