import { z } from 'zod';
import type { MoneyOfBreaks } from '../../domain/breaks/money-once.js';
import { counted, words } from '../../domain/in-words.js';
import { moneyOfBreaks } from '../../records/breaks/break-money.js';
import {
  type BreakDecision,
  breakIds,
  countClosed,
  decideBreak,
  decideBreaks,
  listBreaks,
  MOST_DECIDED,
  ofCause,
} from '../../records/breaks/list-breaks.js';
import type { Action, ActionRequest, PageDeps, Preview } from '../page.js';
import { breakColumns, statusWords } from '../view/break-rows.js';
import { notice, type Section, table } from '../view/sections.js';
import { amount, count, none, quiet, text } from '../view/values.js';

type Own = Pick<Action, 'name' | 'roles' | 'label' | 'explain'> & Partial<Pick<Action, 'tone' | 'fields' | 'input'>>;

export interface Decision {
  own: Own;
  path: string;
  decide: (request: ActionRequest) => BreakDecision;
}

/** The note of the decision is the reason; the break keeps both, and the audit with them. */
function ofOne({ own, path, decide }: Decision): Action {
  return {
    ...own,
    path: `/breaks/:id/${path}`,
    run: async ({ db, now }, request) => {
      const { actor, params, reason } = request;
      const target = `break ${(params['id'] ?? '').slice(0, 40)}`;
      const about = { actor: actor.name, note: reason, now: now() };
      const result = await decideBreak(db, params['id'] ?? '', decide(request), about);
      if (result.outcome === 'not_found') {
        return { outcome: 'refused', target, message: 'There is no such break.', to: '/breaks' };
      }
      const { status, owner } = result.break;
      if (result.outcome === 'closed') {
        const message = `Nothing was changed: it is ${words(status)} already.`;
        return { outcome: 'refused', target, recorded: true, message };
      }
      const message = `The break is ${words(status)}; ${owner === null ? 'nobody' : owner} is at it.`;
      return { outcome: 'done', target, recorded: true, message };
    },
  };
}

const moment = z.iso.datetime();
const named = z.string().min(1).max(80);
const cause = z.object({
  kind: named,
  entityKind: named,
  shared: z.string().min(1).max(400),
  from: moment,
  to: moment,
  /** Ids, as the preview showed them; left out: what the cause has now. */
  previewed: z
    .string()
    .max(30_000)
    .regex(/^\d+( \d+)*$/)
    .optional(),
});

/** All of one cause at once: what is not closed of a kind and shares its evidence, opened within a time, and was in the preview. */
function ofMany({ own, path, decide }: Decision): Action {
  return {
    ...own,
    path: `/breaks/cause/${path}`,
    label: `${own.label} all`,
    input: own.input === undefined ? cause : cause.and(own.input),
    preview: async (deps, request) => previewOf(deps, request),
    run: async ({ db, now }, request) => {
      const given = causeOf(request);
      const found = await breakIds(db, ofCause(given));
      const seen = given.previewed === undefined ? null : new Set(given.previewed.split(' '));
      const ids = seen === null ? found : found.filter((id) => seen.has(id));
      const target = `${counted(ids.length, 'break')} ${words(given.kind)}`;
      if (ids.length === 0)
        return { outcome: 'refused', target, message: 'Nothing of it is open any more.', to: '/breaks' };
      if (ids.length > MOST_DECIDED)
        return {
          outcome: 'refused',
          target,
          message: `It has more than ${MOST_DECIDED} breaks: find what they have in common.`,
        };
      const about = { actor: request.actor.name, note: request.reason, now: now() };
      const { done } = await decideBreaks(db, ids, decide(request), about);
      return {
        outcome: 'done',
        target,
        details: { ids, previewed: seen?.size ?? null },
        message: `${counted(done, 'break')}: ${own.label}.${leftWords((seen?.size ?? done) - done)}`,
        to: '/breaks',
      };
    },
  };
}

const causeOf = ({ input }: Pick<ActionRequest, 'input'>) => cause.parse(input);

const SHOWN = 100;
/** Of each preview of a decision about several. */
export const NOT_YET = 'Nothing was done yet. Each keeps your reason as a step of its own.';

const leftWords = (left: number): string =>
  left === 0 ? '' : ` Left out: ${left}, closed or changed since the preview.`;

async function previewOf({ db, now }: PageDeps, request: ActionRequest): Promise<Preview> {
  const own = ofCause(causeOf(request));
  const [ids, page, closed] = await Promise.all([
    breakIds(db, own),
    listBreaks(db, { ...own, take: SHOWN }, now()),
    countClosed(db, own, now()),
  ]);
  const isTooMuch = ids.length > MOST_DECIDED;
  const about = isTooMuch ? `more than ${MOST_DECIDED} breaks` : counted(ids.length, 'break');
  const notes = [NOT_YET];
  if (isTooMuch) notes.push(`At most ${MOST_DECIDED} can be decided at once.`);
  if (ids.length > SHOWN) notes.push(`The newest ${SHOWN} are listed.`);
  const left = closed.map(({ status, count: n }) => `${n} ${statusWords(status)}`);
  if (left.length > 0) notes.push(`Left out, closed before: ${left.join(', ')}.`);
  return {
    sections: [
      notice(ids.length === 0 || isTooMuch ? 'warn' : 'info', `It is about ${about}`, notes.join(' ')),
      ...(isTooMuch ? [] : moneySections(await moneyOfBreaks(db, ids))),
      table(page.items, { caption: 'What it is about', showCaption: false, columns: breakColumns }),
    ],
    kept: isTooMuch || ids.length === 0 ? {} : { previewed: ids.join(' ') },
  };
}

/** By asset; where no record says an amount there is no sum: zero would be a claim. */
function moneySections(sums: readonly MoneyOfBreaks[]): Section[] {
  if (sums.every(({ currency }) => currency === null)) return [];
  return [
    table(sums, {
      caption: 'The money that they are about, of each record once',
      columns: [
        ['Asset', ({ currency }) => (currency === null ? quiet('no amount is known') : text(currency))],
        ['Breaks', ({ breaks }) => count(breaks), 'end'],
        ['How much', ({ amount: n, currency }) => amount(n, currency), 'end'],
        [
          'Worth in USD',
          ({ worth, currency }) => (worth === null ? none(currency === null ? '–' : 'no rate') : amount(worth, 'USD')),
          'end',
        ],
      ],
    }),
  ];
}

const acknowledging: Decision = {
  path: 'acknowledge',
  decide: () => 'acknowledge',
  own: {
    name: 'acknowledge break',
    roles: ['operator'],
    label: 'Acknowledge',
    explain:
      'It is known, and somebody is at it: you, if nobody else was. It opens again if it gets worse, and closes by itself when its cause is gone.',
  },
};

const resolving: Decision = {
  path: 'resolve',
  decide: () => 'resolve',
  own: {
    name: 'resolve break',
    roles: ['operator'],
    label: 'Resolve',
    explain: 'It is fixed. For the same facts it is not opened again; other facts are a new break.',
  },
};

const writingOff: Decision = {
  path: 'write-off',
  decide: () => 'write_off',
  own: {
    name: 'write off break',
    roles: ['finance'],
    label: 'Write off',
    explain:
      'It will not be fixed, and that is accepted. For the same facts it is not opened again; other facts are a new break.',
    tone: 'bad',
  },
};

const assigned = z.object({ owner: z.string().trim().max(80).default('') });

const assigning: Decision = {
  path: 'assign',
  decide: ({ input }) => ({ owner: assigned.parse(input).owner || null }),
  own: {
    name: 'assign break',
    roles: ['operator', 'finance'],
    label: 'Assign',
    explain: 'Everybody sees who is at it. Left empty: nobody.',
    fields: [{ name: 'owner', label: 'To whom' }],
    input: assigned,
  },
};

/** What may be decided of breaks that somebody picked. */
export const decisions: readonly Decision[] = [acknowledging, assigning, resolving, writingOff];

export const acknowledgeBreak = ofOne(acknowledging);
export const resolveBreak = ofOne(resolving);
export const writeOffBreak = ofOne(writingOff);
export const assignBreak = ofOne(assigning);
export const ofCauses: readonly Action[] = decisions.map(ofMany);
