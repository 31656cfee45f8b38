import type { Observation } from '../../src/domain/observation.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import type { Outcome, ReconcileDeps, RunContext } from '../../src/reconcile/deps.js';
import { LockTimeoutError } from '../../src/reconcile/schedule/leader.js';
import { reconcilers } from '../../src/reconcile/schedule/reconcilers.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { type WriteDeps, writeFenced } from '../../src/reconcile/write-fenced.js';
import { readChanges } from '../../src/records/changes.js';
import { isPassing } from '../../src/records/database/database-errors.js';
import { retiredLabels, retireSecret, saveSecretMatches } from '../../src/records/deliveries/secrets.js';
import type { Arrival, StoredArrival } from '../../src/records/inbox/inbox.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { type ApplyDeps, applyEvents } from '../../src/webhook/apply-events.js';
import { createInboxWriter } from '../../src/webhook/inbox-writer.js';
import { staticSecrets, withoutRetired } from '../../src/webhook/secret-source.js';
import { arrivalOf } from '../../src/webhook/steps.js';
import { authenticate, createUnsignedIds, type SigningSecret } from '../../src/webhook/verify-signature.js';
import { applyOrphaned } from '../../src/webhook/worker.js';
import { context } from '../support/saved.js';
import type { Stage } from './stage.js';
import type { Life } from './terms.js';
import { type Delivery, SECRETS, type World } from './world.js';

/** What is known beside the database, as by senders, the queue and the reader's own store. */
export interface Notes {
  /** Ids of the inbox that the queue sends the worker. */
  queue: string[];
  /** Ids of the inbox that were answered with 200. */
  answered: Set<string>;
  /** Transactions that wrote changes. */
  written: number;
  /** Places in the feed that the reader was given. */
  seen: string[];
  /** The retirement of the old secret has begun; somebody saw that it is done. */
  retiring: boolean;
  retired: boolean;
  /** The leader lost its lock; a run succeeded. */
  lockLost: boolean;
  succeeded: boolean;
  breaches: string[];
}

const ATTEMPTS = 6;
const KIND = 'invoices';
const match = { label: 'old', fingerprint: 'f' };
const tally = () => ({ calls: 0, seen: 0, changed: 0, breaksOpened: 0 });
const log = createLog('silent');
const now = () => context.now;
const metrics = createMetrics();

const applyDeps = (db: Life['db']): ApplyDeps => ({ ...context, db, log, now, metrics });

/** As whoever calls does: what the database's condition kept from being done is tried again. */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isWorth = isPassing(error) || (error instanceof Error && Reflect.get(error, 'retryable') === true);
      if (!isWorth || attempt === ATTEMPTS) throw error;
    }
  }
}

/** What is done at once, past the schedule. */
export interface Asides {
  /** Every event that waits becomes due for the sweep. */
  strand(): Promise<void>;
  /** Whether a transaction is open. */
  isCalm(): boolean;
  findStale(): Promise<string[]>;
}

export function addCast(stage: Stage, world: World, notes: Notes, asides: Asides): void {
  world.savers.forEach((batches, nth) => stage.add(`saver ${nth + 1}`, (life) => save(life, batches)));
  if (world.cast.has('events')) {
    stage.add('receiver', (life) => takeIn(life, world, notes));
    stage.add('worker', (life) => work(life, stage, notes));
  }
  if (world.cast.has('sweeper')) stage.add('sweeper', ({ db }) => sweep(db));
  if (world.cast.has('retirer')) {
    stage.add('retirer', ({ db }) => retire(db, notes));
    stage.add('second retirer', ({ db }) => retire(db, notes));
  }
  if (world.cast.has('leaders')) {
    stage.add('leader', (life) => lead(life, notes));
    stage.add('successor', async (life) => {
      await life.until(() => stage.ended.has('leader') || notes.lockLost);
      await lead(life, notes);
    });
  }
  // Whoever saves later would heal it.
  stage.add('judge', async ({ until }) => {
    await until(() => stage.ended.has('saver 1') && stage.ended.has('saver 2') && asides.isCalm());
    notes.breaches.push(...(await asides.findStale()));
  });
  stage.add('last sweeper', async ({ db, until }) => {
    await until(() => stage.isLast('last sweeper', 'reader'));
    await tried(() => asides.strand().then(() => sweep(db)));
  });
  if (world.cast.has('reader')) stage.add('reader', (life) => follow(life, stage, world, notes));
  Reflect.set(reconcilers, KIND, (run: RunContext) => readPages(run, world));
}

async function save({ db }: Life, batches: Observation[][]): Promise<void> {
  for (const batch of batches) await write({ db, now, tally: tally(), fence: null }, batch);
}

/** As every reconciler writes what it read. */
function write(deps: WriteDeps, batch: Observation[]): Promise<void> {
  return writeFenced(deps, (trx) => saveObservations(trx, batch, context));
}

async function retire(db: Life['db'], notes: Notes): Promise<void> {
  notes.retiring = true;
  await tried(() => retireSecret(db, { ...match, by: 'a person', note: null, now: context.now }));
  notes.retired = true;
}

/** The sender sends again what was not stored. */
async function takeIn({ db }: Life, { arriving, asks }: World, notes: Notes): Promise<void> {
  const inbox = createInboxWriter({ db, onStored: (ids) => notes.queue.push(...ids) });
  let secrets = await askSecrets(db, notes);
  for (const [nth, delivery] of arriving.entries()) {
    if (asks[nth]) secrets = await askSecrets(db, notes);
    const received = await tried(() => deliver(delivery, (arrival) => inbox.store(arrival), secrets.current()));
    if (received.outcome === 'refused' && delivery.label === 'old' && secrets.mayBeRetired()) continue;
    if (received.outcome === 'refused') notes.breaches.push(`an event under "${delivery.label}" was rejected`);
    else notes.answered.add(received.id);
    if (received.outcome === 'stored' && delivery.label === 'old' && secrets.areRetired)
      notes.breaches.push('an event was accepted under a secret that was known to be retired');
  }
  const seen = { ...match, hour: context.now, count: 1, firstAt: context.now, lastAt: context.now };
  await tried(() => saveSecretMatches(db, [seen]));
}

/** `areRetired`: somebody saw so before it was asked, and the database answered. */
async function askSecrets(db: Life['db'], notes: Notes) {
  const wasRetired = notes.retired;
  let failed = false;
  const seen = createLog('trace', { write: () => void (failed = true) });
  const source = await withoutRetired(staticSecrets(SECRETS), {
    retired: () => retiredLabels(db),
    log: seen,
    pollMs: 2 ** 30,
  });
  source.close();
  return { current: () => source.current(), areRetired: wasRetired && !failed, mayBeRetired: () => notes.retiring };
}

/** Throws what a sender should send again. */
export async function deliver(
  { body, headers }: Delivery,
  store: (arrival: Arrival) => Promise<StoredArrival>,
  current: readonly SigningSecret[],
) {
  const tolerance = { past: 1e9, future: 1e9 };
  const verdict = authenticate({ rawBody: body, headers, secrets: current, now: now(), tolerance });
  if (!verdict.ok) return { outcome: 'refused' as const, reason: verdict.reason };
  const key = { eventIdPointer: 'auto', unsignedIds: createUnsignedIds('auto') };
  const stored = await store(await arrivalOf(verdict, { rawBody: body, headers }, key));
  return { outcome: 'stored' as const, ...stored, label: verdict.label };
}

/** A job that fails is tried again; one that is in hand when the process dies is gone. */
async function work({ db, until }: Life, stage: Stage, { queue }: Notes): Promise<void> {
  const isOver = () => stage.ended.has('receiver');
  for (;;) {
    await until(() => queue.length > 0 || isOver());
    const ids = queue.splice(0);
    if (ids.length === 0) return;
    await tried(() => applyEvents(applyDeps(db), ids));
  }
}

async function sweep(db: Life['db']): Promise<void> {
  await tried(() => applyOrphaned(applyDeps(db), new AbortController().signal));
}

/** Whoever lost the lock leaves it to the successor, who goes on until a run has succeeded. */
async function lead({ actor, db, url, until }: Life, notes: Notes): Promise<void> {
  const deps = { db, databaseUrl: url, log, now, adoptedAt: context.adoptedAt } as unknown as ReconcileDeps;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const run = await runReconcile(deps, { kind: KIND, full: false, lockTimeoutMs: 0 }).catch((error: unknown) => {
      if (isPassing(error) || error instanceof LockTimeoutError) return null;
      throw error;
    });
    if (run?.status === 'succeeded') notes.succeeded = true;
    if (notes.succeeded || (actor === 'leader' && notes.lockLost)) return;
    await until(() => true);
  }
}

/** As a reconciler of a list; one that does not heed the signal stands for a process that stood still for a while. */
async function readPages({ deps, tally, fence, signal }: RunContext, { pages, heeds }: World): Promise<Outcome> {
  for (const page of pages) {
    if (heeds) signal?.throwIfAborted();
    tally.calls += 1;
    await write({ db: deps.db, now, tally, fence }, page);
  }
  return { complete: true, proof: {}, watermarks: new Map([['mark', { at: 1 }]]) };
}

/** Polls after others wrote, and to the end once they have ended. */
async function follow({ db, until }: Life, stage: Stage, { take, polls }: World, notes: Notes): Promise<void> {
  const readOn = async (): Promise<number> => {
    const page = await tried(async () => (await readChanges(db, { after: notes.seen.at(-1) ?? '0', take })).items);
    notes.seen.push(...page.map(({ seq }) => seq));
    return page.length;
  };
  for (let poll = 0; poll < polls; poll += 1) {
    const { written } = notes;
    await readOn();
    await until(() => notes.written > written || stage.isLast('reader'));
  }
  await until(() => stage.isLast('reader'));
  while ((await readOn()) > 0);
}
