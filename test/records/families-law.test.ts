import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { familyOf, linksOf } from '../../src/domain/family/family.js';
import {
  defaultPayoutWords,
  familyKinds,
  linkedByPayment,
  namedIn,
  ordersOfPayment,
  ownerOfRefund,
  paymentsOf,
} from '../../src/domain/family/links.js';
import { loadFamilies } from '../../src/records/family/load.js';
import { untouchedOrder } from '../../src/records/order-row.js';
import { listOrders } from '../../src/records/orders/orders.js';
import { plain, recordsOf, saidOf, statesOf } from '../domain/laws/judge.js';
import { rareWorlds } from '../domain/laws/rare-worlds.js';
import { closeWorld, nothing, references, START, type World, world } from '../domain/laws/worlds.js';
import { useDatabase } from '../support/database.js';
import { absence, ownCall, poll } from '../support/observations.js';
import { intent, invoice, payout } from '../support/records.js';
import { save, saveOverlapping, staleOrders } from '../support/saved.js';
import { isLong, sized } from '../support/sizes.js';

const RUNS = sized(4, 420);

const database = useDatabase();

const TABLES = [
  'payment_intents',
  'payins',
  'invoices',
  'payouts',
  'orders',
  'payin_listings',
  'watermarks',
  'refund_assignments',
  'reported_refunds',
  'report_checks',
  'reading_marks',
  'service_writes',
];

/**
 * All of a world, as savers and persons write it down.
 *
 * @param screens that the account screens is known: a fact of its own, which all orders are derived anew for
 */
async function write(
  { proofs, reports, assigned, searched, disproved, calls, polledLate }: World,
  { reportsFirst = false, screens = false } = {},
): Promise<void> {
  const { db } = database;
  await db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(TABLES.map((table) => `DELETE FROM ${table}`).join(';'));
  });
  // Amid a flood, or where the delivery history was not read for an hour.
  const isFlooded = polledLate && proofs.length % 2 === 0;
  const minutes = polledLate && !isFlooded ? 61 : 59;
  const readAt = db.raw("now() - ? * interval '1 minute'", [minutes]);
  await db('watermarks').insert({ kind: 'deliveries', name: 'mark', value: '{}', updated_at: readAt });
  if (screens) await db('watermarks').insert({ kind: 'account', name: 'kyt', value: '{}' });
  for (const some of reportsFirst ? [reports, proofs] : [proofs, reports])
    if (some.length > 0) await save(database, some);
  for (const [id, at] of searched) await db('payouts').where({ id }).update({ searched_at: at });
  for (const [payout_id, payment_intent_id] of assigned) {
    await db('refund_assignments').insert({ payout_id, payment_intent_id, actor: 'a person', note: 'why' });
  }
  for (const inbox_id of new Set(disproved))
    await db('report_checks').insert({ inbox_id, secret_label: 'live', received_at: new Date(0), state: 'not_sent' });
  for (const { operation, key, paymentIntentId: payment_intent_id, begunAt: begun_at } of calls) {
    const call = { operation, payment_intent_id, begun_at, hash: '', leased_until: begun_at };
    await db('service_writes').insert([
      { ...call, key, status: 'lost' },
      { ...call, key: `${key} again`, status: 'refused' },
    ]);
  }
  await db('reading_marks').delete();
  const marks = (kind: string, lane: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ kind, id: `${kind} ${lane} ${n}`, lane, reason: 'claim' }));
  const others = [...marks('delivery', 'report', 9), ...marks('payout', 'hold', 9)];
  await db('reading_marks').insert([...marks('delivery', 'hold', isFlooded ? 10 : 9), ...others]);
}

const flooding = fc
  .tuple(fc.oneof(world, closeWorld), fc.boolean(), fc.nat(2))
  .map(([world, polledLate, turn]): World => {
    const disproved = world.reports.flatMap(({ source }, nth) => (nth % 3 === turn ? [source.ref] : []));
    // Just until the close worlds' report of it, or not quite.
    const searched: World['searched'] = turn === 0 ? world.searched : [['o1', START + 11_201 - turn]];
    return { ...world, polledLate, disproved, searched };
  });
/** One by itself as well: what it takes of the others must come with it. */
const some = fc.shuffledSubarray([...references], { minLength: 1 });

/** The rare worlds first, each with its proofs before its reports or after them; in a long run both. */
function inBothOrders<T>(
  exampleOf: (world: World, reportsFirst: boolean) => T,
  worlds = rareWorlds,
): { numRuns: number; examples: T[] } {
  const examples = worlds.flatMap((world, nth) =>
    isLong ? [exampleOf(world, false), exampleOf(world, true)] : [exampleOf(world, nth % 2 === 0)],
  );
  return { numRuns: RUNS + examples.length, examples };
}

test('what is loaded of an order is what the domain chooses of everything that is known', async () => {
  await fc.assert(
    fc.asyncProperty(flooding, some, fc.boolean(), async (world, some, reportsFirst) => {
      await write(world, { reportsFirst });
      const states = statesOf([...world.proofs, ...world.reports]);
      const showsKyt = [...states.values()].some(
        ({ observation, shown }) => observation.kind === 'payin' && typeof shown.fields['kytStatus'] === 'string',
      );
      const said = { ...saidOf(world, states), showsKyt };
      const records = recordsOf(states);
      const loaded = await database.db.transaction((trx) => loadFamilies(trx, some.map(untouchedOrder)));
      for (const reference of some) {
        const chosen = familyOf(reference, linksOf(records, said, defaultPayoutWords), said, defaultPayoutWords);
        expect(familyText(loaded.get(reference))).toEqual(familyText(chosen));
      }
    }),
    inBothOrders((world, reportsFirst): [World, 'A'[], boolean] => [world, ['A'], reportsFirst]),
  );
}, 600_000);

/** An invoice that we made ourselves links though the service denies it, and a person's last word on a refund counts. */
const decided: World = {
  ...nothing,
  proofs: [
    poll('payment_intent', intent('p1', { merchantReference: null, invoiceId: 'i1' }), 1),
    ownCall('invoice', 'i1', invoice('i1', { merchantReference: 'A' }), 1, 'createInvoice'),
    absence('invoice', 'i1', 2),
    poll('payout', payout('o1'), 3),
  ],
  assigned: [
    ['o1', 'p1'],
    ['o1', 'p2'],
  ],
};

/** What the views hold, sorted. */
async function viewed(view: string, columns: string): Promise<string[]> {
  const { rows } = await database.db.raw<{ rows: object[] }>(`SELECT DISTINCT ${columns} FROM ${view}`);
  return rows.map((row) => Object.values(row).join(' ')).sort();
}

test('the views of links and of orders say what the domain says of the same records', async () => {
  await fc.assert(
    fc.asyncProperty(world, async (world) => {
      await write(world);
      const records = recordsOf(statesOf([...world.proofs, ...world.reports]));
      const { payment_intent: intents, payin, invoice, payout } = records;
      const said = new Map(world.assigned);
      const links = new Set([
        ...intents.map(({ id }) => `payment_intent ${id} ${id}`),
        ...intents.flatMap(({ id, fields }) =>
          familyKinds.flatMap((kind) =>
            namedIn('payment_intent', fields, kind).map((named) => `${kind} ${named} ${id}`),
          ),
        ),
        ...Object.entries({ payin, invoice, payout }).flatMap(([kind, list]) =>
          list.flatMap(({ id, fields }) =>
            namedIn(kind as 'payin', fields, 'payment_intent').map((named) => `${kind} ${id} ${named}`),
          ),
        ),
        ...[...said].flatMap(([id, payment]) => (payment === null ? [] : [`payout ${id} ${payment}`])),
      ]);
      const held = await viewed('family_links', 'kind, id, payment_intent_id');
      expect(held).toEqual([...links].sort());
      const chosen = [
        ...[...linkedByPayment('payin', intents, payin)].flatMap(([id, all]) =>
          all.map((one) => `payin ${one.id} ${id}`),
        ),
        ...invoice.flatMap((one) => paymentsOf(one, intents).map(({ id }) => `invoice ${one.id} ${id}`)),
        ...payout.flatMap((one) =>
          ownerOfRefund(one, intents, defaultPayoutWords, said).candidates.map((id) => `payout ${one.id} ${id}`),
        ),
      ];
      expect(held).toEqual(expect.arrayContaining(chosen));
      const invoiced = linkedByPayment('invoice', intents, invoice);
      const orders = intents.flatMap((intent) =>
        ordersOfPayment(intent, invoiced.get(intent.id) ?? []).map((one) => `${intent.id} ${one}`),
      );
      expect(await viewed('payment_orders', 'payment_intent_id, reference')).toEqual(orders.sort());
    }),
    { numRuns: sized(10, 420), examples: [[decided]] },
  );
}, 600_000);

test('an order is found by each of its payments, and by the transactions of its payins and refunds; by no other', async () => {
  const { db } = database;
  const found = async (query: Parameters<typeof listOrders>[1]) =>
    (await listOrders(db, query)).items.map(({ reference }) => reference).sort();
  await fc.assert(
    fc.asyncProperty(fc.oneof(world, closeWorld), async (world) => {
      await write(world);
      for (const table of ['payins', 'payouts']) await db.raw(`UPDATE ${table} SET txid = '0x' || id`);
      const { payment_intent: intents, invoice } = recordsOf(statesOf([...world.proofs, ...world.reports]));
      const invoiced = linkedByPayment('invoice', intents, invoice);
      for (const intent of intents) {
        const own = ordersOfPayment(intent, invoiced.get(intent.id) ?? []);
        expect(await found({ paymentIntentId: intent.id })).toEqual(own.toSorted());
      }
      const families = await db.transaction((trx) => loadFamilies(trx, references.map(untouchedOrder)));
      for (const { reference, refunds } of await db('orders').select('reference', 'refunds')) {
        const payins = families.get(reference)?.payins.map(({ id }) => id) ?? [];
        for (const id of [...payins, ...(await db('payouts').whereIn('id', refunds).pluck('id'))])
          expect(await found({ txid: `0x${id}` }), `${reference} by ${id}`).toContain(reference);
      }
    }),
    { numRuns: RUNS, examples: [[decided]] },
  );
}, 600_000);

/** Each is saved, and saved by two at once, in a long run; else every second one is the one, the others the other. */
const inTurn = (turn: number) => rareWorlds.filter((_, nth) => isLong || nth % 2 === turn);
const together = inTurn(0);

test('after each save an order is what its records make of it anew', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(world, closeWorld),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (world, size, reportsFirst) => {
        await write(nothing, { screens: true });
        const seen = reportsFirst ? [...world.reports, ...world.proofs] : [...world.proofs, ...world.reports];
        for (let from = 0; from < seen.length; from += size) {
          await save(database, seen.slice(from, from + size));
          expect(await staleOrders(database)).toEqual([]);
        }
      },
    ),
    inBothOrders((world, reportsFirst): [World, number, boolean] => [world, 1, reportsFirst], inTurn(1)),
  );
}, 600_000);

test('two savers at once leave no order other than what its records make of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(closeWorld, world), fc.nat(1), fc.boolean(), async (world, from, turned) => {
      await write(nothing, { screens: true });
      const seen = [...world.proofs, ...world.reports];
      if (from > 0) await save(database, seen.slice(0, from));
      for (let n = from; n + 1 < seen.length; n += 2) {
        const pair = seen.slice(n, n + 2).map((one) => [one]);
        const [first = [], second = []] = turned ? pair.toReversed() : pair;
        await saveOverlapping(database, first, second);
        expect(await staleOrders(database)).toEqual([]);
      }
    }),
    {
      numRuns: Math.ceil(RUNS / 3) + together.length,
      examples: together.map((world): [World, number, boolean] => [world, 0, false]),
    },
  );
}, 600_000);

function familyText(family: ReturnType<typeof familyOf> | undefined): unknown {
  if (family === undefined) return undefined;
  const order = { status: 'paid', release: { safe: false, reason: 'payins_unread', provenAt: null } } as const;
  return plain({ reference: '', family, facts: { ...family, reference: '', expected: null, contested: [] }, order });
}
