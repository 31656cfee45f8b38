import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { invoiceList } from '../../src/reconcile/lists/invoices.js';
import type { ListPlan } from '../../src/reconcile/lists/list-row.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { payoutList } from '../../src/reconcile/lists/payouts.js';
import { newRefreshMemory } from '../../src/reconcile/refresh/refresh-list.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { recordTables } from '../../src/records/record-columns.js';
import { RefusedError } from '../../src/service-api/service-errors.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isLong, sized } from '../support/sizes.js';
import { DAY, depsOf, FakeService } from './fake-service.js';
import { lives, MovingList } from './moving-list.js';
import { Random } from './random.js';
import { refreshRecords } from './refresh-records.js';

const MINUTE = 60_000;
/** What a page holds at most, whatever is asked for; the lists are as many pages long either way. */
const PAGE = sized(20, 100);
const database = resettableDatabase();

/** What a service does that has no status filter. */
class FilterlessService extends FakeService {
  how: 'refuses' | 'ignores' = 'refuses';
  inItems = false;

  override async reply(operation: string, request: Parameters<FakeService['reply']>[1]) {
    const { status, ...query } = request.query ?? {};
    if (status !== undefined && this.how === 'refuses') {
      this.asked.push({ operation, cursor: query['cursor'], status });
      const about = { operation, status: 400, serviceCode: 'bad_request', serviceMessage: null, isOwnWord: true };
      throw new RefusedError('the service refuses the request', about);
    }
    const answer = await super.reply(operation, { ...request, query });
    const rows = answer.data as JsonObject[];
    return this.inItems ? { ...answer, data: { items: rows, nextCursor: rows.at(-1)?.['id'] ?? null } } : answer;
  }
}

const waysOn = (plan: ListPlan): readonly FilterlessService['how'][] => {
  if (plan === paymentIntentList || isLong) return ['refuses', 'ignores'];
  return plan === payoutList ? ['ignores'] : ['refuses'];
};

describe.each([paymentIntentList, invoiceList, payoutList])('a service without a status filter on $kind', (plan) => {
  let service: FilterlessService;

  beforeEach(() => {
    service = new FilterlessService(listOf(plan));
  });

  const run = () => runReconcile(depsOf(database, service), { kind: plan.kind, full: false, withoutPayins: true });
  const held = async () => {
    const rows = await database.db(recordTables[plan.record]).select('id', 'shown');
    return Object.fromEntries(rows.map(({ id, shown }) => [id, JSON.parse(shown).version]));
  };
  const listed = () => Object.fromEntries(service.list.all().map(({ id, version }) => [id, version]));

  test.each(waysOn(plan))(
    'that %s it: all is read, each open record by itself, and the run says what it lacks',
    async (how) => {
      service = new FilterlessService(listOf(plan, 15 * PAGE));
      service.how = how;
      for (let tick = 0; tick < 3; tick++) {
        service.asked = [];
        const ended = await run();
        expect(ended).toMatchObject({ status: 'succeeded', complete: false, error: null });
        expect(ended.proof['reason']).toMatch(/^degraded: the service does not filter/);
        expect(differing(await held(), listed())).toEqual([]);
        // Not the whole list on each tick, though no tick is ever complete.
        if (tick > 0) expect(service.asked.length).toBeLessThan(40);
        for (let many = 0; many < 0.6 * PAGE; many++) service.list.mutate();
        service.list.clock += 10 * MINUTE;
      }
      expect(await database.db('breaks').where({ kind: 'record_not_at_service' })).toEqual([]);
    },
    60_000,
  );

  test('does not keep what events claim from being read at once', async () => {
    await run();
    const row = [...service.list.rows.values()].find(({ status }) => lives[plan.record].next[status])!;
    service.list.advance(row);
    await database.db('reading_marks').insert({ kind: plan.record, id: row.id, reason: 'claimed' });
    service.list.clock += MINUTE;
    await refreshRecords(depsOf(database, service), newRefreshMemory());
    expect((await held())[row.id]).toBe(String(row.version));
    expect(await database.db('reading_marks').where({ kind: plan.record })).toEqual([]);
  });
});

test('a list of payouts may stand in an object, as "items"', async () => {
  const service = new FilterlessService(listOf(payoutList));
  service.inItems = true;
  const ended = await runReconcile(depsOf(database, service), { kind: 'payouts', full: false });
  expect(ended.proof).toMatchObject({ head: [{ complete: true, toEnd: true }] });
  expect(Number((await database.db('payouts').count().first())?.['count'])).toBe(service.list.all().length);
});

function differing(held: Record<string, unknown>, listed: Record<string, unknown>): string[] {
  return Object.keys(listed).filter((id) => held[id] !== listed[id]);
}

function listOf(plan: ListPlan, rows = 2.5 * PAGE): MovingList {
  // A payment that is disputed once it is over is what such a service hides until the whole list is read.
  const life = { ...lives[plan.record], disputes: false };
  const list = new MovingList(new Random(5), { semantics: 'orm', pageCap: PAGE, deletes: false, grainMs: 1, life });
  list.restlessness = 0;
  list.grow(rows, 20 * DAY);
  for (const row of list.rows.values())
    for (let step = 0; row.seq < rows - 2 * PAGE && step < 6; step++) list.advance(row);
  list.clock += MINUTE;
  return list;
}
