import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { kinds } from '../../src/reconcile/deps.js';
import { type Scheduler, startScheduler } from '../../src/reconcile/schedule/schedule.js';
import { listRuns } from '../../src/records/runs/runs.js';
import { createServiceRate } from '../../src/records/service-rate.js';
import { UnavailableError } from '../../src/service-api/service-errors.js';
import { useFreshDatabase } from '../support/database.js';
import { DAY, depsOf, FakeService } from './fake-service.js';
import { lives, MovingList } from './moving-list.js';
import { Random } from './random.js';

/** So few that a busy machine is not what is waited for. */
const PER_SECOND = 10;
const PAGES = 200;
const PAYMENTS = 100 * PAGES;
const within = { timeout: 60_000, interval: 20 };

const database = useFreshDatabase();
let scheduler: Scheduler | null = null;

afterEach(async () => {
  await scheduler?.close();
  scheduler = null;
});

function listOf(many: number, kind: 'payment_intent' | 'invoice'): MovingList {
  const options = { semantics: 'key', pageCap: 100, deletes: false, grainMs: 1, life: lives[kind] } as const;
  const list = new MovingList(new Random(3), options);
  list.restlessness = 0;
  list.grow(many, 20 * DAY);
  list.clock += 60_000;
  return list;
}

/** Two lists, one clock, and the one rate that all processes share. */
class TwoLists extends FakeService {
  readonly invoices: FakeService;
  private readonly turn: (signal?: AbortSignal) => Promise<void>;

  constructor(turn: (signal?: AbortSignal) => Promise<void>) {
    super(listOf(PAYMENTS, 'payment_intent'));
    this.invoices = new FakeService(listOf(150, 'invoice'));
    this.turn = turn;
  }

  override async reply(operation: string, request: Parameters<FakeService['reply']>[1]) {
    await this.turn(request.signal);
    await delay(5);
    if (operation !== 'listInvoices') return super.reply(operation, request);
    this.asked.push({ operation, cursor: request.query?.['cursor'], status: request.query?.['status'] });
    return this.invoices.reply(operation, request);
  }
}

test('while a long list is read for the first time, another kind and what events claim have their turn at the one rate', async () => {
  const service = new TwoLists(createServiceRate(database.db, { perSecond: PER_SECOND }));
  const off = Object.fromEntries(kinds.map((kind) => [kind, 'off']));
  scheduler = startScheduler({
    ...depsOf(database, service),
    crons: { ...off, 'payment-intents': '0 0 1 1 *', invoices: '0 0 1 1 *' },
  });
  const endedOf = async (kind: string) => (await listRuns(database.db, { kind, status: 'succeeded' })).items;
  await vi.waitFor(async () => expect(await endedOf('invoices')).toMatchObject([{ complete: true }]), within);
  const callsUntilInvoices = service.asked.length;
  expect(await endedOf('payment-intents')).toEqual([]);

  // The newest of the long list is the one that customers wait for.
  const [row] = [...service.list.rows.values()].slice(-3);
  const { id } = row!;
  await vi.waitFor(async () => expect(await held(id)).toBeDefined(), within);
  row!.version += 1;
  const before = service.asked.length;
  await database.db('reading_marks').insert({ kind: 'payment_intent', id, reason: 'claimed' });
  await vi.waitFor(async () => expect((await held(id))?.version).toBe(String(row!.version)), within);
  const callsUntilClaim = service.asked.length - before;
  expect(await endedOf('payment-intents')).toEqual([]);

  // Each has its turn as often as the long reading has, which is not at its half; a claim waits a second to be gathered.
  expect(callsUntilInvoices).toBeLessThan(PAGES / 2);
  expect(callsUntilClaim).toBeLessThan(PAGES / 2);
}, 120_000);

async function held(id: string): Promise<{ version: string } | undefined> {
  const row = await database.db('payment_intents').where({ id }).first('shown');
  return row === undefined ? undefined : JSON.parse(row.shown);
}

test('a run that failed because the service was away is made again once another one has its answers', async () => {
  const service = new TwoLists(async () => {});
  let isAway = true;
  const reply = service.reply.bind(service);
  service.reply = async (operation, request) => {
    if (isAway) throw new UnavailableError('the service failed, status 503', { operation, status: 503 });
    return reply(operation, request);
  };
  const off = Object.fromEntries(kinds.map((kind) => [kind, 'off']));
  scheduler = startScheduler({
    ...depsOf(database, service),
    crons: { ...off, 'payment-intents': '* * * * * *', invoices: '0 0 1 1 *' },
    standbyMs: 100,
  });
  const invoices = async () => (await listRuns(database.db, { kind: 'invoices' })).items.map(({ status }) => status);
  await vi.waitFor(async () => expect(await invoices()).toEqual(['failed']), within);
  isAway = false;
  await vi.waitFor(async () => expect(await invoices()).toEqual(['succeeded', 'failed']), within);
});
