import type { Knex } from 'knex';
import { accounts } from '../../../domain/books/chart.js';
import type { BookedSum, MatchFacts, MovedSum } from '../../../domain/books/match/match-facts.js';
import { type OrderRefund, refundOf } from '../../../domain/family/family.js';
import {
  defaultPayoutWords,
  listedPayins,
  ownerOfRefund,
  type PayoutWords,
  type ShownRecord,
} from '../../../domain/family/links.js';
import { grouped } from '../../../domain/grouped.js';
import type { OrderFacts } from '../../../domain/orders/order-facts.js';
import { textField } from '../../../domain/records.js';
import { momentOf } from '../../../domain/service-time.js';
import { rowsOf, type Trx, tableOf } from '../../database/statements.js';
import { loadNaming, readAssigned } from '../../family/around.js';
import { openedAssets } from '../openings.js';
import { type MatchUnit, ownersOfPayments, unitKey } from './match-owners.js';
import type { MatchSettings } from './match-progress.js';
import { readShown, readUnitRecords, type UnitRecords } from './read-unit-records.js';

/** The facts of each that stands by itself, by `unitKey`; the others are counted with another, or are not there. */
export async function loadMatchFacts(
  trx: Trx,
  units: readonly MatchUnit[],
  { currency, payoutWords = defaultPayoutWords }: Omit<MatchSettings, 'timeZone'>,
): Promise<Map<string, MatchFacts>> {
  const found = await readUnitRecords(trx, units);
  const all = found.flatMap(({ intents }) => intents);
  const owners = await ownersOfPayments(trx, [...new Set(all.map(({ id }) => id))]);
  const opened = new Set((await openedAssets(trx)).keys());
  const refunds = await readShown(trx, 'payout', [...new Set(found.flatMap(({ refundIds }) => refundIds))]);
  const claims = await refundReports(
    trx,
    [...refunds.values()].map(({ record }) => record),
    payoutWords,
  );
  // A payment that moves from one to another is among the records of both; asked for twice it would count twice.
  const refs = [...new Map(found.flatMap(refsOf).map((ref) => [refKey(ref), ref])).values()];
  const sums = sumsBy(await movedBy(trx, refs), await bookedOf(trx, refs, currency));
  const facts = found.flatMap((records): [string, MatchFacts][] => {
    const key = unitKey(records.unit);
    const isOwn = ({ id }: ShownRecord) => unitKey(owners.get(id) ?? { kind: 'payment_intent', id }) === key;
    const intents = records.intents.filter(isOwn);
    if (records.unit.kind === 'payment_intent' && intents.length === 0) return [];
    const payins = payinsOf(records, intents);
    const known = records.refundIds.flatMap((id) => refunds.get(id)?.record ?? []);
    // What gives another's payment back is counted with that one.
    const own = known.flatMap((payout) => {
      const payment = claims.get(payout.id)?.payment ?? null;
      const refund = intents.some(({ id }) => id === payment) ? refundOf(payout, payment ?? '') : null;
      return refund === null ? [] : [{ payout, refund }];
    });
    const elsewhere = records.intents.filter((intent) => !isOwn(intent)).flatMap(({ id }) => owners.get(id) ?? []);
    return [
      [
        key,
        {
          ...records.unit,
          openedAt: openedAt(records, intents),
          order: orderOf(
            { ...records, intents, payins },
            own.map(({ refund }) => refund),
          ),
          registeredAt: records.registeredAt,
          refunds: own.map(({ payout }) => payout),
          claims: known.flatMap(({ id }) => claims.get(id)?.differs ?? []),
          elsewhere: elsewhere.map(({ kind, id }) => `${kind.replace('_intent', '')} ${id}`),
          ...sums(refsOf({ intents, payins, refundIds: own.map(({ payout }) => payout.id) })),
          currency,
          opened,
        },
      ],
    ];
  });
  return new Map(facts);
}

type Sums = Pick<MatchFacts, 'moved' | 'unclear' | 'booked'>;

function sumsBy(
  { moved, unclear }: Awaited<ReturnType<typeof movedBy>>,
  booked: readonly BookedSum[],
): (refs: readonly RecordRef[]) => Sums {
  const keyOf = ({ recordKind, recordId }: { recordKind: string; recordId: string }) =>
    refKey({ kind: recordKind, id: recordId });
  const [movedOf, unclearOf, bookedBy] = [grouped(moved, keyOf), grouped(unclear, keyOf), grouped(booked, keyOf)];
  return (refs) => {
    const keys = [...new Set(refs.map(refKey))];
    return {
      moved: keys.flatMap((key) => movedOf.get(key) ?? []),
      unclear: keys.flatMap((key) => unclearOf.get(key) ?? []).map(({ why }) => why),
      booked: keys.flatMap((key) => bookedBy.get(key) ?? []),
    };
  };
}

/** A payin goes with the payment that it names, or that lists it where it names none. */
function payinsOf({ payins }: UnitRecords, intents: readonly ShownRecord[]): ShownRecord[] {
  const own = new Set(intents.map(({ id }) => id));
  const listed = new Set(intents.flatMap(({ fields }) => listedPayins(fields)));
  return payins.filter(({ id, fields }) => {
    const named = textField(fields, 'paymentIntentId');
    return named === null ? listed.has(id) : own.has(named);
  });
}

function orderOf(records: UnitRecords, refunds: OrderRefund[]): OrderFacts {
  const { unit, expected, intents, payins, invoices, shared } = records;
  return { reference: unit.kind === 'order' ? unit.id : '', expected, intents, payins, invoices, refunds, shared };
}

function refsOf({ intents, payins, refundIds }: Pick<UnitRecords, 'intents' | 'payins' | 'refundIds'>): RecordRef[] {
  return [
    ...intents.map(({ id }): RecordRef => ({ kind: 'payment_intent', id })),
    ...payins.map(({ id }): RecordRef => ({ kind: 'payin', id })),
    ...refundIds.map((id): RecordRef => ({ kind: 'payout', id })),
  ];
}

const refKey = ({ kind, id }: { kind: string; id: string }): string => JSON.stringify([kind, id]);

/** The first that is known of it: the store's word, an invoice, a payment. */
function openedAt({ registeredAt, invoices, since }: UnitRecords, intents: readonly ShownRecord[]): number {
  const created = [...intents, ...invoices].flatMap(({ fields }) => momentOf(fields['createdAt']) ?? []);
  const known = registeredAt === null ? created : [...created, registeredAt];
  return known.length === 0 ? since : Math.min(...known);
}

interface RefundReport {
  /** The one payment that the refund is counted with; null: it gives none back. */
  payment: string | null;
  /** What its records say that can't all be so; null: they agree. */
  differs: string | null;
}

/** Which payment each refund gives back (`ownerOfRefund`), and where its records name several. */
async function refundReports(
  trx: Knex,
  refunds: readonly ShownRecord[],
  words: PayoutWords,
): Promise<Map<string, RefundReport>> {
  if (refunds.length === 0) return new Map();
  const naming = await loadNaming(trx, new Map(), refunds, []);
  const assigned = await readAssigned(trx, refunds);
  return new Map(
    refunds.map((refund) => {
      const { payment, candidates } = ownerOfRefund(refund, naming, words, assigned);
      return [refund.id, { payment, differs: candidates.length > 1 ? differenceOf(refund, candidates) : null }];
    }),
  );
}

function differenceOf({ id }: ShownRecord, payments: readonly string[]): string {
  return `refund ${id} is said to be of payments ${payments.join(' and ')}: it is counted with the first`;
}

type RecordNamed = Pick<MovedSum, 'recordKind' | 'recordId'>;

interface RecordRef {
  kind: 'payment_intent' | 'payin' | 'payout';
  id: string;
}

/** Of what payments bring and refunds take. The gas is no part of either. */
const OPERATIONS = ['paymentCollected', 'payinConfirmed', 'refund', 'disputeRefund'];

const accountNames: Readonly<Record<string, BookedSum['account']>> = {
  [accounts.operating]: 'operating',
  [accounts.payments]: 'payments',
  [accounts.refunds]: 'refunds',
};

/** What records did to the operating balance, and why that is not known of some. */
async function movedBy(
  trx: Knex,
  refs: readonly RecordRef[],
): Promise<{ moved: MovedSum[]; unclear: (RecordNamed & { why: string })[] }> {
  const moved = await rowsOf<MovedSum>(trx)`
    SELECT kind AS "recordKind", id AS "recordId", asset_code AS "assetCode", trim_scale(sum(delta))::text AS delta,
           trim_scale(sum(coalesce(base, 0)))::text AS base
    FROM ${asked(refs)} JOIN movements ON record_kind = kind AND record_id = id
    WHERE account_id IS NULL AND delta IS NOT NULL AND asset_code IS NOT NULL AND operation = ANY (${OPERATIONS}::text[])
    GROUP BY kind, id, asset_code`;
  const unclear = await rowsOf<RecordNamed & { why: string }>(trx)`
    SELECT kind AS "recordKind", id AS "recordId", coalesce(why, 'it is not known') AS why FROM ${asked(refs)}
      JOIN movements ON record_kind = kind AND record_id = id WHERE part = 'unclear'`;
  return { moved, unclear };
}

async function bookedOf(trx: Knex, refs: readonly RecordRef[], currency: string): Promise<BookedSum[]> {
  const rows = await rowsOf<Omit<BookedSum, 'account'> & { account: string }>(trx)`
    SELECT asked.kind AS "recordKind", asked.id AS "recordId", account, line.asset_code AS "assetCode", date::text AS date,
           trim_scale(sum(amount))::text AS amount, trim_scale(coalesce(sum(-amount * rate), 0))::text AS value,
           (count(*) FILTER (WHERE rate IS NULL AND account <> ${accounts.operating}))::integer AS unpriced
    FROM ${asked(refs)}
      JOIN entries ON record_kind = asked.kind AND record_id = asked.id
      JOIN entry_lines AS line ON line.entry_id = entries.id
      LEFT JOIN LATERAL (
        SELECT CASE WHEN currency = ${currency} THEN rate END AS rate FROM entry_rates
        WHERE entry_rates.entry_id = entries.id AND entry_rates.asset_code = line.asset_code
          AND account <> ${accounts.operating}
        ORDER BY id DESC LIMIT 1
      ) AS valued ON true
    WHERE account = ANY (${Object.keys(accountNames)}::text[]) AND NOT memo AND key <> 'network-fee'
    GROUP BY asked.kind, asked.id, account, line.asset_code, entries.date
    ORDER BY asked.kind, asked.id, entries.date, account`;
  return rows.flatMap((row) => {
    const account = accountNames[row.account];
    return account === undefined ? [] : [{ ...row, account }];
  });
}

function asked(refs: readonly RecordRef[]) {
  return tableOf('asked', refs, { kind: 'text', id: 'text' });
}
