import type { CheckedRecord, CheckFacts, RefundFacts } from '../../src/domain/breaks/check-facts.js';
import { defaultPayoutWords } from '../../src/domain/family/links.js';
import type { JsonObject } from '../../src/domain/json.js';
import { defaultKytWords } from '../../src/domain/orders/kyt.js';
import type { RecordKind } from '../../src/domain/records.js';

export const HOUR = 3_600_000;
export const NOW = Date.parse('2026-03-02T00:00:00Z');

/** A record that was made a day ago and that the list shows now. */
export function checked(
  kind: RecordKind,
  id: string,
  fields: JsonObject = {},
  about: Partial<CheckedRecord> = {},
): CheckedRecord {
  return {
    kind,
    id,
    fields: { id, ...fields },
    verified: true,
    verifiedAt: NOW,
    absent: false,
    createdAt: NOW - 24 * HOUR,
    history: false,
    readAt: NOW,
    firstSeenAt: NOW - 24 * HOUR,
    since: null,
    observedBy: { type: 'poll', ref: 'run-1' },
    ...about,
  };
}

/** What `sourceOf` says of one of them. */
export const sourceOf = (kind: RecordKind, id: string, verified = true) => ({
  kind,
  id,
  verified,
  type: 'poll',
  ref: 'run-1',
});

/** All of them are judged; the payments are asked which refund they name. */
export function checkFacts(
  records: readonly CheckedRecord[],
  { refunds, ...about }: Partial<Omit<CheckFacts, 'refunds'>> & { refunds?: Partial<RefundFacts> } = {},
): CheckFacts {
  const of = (kind: RecordKind) => new Map(records.filter((one) => one.kind === kind).map((one) => [one.id, one]));
  const [intents, payins, invoices, payouts] = [of('payment_intent'), of('payin'), of('invoice'), of('payout')];
  const ids = (map: ReadonlyMap<string, CheckedRecord>) => new Set(map.keys());
  return {
    now: NOW,
    kytWords: defaultKytWords,
    ranAt: new Map(),
    registersSince: null,
    intents,
    payins,
    invoices,
    payouts,
    others: [],
    orders: [],
    listings: new Map(),
    focus: { intents: ids(intents), payins: ids(payins), invoices: ids(invoices), payouts: ids(payouts) },
    refunds: {
      words: defaultPayoutWords,
      naming: [...intents.values()],
      assigned: new Map(),
      namedThen: new Map(),
      ordered: new Set(),
      candidates: new Map(),
      makers: new Map(),
      ...refunds,
    },
    ...about,
  };
}
