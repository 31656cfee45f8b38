import type { Knex } from 'knex';
import { accounts } from '../../domain/books/chart.js';
import { type AssetAtEnd, closingDifferences } from '../../domain/books/closing-difference.js';
import { firstDayAfter, monthAfter, startOfDay } from '../../domain/books/posting-month.js';
import { rateDoubts } from '../../domain/books/rate-doubts.js';
import type { RateDoubt } from '../../domain/books/rate-means.js';
import { grouped } from '../../domain/grouped.js';
import { counted, minuteOf, shortened, words } from '../../domain/in-words.js';
import { objectFromJsonText } from '../../domain/json.js';
import { apart } from '../../domain/settlements/settlement.js';
import type { Missing, PeriodCheck } from '../../domain/views/books-shapes.js';
import type { Coverage } from '../../domain/views/proof-shapes.js';
import { decidingSealCheck, type SealCheck } from '../../records/audit/seal-checks.js';
import type { Finding } from '../../records/audit/verify-head.js';
import { proofsAsOf } from '../../records/balances/balance-proofs.js';
import { monthTotals } from '../../records/books/account-totals.js';
import { knownBeside, ratesInUse } from '../../records/books/given-rates.js';
import {
  bookedLater,
  farFromAsked,
  firstMonth,
  openSettlements,
  provenSinceEnd,
  type StandingBreak,
  standingBreaks,
  unopenedAssets,
  unposted,
  unpricedLines,
} from '../../records/books/period-facts.js';
import { closedMonths, postedUntil } from '../../records/books/posting-progress.js';
import { coverage } from '../../records/runs/coverage.js';
import type { MonthBooks } from '../exports/month-tables.js';
import type { PostingDeps } from '../posting-deps.js';
import { verifyBooks } from '../verify-books.js';

export interface CheckSettings extends Pick<PostingDeps, 'timeZone' | 'currency' | 'table'> {
  now: Date;
  /** What the service's records showed by then has to be posted; left out: two minutes ago, since posting is every minute. */
  knownAt?: Date;
  /** What a verification of all seals has just come to; left out: what is known of them. */
  seals?: Pick<SealCheck, 'findings' | 'firstFinding'>;
  /** All lines are added up, and the month's records are held against their entries, which takes as long as to post them. */
  isDeep?: boolean;
}

/** What books are made of: of each, all that there was at the end of the month has to be read. */
const bookKinds = ['payment-intents', 'payouts', 'accounts', 'transactions', 'balances'] as const;

const POSTED_WITHIN_MS = 120_000;
const OPEN_LISTED = 20;

/** What is missing for a month (YYYY-MM) to be closed, the gravest first. */
export async function checkPeriod(
  db: Knex,
  month: string,
  settings: CheckSettings,
): Promise<Omit<PeriodCheck, 'doubtedIncome'>> {
  const { currency, timeZone, now } = settings;
  const knownAt = settings.knownAt ?? new Date(now.getTime() - POSTED_WITHIN_MS);
  // Not a number after the last month of all, 9999-12: that is never over.
  const end = startOfDay(timeZone, firstDayAfter(month));
  const changed = await bookFaults(db, month, settings);
  const breaks = await standingBreaks(db);
  const order = await orderOfMonths(db, month, !(now.getTime() >= end));
  const isOpen = order.every(({ what }) => what !== 'already_closed');
  const later = Number.isNaN(end) ? [] : await bookedLater(db, { month, end: new Date(end), timeZone });
  const isWaiting = ({ isPosted, day }: (typeof later)[number]) => isOpen && !isPosted && day.slice(0, 7) <= month;
  const closings = await closingDiffers(
    db,
    { month, currency, now, end },
    { later: later.filter((one) => !isWaiting(one)), breaks: breaks.ofBalances },
  );
  const missing = [
    ...(await brokenSeals(db, settings.seals)),
    ...changed.filter((one) => !one.byReason),
    ...order,
    ...(await notPosted(db, knownAt)),
    ...later
      .filter(isWaiting)
      .map(({ assetCode, recordKind, recordId, amount, day }) =>
        byReason(
          'posting_behind',
          null,
          `${words(recordKind)} ${recordId}, ${amount} ${assetCode} on ${day}, waits to be posted`,
        ),
      ),
    ...breaks.critical
      .filter(({ entityKind, entityId }) => entityKind !== 'balance' || !closings.some(({ of }) => of === entityId))
      .map(({ id, kind, status, entityKind, entityId }) =>
        byReason('critical_break', id, `break ${id} is ${status}: ${words(kind)} of ${words(entityKind)} ${entityId}`),
      ),
    ...(await unprovenKinds(db, end, now)),
    ...closings,
    ...changed.filter((one) => one.byReason),
    ...(await unpricedLines(db, month, currency)).map(({ assetCode, why, lines, entry, from, to }) =>
      byReason(
        'unpriced_lines',
        entry,
        `${counted(lines, 'line')} of ${assetCode} without a value, ${from === to ? `on ${from}` : `from ${from} to ${to}`}, such as in entry ${entry}: ${why}`,
      ),
    ),
    ...(await moneyDoubts(db, { month, timeZone, currency })),
  ];
  return { month, postedUntil: await postedUntil(db), missing };
}

/** A chain that is broken proves nothing of what would be closed. */
async function brokenSeals(db: Knex, seals: CheckSettings['seals']): Promise<Missing[]> {
  const { findings = 0, firstFinding = null } = seals ?? (await decidingSealCheck(db)) ?? {};
  if (findings === 0) return [];
  const found = `${counted(findings, 'finding')} when the sealed logs were verified: ${firstFinding}`;
  return [never('seals_broken', `${found}. Run tallyhook audit verify`)];
}

/** What was changed behind a closing can't be closed over: reopen that month, which shows it, and close it again. */
async function bookFaults(db: Knex, month: string, { isDeep = false, ...settings }: CheckSettings): Promise<Missing[]> {
  const found: Missing[] = [];
  const reportFinding = ({ what, from, told }: Finding) =>
    void found.push(
      what === 'balance_differs' || what === 'entry_differs'
        ? byReason('books_differ', from, told)
        : never('books_changed', told, what === 'entry_late' ? null : from),
    );
  await verifyBooks({ ...settings, db }, { reportFinding, ...(isDeep ? { records: month } : { month }) });
  return found;
}

async function orderOfMonths(db: Knex, month: string, isRunning: boolean): Promise<Missing[]> {
  const closed = await closedMonths(db);
  if (closed.has(month)) return [never('already_closed', `${month} is closed already`)];
  if (isRunning) return [never('month_not_over', `${month} is not over in the zone of the books`)];
  const first = await firstMonth(db);
  if (first === null) return [never('nothing_posted', 'nothing is posted yet')];
  if (first > month) return [never('nothing_posted', `the books begin with ${first}`)];
  const open: string[] = [];
  for (let one = first; one < month; one = monthAfter(one)) if (!closed.has(one)) open.push(one);
  const listed = open
    .slice(0, OPEN_LISTED)
    .map((one) => never('earlier_month_open', `${one} is open: months are closed in their order`, one));
  const others = open.length - listed.length;
  return others === 0
    ? listed
    : [...listed, never('earlier_month_open', `${others} more earlier months are not closed`)];
}

async function notPosted(db: Knex, knownAt: Date): Promise<Missing[]> {
  const { changes, due, isRenewing } = await unposted(db, knownAt);
  const messages = [
    changes > 0 ? `${changes} ${changes === 1 ? 'change' : 'changes'} of records not posted yet` : null,
    due > 0 ? `${due} ${due === 1 ? 'record' : 'records'} to be posted anew` : null,
    isRenewing ? 'movements are being worked in anew by another table of the contract' : null,
  ].filter((one) => one !== null);
  const assets = await unopenedAssets(db);
  return [
    ...messages.map((one) => byReason('posting_behind', null, one)),
    ...assets.map((asset) =>
      byReason('asset_not_opened', asset, `nothing of ${asset} is posted: its balance has no opening position`),
    ),
  ];
}

async function unprovenKinds(db: Knex, end: number, now: Date): Promise<Missing[]> {
  const found: Coverage[] = [];
  // One after the other: a transaction has one connection.
  for (const kind of bookKinds) found.push(...(await coverage(db, [kind], now)));
  return found.flatMap(({ kind, completeUntil, unread, reason }) => {
    if (unread.length > 0) return [byReason('kind_unproven', kind, `${kind}: the list has a gap`)];
    if (completeUntil !== null && Date.parse(completeUntil) >= end) return [];
    const until =
      completeUntil === null
        ? 'no run was ever proven complete'
        : `proven complete until ${minuteOf(completeUntil)} UTC`;
    return [byReason('kind_unproven', kind, `${kind}: ${until}${reason === null ? '' : `; ${reason}`}`)];
  });
}

function never(what: Missing['what'], why: string, of: string | null = null): Missing {
  return { what, of, told: why, byReason: false };
}

/**
 * Assets of which nobody can say that the books end the month with what the service held; those whose balance is not proven first.
 * Each is one cause: its unexplained part and its breaks are in its sentence, and nowhere else. One outage is one sentence.
 */
async function closingDiffers(
  db: Knex,
  { month, currency, now, end }: { month: string; currency: string; now: Date; end: number },
  { later, breaks }: { later: AssetAtEnd['later']; breaks: readonly StandingBreak[] },
): Promise<Missing[]> {
  const proofs = await proofsAsOf(db, now);
  const proven = Number.isNaN(end) ? new Set<string>() : await provenSinceEnd(db, { month, end: new Date(end) });
  const { totals } = await monthTotals(db, { month, currency }, { account: accounts.operating });
  const closings = new Map(totals.map(({ assetCode, closing }) => [assetCode, closing]));
  const named = [
    ...proofs.keys(),
    ...later.map(({ assetCode }) => assetCode),
    ...breaks.map(({ entityId }) => entityId),
  ];
  const atEnd = [...new Set(named)].sort().map((assetCode): AssetAtEnd => {
    const proof = proofs.get(assetCode);
    return {
      assetCode,
      closing: closings.get(assetCode) ?? '0',
      later: later.filter((one) => one.assetCode === assetCode),
      unexplained: proof?.unexplained ?? null,
      unproven: proven.has(assetCode) ? null : (proof?.unproven ?? null),
      breaks: breaks.filter(({ entityId }) => entityId === assetCode),
    };
  });
  return closingDifferences(month, atEnd)
    .map(({ assetCode, isProven, told }) =>
      byReason(isProven ? 'closing_differs' : 'balance_unproven', assetCode, told),
    )
    .toSorted((a, b) => a.what.localeCompare(b.what));
}

/** What of a month may be worth something else than the books carry: each may be right, so a reason is enough. */
export async function moneyDoubts(
  db: Knex,
  { month, timeZone, currency }: Pick<MonthBooks, 'month' | 'timeZone' | 'currency'>,
): Promise<Missing[]> {
  const rates = await ratesInUse(db, month, currency);
  const doubts = rateDoubts(rates, await knownBeside(db, rates, { timeZone }));
  return [
    ...(await openSettlements(db, month)).map(({ id, kind, status, entityId, evidence }) =>
      byReason(
        'settlement_open',
        id,
        `break ${id} is ${status}: ${words(kind)} of payout ${entityId}, ${owed(evidence, currency)}`,
      ),
    ),
    ...[...grouped(doubts, ({ assetCode }) => assetCode)].map(([asset, own]) =>
      byReason('rate_far', asset, doubtWords(asset, own)),
    ),
    ...(await farFromAsked(db, month)).map(({ kind, id, told }) =>
      byReason('value_differs', id, `${kind === 'order' ? `order ${id}: ` : ''}${told}`),
    ),
  ];
}

/** So many days of an asset are named. */
const MOST_DAYS = 10;

/** One sentence of an asset: what is wrong with many of its rates, then of how many single days. */
function doubtWords(asset: string | null, doubts: readonly RateDoubt[]): string {
  const days = doubts.filter(({ isOfDay }) => isOfDay);
  const [first] = days;
  const dates = [...new Set(days.map(({ date }) => date))];
  const listed = dates.length > 1 ? ` (${shortened(dates, MOST_DAYS).join(', ')})` : '';
  return [
    ...doubts.filter(({ isOfDay }) => !isOfDay).map(({ told }) => told),
    ...(first === undefined
      ? []
      : [
          `rates of ${asset} that were given for ${counted(dates.length, 'day')}${listed} are far from what else is known, such as of ${first.date}: ${first.told}`,
        ]),
  ].join('; ');
}

function owed(evidence: string, currency: string): string {
  const { missing, ours } = objectFromJsonText(evidence);
  if (typeof missing === 'string') {
    const { size, than } = apart(missing);
    return than === 'more' ? `${size} ${currency} too much arrived` : `${size} ${currency} did not arrive`;
  }
  const expected = typeof ours === 'object' && ours !== null && 'expected' in ours ? ours['expected'] : null;
  return typeof expected === 'string' ? `expected were ${expected} ${currency}` : 'what it is worth is not known';
}

/** What a month may be closed with all the same, by who says why. */
function byReason(what: Missing['what'], of: string | null, told: string): Missing {
  return { what, of, told, byReason: true };
}
