import { carriedRate, chooseRate, rateOfPayment } from '../domain/books/choose-rate.js';
import type { BookedKind, Dated, Draft } from '../domain/books/entry.js';
import { type Append, keyOf, type Posted, planPosting } from '../domain/books/plan-posting.js';
import { dayIn, periodOf } from '../domain/books/posting-month.js';
import { appendEntries, type NewEntry, readPosted } from '../records/books/append-entries.js';
import type { ReadRecord } from '../records/books/book-records.js';
import { appendRates, carriedInTransit, copyRates, ratesKnown } from '../records/books/entry-rates.js';
import { closedMonths } from '../records/books/posting-progress.js';
import type { Trx } from '../records/database/statements.js';
import type { Books } from './posting-deps.js';

interface Drafted {
  drafts: readonly Draft[];
  records: readonly ReadRecord[];
  /** The drafts are all that the books should say of what they are about: a key that is not among them is taken back. */
  isWhole: boolean;
}

/** What the books don't say yet. Only reads. */
export async function planDrafts(books: Books, { drafts, records, isWhole }: Drafted): Promise<Append[]> {
  const wanted = drafts
    .filter(({ lines }) => lines.every(({ assetCode, memo }) => memo || books.opened.has(assetCode)))
    .flatMap((draft) => sinceItsOpening(draft, books.opened));
  const isWanted = new Set(wanted.map(keyOf));
  const posted = await readAllPosted(books.trx, [...wanted, ...records.map(refOf)]);
  return planPosting(wanted, isWhole ? posted : posted.filter((one) => isWanted.has(keyOf(one))));
}

type Placed = NewEntry & Pick<Append, 'worthAs'>;

/** Appends it. Returns how many entries that were. */
export async function appendDrafts(books: Books, drafted: Drafted): Promise<number> {
  const { records } = drafted;
  const byRecord = new Map(records.map((record) => [idOf(refOf(record)), record]));
  const closed = await closedMonths(books.trx);
  const entries = (await planDrafts(books, drafted)).map(
    (append): Placed => ({
      ...placed(append, books, closed),
      observed: byRecord.get(idOf(append))?.observedBy ?? null,
    }),
  );
  const ids = await appendEntries(books.trx, entries, books.written);
  const appended = entries.map((entry, n) => ({ entry, id: ids[n] ?? '', record: byRecord.get(idOf(entry)) ?? null }));
  await valueEntries(books, appended);
  return entries.length;
}

/** A memo of what is inside an opening, or for which there is none yet, is left out: it would begin the books before they are open. */
function sinceItsOpening(draft: Draft, opened: ReadonlyMap<string, number>): Draft[] {
  const { opening, dated } = draft;
  if (opening === undefined) return [draft];
  const since = opened.get(opening.assetCode);
  if (since === undefined) return [];
  if (dated.at >= since) return [draft];
  return opening.isSince ? [{ ...draft, dated: { at: since, by: 'opening' } }] : [];
}

/** Its day and month: the next open one where its own is closed. */
function placed(append: Append, { opened, timeZone }: Books, closed: ReadonlySet<string>): Omit<Placed, 'observed'> {
  const dated = sinceOpened(append, opened);
  const own = dated.day ?? dayIn(timeZone, dated.at);
  const period = periodOf(own, closed, { ...append, bookedOn: dated.bookedOn });
  return { ...append, dated, day: append.worthAs?.day ?? own, period };
}

/** What is not inside an opening came after it, whatever time the record shows. */
function sinceOpened({ dated, lines }: Append, opened: ReadonlyMap<string, number>): Dated {
  const since = Math.max(...lines.map(({ assetCode }) => opened.get(assetCode) ?? Number.NEGATIVE_INFINITY));
  return dated.at < since ? { at: since, by: 'opening' } : dated;
}

async function readAllPosted(
  trx: Trx,
  refs: readonly { recordKind: BookedKind; recordId: string }[],
): Promise<Posted[]> {
  const found: Posted[] = [];
  for (const kind of new Set(refs.map(({ recordKind }) => recordKind))) {
    const ids = new Set(refs.filter(({ recordKind }) => recordKind === kind).map(({ recordId }) => recordId));
    found.push(...(await readPosted(trx, kind, [...ids])));
  }
  return found;
}

function refOf({ kind, id }: ReadRecord): { recordKind: BookedKind; recordId: string } {
  return { recordKind: kind, recordId: id };
}

function idOf({ recordKind, recordId }: { recordKind: BookedKind; recordId: string }): string {
  return JSON.stringify([recordKind, recordId]);
}

interface Appended {
  entry: Placed;
  id: string;
  record: ReadRecord | null;
}

/** Says of each asset of each entry what it was worth then, or why that is not known. What is placed is worth what it was in transit. */
async function valueEntries({ trx, currency }: Books, appended: readonly Appended[]): Promise<void> {
  const wanted = appended
    .filter(({ entry }) => entry.worthAs === null)
    .flatMap(({ entry, id, record }) =>
      [...new Set(entry.lines.map(({ assetCode }) => assetCode))].map((assetCode) => ({
        id,
        assetCode,
        key: entry.key,
        isPlaced: entry.recordKind === 'placement',
        date: entry.day,
        at: entry.dated.at,
        fields: record?.kind === 'payment_intent' ? record.fields : null,
      })),
    );
  const known = await ratesKnown(trx, wanted, currency);
  const placed = wanted.filter(({ isPlaced }) => isPlaced);
  const inTransit = await carriedInTransit(trx, placed, currency);
  const carried = new Map(placed.map(({ id }, n) => [id, inTransit[n] ?? null]));
  const rates = wanted.map(({ id, assetCode, at, fields }, n) => {
    const payment = fields === null ? null : rateOfPayment(fields, assetCode, currency);
    const { file, service } = known[n] ?? { file: null, service: null };
    const of = carried.get(id) ?? null;
    const valuation = of === null ? chooseRate({ assetCode, currency, at, file, payment, service }) : carriedRate(of);
    return { entryId: id, assetCode, currency, valuation };
  });
  await appendRates(trx, rates);
  const kept = appended.flatMap(({ entry: { worthAs }, id }) =>
    worthAs === null ? [] : [{ from: worthAs.id, to: id }],
  );
  await copyRates(trx, kept);
}
