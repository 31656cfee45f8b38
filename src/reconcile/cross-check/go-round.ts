import type { RecordKind } from '../../domain/records.js';
import { lockCheckWatermark, moveRound, type Round, readRounds } from '../../records/breaks/check-progress.js';
import { recordIds, recordsAbout } from '../../records/breaks/checked-records.js';
import type { Trx } from '../../records/database/statements.js';
import { fillSearchKeys } from '../../records/search/search-keys.js';
import type { Kind } from '../deps.js';
import {
  add,
  type CrossCheckDeps,
  type CrossCheckReport,
  checkEach,
  inTransaction,
  nothingChecked,
} from './cross-check.js';

/** A round begins so long after the one before, and takes at most so many minutes: together a day at most. */
const REST_MS = 12 * 3_600_000;
const MINUTES = 600;
const AT_ONCE = 500;

/** The records that a poll of a kind shows; of the others there is nothing to hold against another. */
const recordsOf: Partial<Record<Kind, readonly RecordKind[]>> = {
  'payment-intents': ['payment_intent', 'payin'],
  invoices: ['invoice'],
  payouts: ['payout'],
  accounts: ['account'],
  transactions: ['transaction'],
};

interface Pace {
  /** So many records of a transaction; default 500. */
  atOnce?: number;
}

/**
 * Called each minute: holds every record against what belongs to it once within a day, changed or not. What nothing announces is
 * found so: a change that was made in the database by hand, a new rule of a new version. So it is found by whatever it is searched by.
 */
export async function goRound(
  deps: CrossCheckDeps,
  { atOnce = AT_ONCE }: Pace = {},
  signal?: AbortSignal,
): Promise<CrossCheckReport> {
  const report = nothingChecked();
  const rounds = await readRounds(deps.db);
  for (const record of Object.values(recordsOf).flat()) {
    if (!isDue(rounds.get(record), deps.now().getTime())) continue;
    const share = Math.ceil((await recordsAbout(deps.db, record)) / MINUTES);
    const round = { record, atOnce, share: Math.max(atOnce, share), byHand: false };
    add(report, await goFurther({ ...deps, withoutFees: true }, round, signal));
  }
  return report;
}

/** After a full run: the next 500 of the kind, wherever the round is; so all of them where there are no more. */
export async function goOn(
  deps: CrossCheckDeps,
  kind: Kind,
  { atOnce = AT_ONCE }: Pace = {},
  signal?: AbortSignal,
): Promise<CrossCheckReport> {
  const report = nothingChecked();
  for (const record of recordsOf[kind] ?? [])
    add(report, await goFurther(deps, { record, atOnce, share: atOnce, byHand: true }, signal));
  return report;
}

interface Going {
  record: RecordKind;
  atOnce: number;
  /** So many records at most. */
  share: number;
  /** The next round begins where one ends. */
  byHand: boolean;
}

function isDue(round: Round | undefined, now: number): boolean {
  return round === undefined || round.after !== null || now - round.beganAt >= REST_MS;
}

async function goFurther(
  deps: Parameters<typeof checkEach>[2],
  { share, ...going }: Going,
  signal?: AbortSignal,
): Promise<CrossCheckReport> {
  const report = nothingChecked();
  let [left, begun, over] = [share, false, false];
  while (left > 0 && !over) {
    signal?.throwIfAborted();
    const limit = Math.min(left, going.atOnce);
    const slice = await inTransaction(deps, (trx) => checkNext(trx, deps, { ...going, limit }));
    add(report, slice.report);
    left -= slice.taken;
    begun ||= slice.begins;
    over = slice.ends && begun;
  }
  return report;
}

interface Slice {
  report: CrossCheckReport;
  taken: number;
  /** At the first of all ids; with the last of them. */
  begins: boolean;
  ends: boolean;
}

/** Where the last slice ended, in the order of ids. What comes later before that place has its turn in the next round. */
async function checkNext(
  trx: Trx,
  deps: Parameters<typeof checkEach>[2],
  { record, limit, byHand }: Pick<Going, 'record' | 'byHand'> & { limit: number },
): Promise<Slice> {
  await lockCheckWatermark(trx);
  const now = deps.now().getTime();
  const known = (await readRounds(trx)).get(record);
  if (!byHand && !isDue(known, now)) return { report: nothingChecked(), taken: 0, begins: true, ends: true };
  const after = known?.after ?? '';
  const beganAt = after === '' ? now : (known?.beganAt ?? now);
  const ids = await recordIds(trx, record, after, limit);
  const ends = ids.length < limit;
  await moveRound(trx, record, { after: ends ? null : (ids.at(-1) ?? null), beganAt });
  await fillSearchKeys(trx, record, ids);
  const entities = ids.map((id) => ({ kind: record, id }));
  return { report: await checkEach(trx, entities, deps), taken: ids.length, begins: after === '', ends };
}
