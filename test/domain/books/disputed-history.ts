import * as fc from 'fast-check';
import type { MovementTable } from '../../../src/domain/balances/movement-table.js';
import { effectsOf } from '../../../src/domain/balances/movements.js';
import { disputeSeen, type ShownStep, stagesBefore } from '../../../src/domain/books/dispute-seen.js';
import type { BookRecord } from '../../../src/domain/books/entry.js';
import type { JsonObject } from '../../../src/domain/json.js';

/** A payment of 100 less a fee of 1 in one payin, as it was seen from some time on. */
interface Seen {
  state: 'none' | 'pending_decision' | 'encashed' | 'refunded';
  rejected: string | null;
  net: string;
  fee: string;
  /** Milliseconds. */
  at: number;
}

const PAID = Date.parse('2026-01-31T20:00:00.000Z');
const HOUR = 3_600_000;
const nets: Readonly<Record<string, string>> = { '20': '79.2', '50': '49.5', '100': '0' };
const fees: Readonly<Record<string, string>> = { '20': '0.8', '50': '0.5', '100': '0' };

const disputes = fc.array(
  fc.record({
    rejected: fc.constantFrom('20', '50', '100'),
    openHours: fc.integer({ min: 1, max: 2_000 }),
    ends: fc.constantFrom('none', 'encashed', 'refunded'),
    endHours: fc.integer({ min: 1, max: 2_000 }),
  }),
  { maxLength: 3 },
);

/** Paid, and then disputed and decided for some times; what was given back is disputed no more. */
export const disputed = fc.tuple(disputes, fc.boolean()).map(([given, isOpenStill]): Seen[] => {
  const seen: Seen[] = [{ state: 'none', rejected: null, net: '99', fee: '1', at: PAID + HOUR }];
  let at = PAID + HOUR;
  for (const [n, { rejected, openHours, ends, endHours }] of given.entries()) {
    const [net, fee] = [nets[rejected] ?? '', fees[rejected] ?? ''];
    at += openHours * HOUR;
    seen.push({ state: 'pending_decision', rejected, net, fee, at });
    if (isOpenStill && n === given.length - 1) break;
    at += endHours * HOUR;
    if (ends === 'refunded') {
      seen.push({ state: ends, rejected, net, fee, at });
      break;
    }
    seen.push({ state: ends, rejected: ends === 'none' ? null : rejected, net: '99', fee: '1', at });
  }
  return seen;
});

/** The payment at a place of its history, with what the history of changes shows until there. */
export function disputedAt(seen: readonly Seen[], place: number, table: MovementTable): BookRecord {
  const fields = fieldsAt(seen[place]);
  const moved = effectsOf({ kind: 'payment_intent', id: 'p', fields }, table).map((one) => ({ ...one, base: '0' }));
  const steps = seen.slice(0, place + 1).flatMap((_, n) => stepsAt(seen, n));
  const dispute = disputeSeen(steps);
  return {
    kind: 'payment_intent',
    id: 'p',
    fields,
    firstSeenAt: PAID,
    moved,
    dispute: dispute === null ? null : { ...dispute, stages: stagesBefore(steps), booksOpenedAt: 0 },
  };
}

function stepsAt(seen: readonly Seen[], n: number): ShownStep[] {
  const [at, save] = [seen[n]?.at ?? 0, `${n}`];
  const [before, after] = [fieldsAt(seen[n - 1]), fieldsAt(seen[n])];
  if (n === 0) return [{ save, field: null, from: null, to: after, at }];
  return Object.keys(after)
    .filter((field) => after[field] !== before[field])
    .map((field) => ({ save, field, from: before[field] ?? null, to: after[field] ?? null, at }));
}

function fieldsAt(seen: Seen | undefined): JsonObject {
  const { state, rejected, net, fee, at } = seen ?? { state: 'none', rejected: null, net: '0', fee: '0', at: 0 };
  const isDecided = state === 'encashed' || state === 'refunded';
  return {
    id: 'p',
    assetCode: 'BTC',
    status: 'completed',
    irregularStatus: state,
    irregularActionAt: isDecided ? new Date(at).toISOString() : null,
    amountCryptoExpected: '100',
    totalAmountReceived: '100',
    amountRejected: rejected,
    amountNetMerchant: net,
    feeAmountTotal: fee,
    createdAt: new Date(PAID - HOUR).toISOString(),
    statusHistory: [{ status: 'completed', timestamp: new Date(PAID).toISOString() }],
    payins: [
      {
        id: 'd',
        assetCode: 'BTC',
        status: 'confirmed',
        amountNet: '99',
        feeAmount: '1',
        createdAt: new Date(PAID - HOUR).toISOString(),
      },
    ],
  };
}
