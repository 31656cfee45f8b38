import type { Knex } from 'knex';
import { z } from 'zod';
import { dayIn } from '../../domain/books/posting-month.js';
import { effectWords } from '../../domain/books/rate-effects.js';
import { hashOfText } from '../../domain/canonical-json.js';
import { counted, shortened, words } from '../../domain/in-words.js';
import { differences, earlierText, markedText, needsTwo, referenceText } from '../../domain/settlements/settlement.js';
import {
  getSettlement,
  markSettlement,
  type SettlementBooks,
  type SettlementMark,
  wasMarked,
} from '../../records/books/settlements.js';
import {
  type Asked,
  breakFacts,
  type DecisionPreview,
  decideAsked,
  MOST_DECIDED,
  previewDecision,
} from '../../records/breaks/decide-breaks.js';
import { inTransaction } from '../../records/database/statements.js';
import { importRatesFile } from '../import-rates.js';
import { asIs, type DecisionKind, type Request } from './decision-kind.js';

const breaks = z.strictObject({
  ids: z
    .array(z.string().regex(/^\d{1,18}$/, 'there is no such break'))
    .min(1, 'nothing of it is open any more')
    .max(MOST_DECIDED, `at most ${MOST_DECIDED} breaks can be decided at once`),
});

export const writingOff: DecisionKind<z.output<typeof breaks>> = {
  input: breaks,
  complete: ({ ids }) => ({ ids: [...new Set(ids)].sort((a, b) => Number(a) - Number(b)) }),
  subject: ({ ids }) => (ids.length === 1 ? `break ${ids[0]}` : counted(ids.length, 'break')),
  prepare: asIs,
  look: async (trx, { ids }) => {
    const would = await previewDecision(trx, { ids });
    const [left] = would.left;
    if (left?.why === 'not_found') return { why: `there is no break ${left.first}` };
    if (left !== undefined) return { why: `break ${left.first} is ${words(left.why)} already` };
    return {
      facts: [
        (await breakFacts(trx, ids)).map(({ id, kind, entity_id, evidence }) => [id, kind, entity_id, evidence]),
        would.money.map(({ currency, breaks: n, amount }) => [currency, n, amount]),
      ],
      preview: writeOffPreview(would),
      apply: async (nested, { actor, reason, approval }) => {
        const done = await decideAsked(nested, { ids }, 'write_off', { actor, note: reason, approval });
        return done.ids.length === ids.length
          ? { done: true, message: `${counted(ids.length, 'break')} written off.` }
          : { done: false, message: 'some of them closed meanwhile' };
      },
    };
  },
};

/** Of what is named, what is open. */
export async function writeOffRequest(db: Knex, asked: Asked, reason: string): Promise<Request> {
  const { ids } = await previewDecision(db, asked);
  return { action: 'write off break', input: { ids }, reason };
}

function writeOffPreview({ ids, items, money }: DecisionPreview): string[] {
  const sums = money.map(({ currency, breaks: n, amount, worth }) => {
    if (currency === null) return `no amount is known of ${counted(n, 'break')}`;
    return `${amount} ${currency}${worth === null ? '' : `, worth ${worth} USD`}`;
  });
  return shortened([
    `${counted(ids.length, 'break')} would be written off: ${sums.join('; ')}.`,
    ...items.map(({ id, kind, entity }) => `Break ${id}: ${words(kind)} of ${words(entity.kind)} ${entity.id}`),
    ...(ids.length > items.length ? [`and ${counted(ids.length - items.length, 'older break')}`] : []),
  ]);
}

const mark = z.strictObject({
  payoutId: z.string(),
  amount: z.string().nullable(),
  currency: z.string().optional(),
  on: z.iso.date().optional(),
  reference: z.string().optional(),
  difference: z.enum(differences).optional(),
});

/** What explains the money that is missing of a settlement. */
export const marking: DecisionKind<z.output<typeof mark>> = {
  input: mark,
  complete: (input, { timeZone, now }) => ({ ...input, on: input.on ?? dayIn(timeZone, now().getTime()) }),
  subject: ({ payoutId }) => `payout ${payoutId.slice(0, 200)}`,
  prepare: asIs,
  look: async (trx, input, { ready, reason }) => {
    const said = { ...input, note: reason };
    // What arrived is not late, whenever it did.
    const books = { ...ready, settlementDays: 0 };
    const result = await wouldMark(trx, { ...said, actor: '-' }, books, ready.now());
    if (result.outcome === 'not_found') return { why: `the service shows no settlement ${input.payoutId}` };
    if (result.outcome === 'refused') return result;
    const { settlement } = result;
    const before = (await getSettlement(trx, books, input.payoutId, ready.now()))?.arrival ?? null;
    return {
      facts: [settlement.expected, settlement.missing, settlement.status, await wasMarked(trx, input.payoutId), before],
      preview: [
        markedText(settlement),
        `${settlement.expected ?? 'An unknown amount of'} ${settlement.currency} were expected.`,
        referenceText(input.reference ?? null),
        ...(before === null ? [] : [earlierText(before)]),
      ],
      apply: async (nested, { actor, approval }) => {
        const done = await markSettlement(nested, { ...said, actor, approval }, books, ready.now());
        return { done: done.outcome === 'done', message: markedText(settlement) };
      },
    };
  },
};

/** Said and taken back: what it would come to is not computed a second way. */
export const wouldMark = (db: Knex, said: SettlementMark, books: SettlementBooks, now: Date) =>
  inTransaction(db, true, (trx) => markSettlement(trx, said, books, now));

/** Null: one person may say it. */
export async function markRequest(
  db: Knex,
  { note: reason, actor, approval: _none, ...input }: SettlementMark,
  books: SettlementBooks,
): Promise<Request | null> {
  const saidBefore = await wasMarked(db, input.payoutId);
  const tried = await wouldMark(db, { ...input, note: reason, actor }, books, new Date());
  if (tried.outcome !== 'done' || !needsTwo(tried.settlement, { saidBefore })) return null;
  return { action: 'mark settlement', input, reason };
}

/** Decisions that accepted a whole file name none of its lines: they are to be asked for again. */
const rates = z.strictObject({ text: z.string(), accepted: z.array(z.string()).catch([]) });

export const importing: DecisionKind<z.output<typeof rates>> = {
  input: rates,
  subject: ({ text }) => `rates file ${hashOfText(text).slice(0, 12)}`,
  prepare: asIs,
  look: async (trx, { text, accepted: named }, { ready: { timeZone, currency, chart, now }, reason }) => {
    const about = { now: now(), timeZone, currency, chart, accepted: named, reason };
    const would = await importRatesFile(text, { ...about, db: trx, actor: '', dryRun: true });
    if (!('rates' in would)) return { why: would.problems.join('; ') };
    const { rates: taken, valued, closed, accepted, replaced, effects, assets } = would;
    return {
      facts: [taken, valued, closed, accepted, replaced],
      preview: shortened([
        `${counted(taken, 'rate')} would be taken; ${counted(valued, 'entry', 'entries')} of open months would be valued anew.`,
        ...effects.map((effect) => effectWords(effect, currency)),
        ...closed,
        ...(accepted.length === 0 ? [] : [`Asked about and accepted (${accepted.length}):`]),
        ...accepted,
        ...assets,
        ...replaced,
        ...text
          .split('\n')
          .slice(1)
          .filter((line) => line.trim() !== ''),
      ]),
      apply: async (nested, { actor, approval }) => {
        const result = await importRatesFile(text, { ...about, db: nested, actor, approval, dryRun: false });
        if (!('rates' in result)) return { done: false, message: result.problems.join('; ') };
        return {
          done: true,
          message: `${counted(taken, 'rate')} taken; ${counted(result.valued, 'entry', 'entries')} valued anew.`,
        };
      },
    };
  },
};
