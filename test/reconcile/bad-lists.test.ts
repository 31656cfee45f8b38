import { beforeEach, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { invoiceList } from '../../src/reconcile/lists/invoices.js';
import type { ListPlan } from '../../src/reconcile/lists/list-row.js';
import { paymentIntentList } from '../../src/reconcile/lists/payment-intents.js';
import { payoutList } from '../../src/reconcile/lists/payouts.js';
import { runReconcile } from '../../src/reconcile/schedule/run.js';
import { recordTables } from '../../src/records/record-columns.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isLong, sized } from '../support/sizes.js';
import { DAY, depsOf, FakeService, rateLimited, unauthorized } from './fake-service.js';
import { lives, MovingList } from './moving-list.js';
import { Random } from './random.js';

const MINUTE = 60_000;
/** What a page holds at most, whatever is asked for; the lists are as many pages long either way. */
const PAGE = sized(50, 100);
const database = resettableDatabase();
const plans = [paymentIntentList, invoiceList, payoutList];
/** What lists are read by is the same for each kind: the short run plays each fault on one of them. */
const playedOn = (plan: ListPlan, nth: number): boolean => isLong || plans[nth % plans.length] === plan;

interface Page {
  rows: JsonObject[];
  /** The whole list, newest first. */
  all: JsonObject[];
  call: number;
  cursor: string | undefined;
  filtered: boolean;
}

/** What a page becomes, and how the run over such pages must end. */
interface Fault {
  does(page: Page): JsonObject[];
  ends: 'failed' | 'incomplete' | 'complete';
  because?: RegExp;
}

const faults: Record<string, Fault> = {
  'the first page again and again': {
    does: ({ rows, all, cursor }) => (cursor === undefined ? rows : all.slice(0, PAGE)),
    ends: 'incomplete',
    because: /no page follows|nothing new/,
  },
  'pages of half the size': { does: ({ rows }) => rows.slice(0, PAGE / 2), ends: 'complete' },
  'pages that shrink to nothing': {
    does: ({ rows, call }) => (call > 2 ? [] : rows),
    ends: 'incomplete',
    because: /no page follows|is empty/,
  },
  'oldest first': { does: ({ rows }) => rows.toReversed(), ends: 'incomplete', because: /not newest first/ },
  'an item twice': {
    does: ({ rows }) => [...rows.slice(0, 3), ...rows.slice(2)],
    ends: 'incomplete',
    because: /twice/,
  },
  'an item without id': {
    does: ({ rows }) => rows.map((row, index) => (index === 1 ? { ...row, id: null } : row)),
    ends: 'incomplete',
    because: /no id/,
  },
  'a list that begins again where it ends': {
    does: ({ rows, all }) => (rows.length < PAGE ? [...rows, ...all].slice(0, PAGE) : rows),
    ends: 'incomplete',
    because: /not newest first|twice|nothing new/,
  },
  'too many calls in the middle': {
    does: ({ call, rows }) => {
      if (call > 2) throw rateLimited();
      return rows;
    },
    ends: 'failed',
    because: /service_rate_limited/,
  },
  'the key revoked in the middle': {
    does: ({ call, rows }) => {
      if (call > 2) throw unauthorized();
      return rows;
    },
    ends: 'failed',
    because: /service_unauthorized/,
  },
};

class FaultyService extends FakeService {
  fault: Fault | null = null;
  /** The service's clock, ahead of ours. */
  skew = 0;
  private call = 0;

  begin(fault: Fault | null): void {
    this.fault = fault;
    this.call = 0;
  }

  override async reply(operation: string, request: Parameters<FakeService['reply']>[1]) {
    const answer = await super.reply(operation, request);
    this.call += 1;
    const { cursor, status } = request.query ?? {};
    const page = {
      rows: answer.data as JsonObject[],
      all: this.list.all(),
      call: this.call,
      cursor: cursor === undefined ? undefined : String(cursor),
      filtered: status !== undefined,
    };
    const data: Json = this.fault?.does(page) ?? page.rows;
    return { data, from: answer.from + this.skew, to: answer.to + this.skew };
  }
}

describe.each(plans)('a list of $kind that misbehaves', (plan: ListPlan) => {
  let service: FaultyService;

  beforeEach(() => {
    const options = { semantics: 'orm', pageCap: PAGE, deletes: false, grainMs: 1, life: lives[plan.record] } as const;
    const list = new MovingList(new Random(5), options);
    list.restlessness = 0;
    list.grow(2.3 * PAGE, 2 * DAY);
    list.clock += MINUTE;
    service = new FaultyService(list);
  });

  const run = () => runReconcile(depsOf(database, service), { kind: plan.kind, full: false, withoutPayins: true });
  const marks = () =>
    database
      .db('watermarks')
      .where({ kind: plan.kind, name: 'head' })
      .orderBy('name')
      .select('name', 'value', 'run_id');
  const held = async () => {
    const rows = await database.db(recordTables[plan.record]).select('id', 'shown');
    return Object.fromEntries(rows.map(({ id, shown }) => [id, JSON.parse(shown).version]));
  };
  const listed = () => Object.fromEntries(service.list.all().map(({ id, version }) => [id, version]));

  test('ends failed or unproven with the reason, its watermark stays, and the next run makes good', async () => {
    expect(await run()).toMatchObject({ status: 'succeeded', complete: true });
    for (const [name, fault] of Object.entries(faults).filter((_, nth) => playedOn(plan, nth))) {
      service.list.grow(1.3 * PAGE, 40 * MINUTE);
      service.list.clock += 90 * MINUTE;
      const before = await marks();
      service.begin(fault);
      const bad = await run();
      const ended = bad.status === 'succeeded' ? (bad.complete ? 'complete' : 'incomplete') : bad.status;
      expect({ name, ended, proof: ended === fault.ends ? null : bad.proof }).toEqual({
        name,
        ended: fault.ends,
        proof: null,
      });
      if (fault.because) expect(`${name}: ${bad.error ?? String(bad.proof['reason'])}`).toMatch(fault.because);
      if (!bad.complete) expect({ name, marks: await marks() }).toEqual({ name, marks: before });
      if (bad.complete) expect({ name, held: await held() }).toEqual({ name, held: listed() });
      service.begin(null);
      expect({ name, complete: (await run()).complete }).toEqual({ name, complete: true });
      expect({ name, held: await held() }).toEqual({ name, held: listed() });
      expect({ name, breaks: await database.db('breaks').where({ kind: 'record_not_at_service' }) }).toEqual({
        name,
        breaks: [],
      });
    }
  }, 120_000);

  test.each([-10, 10].filter((minutes) => isLong || plan === (minutes < 0 ? payoutList : invoiceList)))(
    'is proven by a service whose clock is %i minutes off',
    async (minutes) => {
      service.skew = minutes * MINUTE;
      for (let round = 0; round < 3; round++) {
        service.list.grow(30, 4 * MINUTE);
        for (let many = 0; many < 20; many++) service.list.mutate();
        service.list.clock += 6 * MINUTE;
        expect(await run()).toMatchObject({ status: 'succeeded', complete: true });
        expect(await held()).toEqual(listed());
      }
      expect(await database.db('breaks').where({ kind: 'record_not_at_service' })).toEqual([]);
    },
  );
});
