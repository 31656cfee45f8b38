import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/records/database.js';
import { compareWithTruth, readTruth } from '../drills/fault/compare-truth.js';
import { DRILL_MS, until } from '../support/drill.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { createLoad } from '../support/load.js';
import { differingOrders, progress, repeatedChanges, settle } from '../support/reckoning.js';
import { createSystemPostgres, pgDumpMajor, type SystemPostgres } from '../support/system-postgres.js';
import { holdEvents } from './held-events.js';
import { commandsUnder, createReader } from './run-document.js';

const DOCUMENT = 'docs/deploy.md';
/** Breaks that it opens are no failure. */
const RECONCILE = 'tallyhook reconcile all || [ $? -eq 3 ]';
/** Rates stand still: they would differ from one reading to the next. */
const SANDBOX = { payments: 20, invoices: 4, payouts: 4, rateSwingBasisPoints: 0 };
const major = pgDumpMajor();
if (major === null) {
  process.stderr.write('NOT TRIED: pg_dump and pg_restore as docs/deploy.md has them; they are not installed here\n');
}

let installation: Installation | null = null;
let server: SystemPostgres | null = null;
afterEach(async () => {
  await installation?.close();
  await server?.close();
  [installation, server] = [null, null];
});

const commands = (heading: string, blocks: number): string[] => {
  const found = commandsUnder(DOCUMENT, heading);
  expect(found, heading).toHaveLength(blocks);
  return found;
};

/** Every record is the service's, and everything that it sent is here. */
async function expectAllIsThere(db: Knex, { sandbox }: Installation): Promise<void> {
  await until('every event is applied', async () => {
    const { stored, applied } = await progress(db);
    return applied === stored || `${applied} of ${stored}`;
  });
  const kinds = await compareWithTruth(db, await readTruth(sandbox));
  expect(kinds.flatMap(({ differences }) => differences)).toEqual([]);
  expect(await repeatedChanges(db)).toEqual([]);
}

describe.skipIf(major === null)(`a Postgres of one's own, with pg_dump ${major}`, () => {
  test('the backup is rehearsed and put back by the commands of the document', { timeout: DRILL_MS }, async () => {
    server = await createSystemPostgres(major ?? 0);
    const url = server.url('tallyhook');
    const standing = openDatabase(server.url('postgres'));
    await standing.raw('CREATE DATABASE tallyhook');
    await server.migrate('tallyhook');
    installation = await createInstallation({ databaseUrl: url, sandbox: SANDBOX });
    const { sandbox } = installation;
    const load = createLoad(sandbox);
    await installation.start('serve', 'work');
    const { types } = await createReader({
      cwd: installation.cwd,
      env: { ...installation.env, SOME_ORDER: 'drill-15' },
    });
    load.send(10);
    let db = openDatabase(url);
    await settle({ db, sandbox });
    await types(RECONCILE);

    const [backup] = commands('Take a backup of your own Postgres', 1);
    expect(Number((await types(backup)).trim())).toBeGreaterThan(20);
    load.send(10);
    await settle({ db, sandbox });
    const after = await progress(db);

    const [rehearsal] = commands('Try it beside the running one', 1);
    expect(await types(rehearsal)).toContain('drill-15');
    expect(await progress(db)).toEqual(after);

    await db.destroy();
    await installation.stop();
    await standing.raw('DROP DATABASE tallyhook WITH (FORCE)');
    const [restore, reading] = commands('After a loss', 2);
    await types(restore);
    db = openDatabase(url);
    expect((await progress(db)).stored).toBeLessThan(after.stored);
    await installation.start('serve', 'work');
    await types(reading);
    await expectAllIsThere(db, installation);
    expect(await progress(db)).toEqual(after);
    expect(await holdEvents(db, sandbox)).toMatchObject({ lost: [], doubled: 0, strange: [] });
    expect(await differingOrders(db, load)).toEqual([]);
    await db.destroy();
    await standing.destroy();
  });
});

test('the embedded Postgres is backed up and put back by the commands of the document', {
  timeout: DRILL_MS,
}, async () => {
  installation = await createInstallation({ sandbox: SANDBOX });
  const { sandbox, cwd } = installation;
  const { types } = await createReader({ cwd, env: installation.env });
  const load = createLoad(sandbox);
  await installation.start('serve', 'work');
  load.send(10);
  await sandbox.control.deliveriesIdle();
  await types(RECONCILE);
  await installation.stop();

  const [backup] = commands('Take a backup of the embedded Postgres', 1);
  expect(Number((await types(backup)).trim())).toBeGreaterThan(0);
  await installation.start('serve', 'work');
  load.send(10);
  await sandbox.control.deliveriesIdle();
  await installation.stop();

  const [restore] = commands('Put the embedded one back', 1);
  await types(restore);
  await access(path.join(cwd, '.tallyhook.lost'));
  await installation.start('serve', 'work');
  const [, reading] = commands('After a loss', 2);
  await types(reading);
  const ofTheLoss = [...load.payments.values()].slice(-4);
  for (const { reference, order } of ofTheLoss) {
    expect(await types(`tallyhook orders show ${reference} --json`)).toContain(`"status": "${order}"`);
  }
  expect(await installation.stop()).toEqual([0, 0]);
});
