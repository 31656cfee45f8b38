import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Knex } from 'knex';
import { afterEach, describe, expect, test } from 'vitest';
import { createEmptyDatabase } from '../support/database.js';
import { DRILL_MS, report, STEP_MS, until } from '../support/drill.js';
import { type EarlierProgram, programBefore } from '../support/earlier-program.js';
import { createLoad, type Load } from '../support/load.js';
import { acceptedBy, hasProxy, type Proxy, startProxy } from '../support/proxy.js';
import { type Progress, progress } from '../support/reckoning.js';
import { runCli } from '../support/run-cli.js';
import { sized } from '../support/sizes.js';
import { atRate } from '../support/steady-load.js';
import { type Fleet, type FleetRole, startFleet } from './fleet.js';
import { endWell } from './verdict.js';

const RATE = sized(200, 500);
const EVENTS_OF_A_PAYMENT = 3.9;
const MOST_UNDER_WAY = RATE / 2;
const LOOK_MS = 100;
const FLEET = { serve: 2, work: 2, schedule: 1, console: 1 };
/** As docs/deploy.md says: schedulers, workers, receivers, console. */
const ORDER: readonly FleetRole[] = ['schedule', 'work', 'serve', 'console'];
const NEWEST = readdirSync(path.join(import.meta.dirname, '../../migrations'))
  .filter((name) => /^\d{4}_/.test(name))
  .toSorted()
  .at(-1)!;

let nginx: Proxy;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Ground {
  all: Fleet;
  db: Knex;
  load: Load;
  seen: Progress;
}

/** A fleet of the earlier program, on a database that it migrated. */
async function begin(earlier: EarlierProgram): Promise<Ground> {
  const { program } = earlier;
  closers.push(() => earlier.remove());
  const database = await createEmptyDatabase();
  closers.push(() => database.drop());
  const stores = { DATABASE_URL: database.url, DRAIN_SECONDS: '1' };
  expect(await runCli(['migrate'], { cwd: tmpdir(), env: stores, program, longestMs: STEP_MS })).toMatchObject({
    code: 0,
  });
  const front = async (ports: readonly number[]) => (nginx = await startProxy('nginx', ports));
  const all = await startFleet(FLEET, { stores, program, front });
  closers.push(() => all.close());
  return { all, db: database.db, load: createLoad(all.sandbox), seen: { stored: 0, applied: 0 } };
}

/** Payments at the rate, but for a moment in which so many of their events are under way already: a slow machine falls behind no further. */
function payAtRate({ load, seen }: Ground, work: () => Promise<void>): ReturnType<typeof atRate> {
  const pay = () => void (load.events() - seen.stored < MOST_UNDER_WAY && load.send(1));
  return atRate(RATE / EVENTS_OF_A_PAYMENT, pay, work);
}

/** Reads what is stored until it is stopped. */
async function watch({ db, seen }: Ground, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    Object.assign(seen, await progress(db));
    await delay(LOOK_MS);
  }
}

/** Load passes: as much as half a second brings. */
async function underLoad({ seen }: Ground): Promise<void> {
  const { stored } = seen;
  await until('the load is stored', () => seen.stored > stored + RATE / 2);
}

async function upgrade(ground: Ground): Promise<void> {
  const { all } = ground;
  await underLoad(ground);
  expect(await all.run(['migrate'])).toMatchObject({ code: 0, stdout: expect.stringContaining(NEWEST) });
  await underLoad(ground);
  for (const member of ORDER.flatMap((role) => all.members(role))) {
    const { code, next } = await all.replace(member);
    expect({ name: member.name, code }).toEqual({ name: member.name, code: 0 });
    // nginx has to see it before the other one goes.
    if (next.role === 'serve') await until('nginx sends to it again', async () => (await acceptedBy(next.cli)) > 0);
    await underLoad(ground);
  }
}

// Said aloud in support/proxy.ts where it is skipped.
describe.runIf(hasProxy('nginx'))('two receivers behind nginx, two workers, a scheduler and a console', () => {
  test('replaced one by one by the next version, under load: only 200 is answered, each event is applied once', {
    timeout: 2 * DRILL_MS,
  }, async (context) => {
    const earlier = await programBefore(NEWEST);
    if (earlier === null) {
      context.skip('NOT TRIED: git knows no earlier version here');
      return;
    }
    const ground = await begin(earlier);
    const { all, db, load } = ground;
    const over = new AbortController();
    const watching = watch(ground, over.signal);
    const { seconds } = await payAtRate(ground, () => upgrade(ground)).finally(() => over.abort());
    await watching;
    const { stored, applied } = await progress(db);
    const began = performance.now();
    const { answers, processes } = await endWell(all, ground);
    report(`upgrade from ${earlier.commit}`, {
      processes,
      events: load.events(),
      'stored a second': (stored / seconds).toFixed(0),
      'not applied at the end': stored - applied,
      'all ended after s': ((performance.now() - began) / 1_000).toFixed(1),
      answers: JSON.stringify(answers),
      lost: 0,
    });
    const isFine = Object.keys(answers).join() === '200';
    // What nginx wrote says why it was another one.
    expect({ answers, said: isFine ? '' : nginx.errors().slice(-2_000) }).toEqual({
      answers: { 200: load.events() },
      said: '',
    });
  });
});
