import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { defaultChart } from '../../src/domain/books/chart.js';
import type { JsonObject } from '../../src/domain/json.js';
import type { Observation } from '../../src/domain/observation.js';
import type { RecordKind } from '../../src/domain/records.js';
import { monthTables } from '../../src/finance/exports/month-tables.js';
import { matchOrders } from '../../src/finance/match-orders.js';
import { listMatches } from '../../src/records/books/match/list-matches.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll, report } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { intent, invoice, paidIntent, payin, payout } from '../support/records.js';
import { save } from '../support/saved.js';

const RUNS = process.env['TALLYHOOK_LONG'] === undefined ? 20 : 200;
const kinds = ['payment_intent', 'payin', 'invoice', 'payout', 'transaction'] as const satisfies RecordKind[];
const ids = [
  'forged_1',
  'forged_2',
  'pi_true',
  'pi_open',
  'pa_true',
  'in_true',
  'po_true',
  'po_refund',
  'po_unread',
  'pa_unread',
];
const database = useDatabase();
let second = 0;
let before: unknown;

/** Reads whatever there is: each record of the service's lists, and that nothing else is in them. */
async function readAll(): Promise<void> {
  second += 100;
  const month = { createdAt: '2026-03-02T00:00:00.000Z' };
  const payins = ['pa_true', 'pa_unread'].map((id) => ({ id, amountGross: '13.05', status: 'confirmed' }));
  const listed: [RecordKind, JsonObject][] = [
    ['payment_intent', paidIntent('pi_true', 'pa_true', { ...month, payins, irregularRefundPayoutId: 'po_unread' })],
    ['payin', payin('pa_true', 'pi_true', month)],
    ['payment_intent', intent('pi_open', { ...month, merchantReference: null, invoiceId: 'in_true' })],
    ['invoice', invoice('in_true', { ...month, merchantReference: 'order-invoiced' })],
    ['payout', payout('po_true', { ...month, payoutType: 'withdrawal' })],
    ['payout', payout('po_refund', { ...month, payoutType: 'refund', paymentIntentId: 'pi_true' })],
  ];
  const isListed = (kind: RecordKind, id: string) => listed.some(([of, fields]) => of === kind && fields['id'] === id);
  const denied = kinds.flatMap((kind) => ids.flatMap((id) => (isListed(kind, id) ? [] : [absence(kind, id, second)])));
  await save(database, [...listed.map(([kind, fields]) => poll(kind, fields, second)), ...denied]);
}

/** Rows of the month's files, but for breaks, which name what was forged; and the three-way match. */
async function monthAndMatch(): Promise<unknown> {
  await postBooks(database.db);
  const zone = { timeZone: 'UTC', currency: 'USD' };
  while ((await matchOrders({ ...zone, db: database.db })).more);
  return database.db.transaction(async (trx) => {
    const rows: Record<string, unknown[]> = {};
    const standing = { state: 'open', notes: [] } as const;
    const books = { ...zone, trx, month: '2026-03', chart: defaultChart, table: defaultContract.movements, standing };
    for (const table of monthTables(books)) {
      const own = (rows[table.name] = [] as unknown[]);
      if (table.name === 'breaks') continue;
      // When it was read last is another time with each reading.
      for await (const some of table.rows()) own.push(...some.map(({ provenAt: _proven, ...row }) => row));
    }
    return { rows, matches: (await listMatches(trx, { take: 500 }, { today: '2026-03-02', timeZone: 'UTC' })).items };
  });
}

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: 'USDT.TRON', opening: '100', balance: '100', now: new Date(at(0)) });
  await readAll();
  before = await monthAndMatch();
}, 60_000);

const aboutIds = fc.constantFrom(...ids);
const said = fc.record(
  {
    status: fc.constantFrom('completed', 'confirmed', 'paid', 'cancelled', 'failed'),
    payoutType: fc.constantFrom('withdrawal', 'refund', 'settlement'),
    merchantReference: fc.constantFrom('order-pi_true', 'order-invoiced', 'order-forged'),
    paymentIntentId: aboutIds,
    invoiceId: aboutIds,
    irregularRefundPayoutId: aboutIds,
    payins: fc.tuple(aboutIds.map((id) => ({ id, amountGross: '9' }))),
    assetCode: fc.constant('USDT.TRON'),
    amount: fc.constant('7'),
    totalAmountReceived: fc.constant('7'),
  },
  { requiredKeys: ['status'] },
);
const attack = fc
  .record({ kind: fc.constantFrom(...kinds), id: aboutIds, fields: said, later: fc.integer({ min: 1, max: 90 }) })
  .map(({ kind, id, fields, later }) => (): Observation => {
    const createdAt = '2026-03-03T00:00:00.000Z';
    return report(kind, id, { ...fields, id, createdAt }, second + later);
  });

it('a month, and its match, are the same whatever webhooks alone say, once that was read', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(attack, { minLength: 5, maxLength: 20 }), async (reports) => {
      await save(
        database,
        reports.map((made) => made()),
      );
      await readAll();
      expect(await monthAndMatch()).toEqual(before);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 300_000);
