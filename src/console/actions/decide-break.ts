import type { Knex } from 'knex';
import { z } from 'zod';
import type { MoneyOfBreaks } from '../../domain/breaks/money-once.js';
import { counted, words } from '../../domain/in-words.js';
import type { Request as Asks } from '../../finance/decisions/decision-kind.js';
import { writeOffRequest } from '../../finance/decisions/money-decisions.js';
import {
  type Asked,
  type BreakDecision,
  type DecisionResult,
  decideAsked,
  decideBreak,
  leftWords,
  MOST_DECIDED,
  MOST_SHOWN,
  previewDecision,
} from '../../records/breaks/decide-breaks.js';
import type { Action, ActionRequest, ActionResult } from '../page.js';
import { breakColumns } from '../view/break-rows.js';
import { notice, type Section, table } from '../view/sections.js';
import { amount, count, none, quiet, text } from '../view/values.js';

type Own = Pick<Action, 'name' | 'roles' | 'label' | 'explain'> & Partial<Pick<Action, 'tone' | 'fields' | 'input'>>;

export interface Decision {
  own: Own;
  path: string;
  decide: (request: ActionRequest) => BreakDecision;
  /** Two people decide it where FOUR_EYES is on. */
  isGated?: true;
}

/** What is asked of another person; null: this is decided at once. */
export async function asksOf(db: Knex, { isGated }: Decision, asked: Asked, reason: string): Promise<Asks | null> {
  return isGated ? writeOffRequest(db, asked, reason) : null;
}

/** The note of the decision is the reason; the break keeps both, and the audit with them. */
function ofOne(decision: Decision): Action {
  const { own, path, decide } = decision;
  return {
    ...own,
    path: `/breaks/:id/${path}`,
    asks: ({ db }, { params, reason }) => asksOf(db, decision, { ids: [params['id'] ?? ''] }, reason),
    run: async ({ db, now }, request) => {
      const { actor, params, reason } = request;
      const target = `break ${(params['id'] ?? '').slice(0, 40)}`;
      const about = { actor: actor.name, note: reason, now: now() };
      const result = await decideBreak(db, params['id'] ?? '', decide(request), about);
      if (result.outcome === 'not_found')
        return { outcome: 'refused', target, message: 'There is no such break.', to: '/breaks' };
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
  openedFrom: moment,
  openedTo: moment,
  /** Ids, as the preview showed them; left out: what the cause has now. */
  previewed: z
    .string()
    .max(30_000)
    .regex(/^\d+( \d+)*$/)
    .optional(),
});

/** All of one cause at once: what is not closed of a kind and shares its evidence, opened within a time, and was in the preview. */
function ofMany(decision: Decision): Action {
  const { own, path, decide } = decision;
  return {
    ...own,
    path: `/breaks/cause/${path}`,
    label: `${own.label} all`,
    input: own.input === undefined ? cause : cause.and(own.input),
    preview: async ({ db, now }, request) => {
      const { sections, ids } = await previewOf(db, askedOf(request).asked, now());
      return { sections, kept: ids === null ? {} : { previewed: ids.join(' ') } };
    },
    asks: ({ db }, request) => asksOf(db, decision, askedOf(request).asked, request.reason),
    run: async ({ db, now }, request) => {
      const { asked, kind } = askedOf(request);
      const about = { actor: request.actor.name, note: request.reason, now: now() };
      const result = await decideAsked(db, asked, decide(request), about);
      return {
        ...resultOf(result, own.label),
        target: `${counted(result.ids.length, 'break')} ${words(kind)}`,
        details: { ids: result.ids, previewed: asked.ids?.length ?? null },
        to: '/breaks',
      };
    },
  };
}

/** How a decision about several ended. */
export function resultOf({ ids: { length: done }, left, isTooMuch }: DecisionResult, label: string): ActionResult {
  const message = isTooMuch
    ? `Nothing was changed: it is about more than ${MOST_DECIDED} breaks.`
    : done === 0
      ? 'Nothing was changed: nothing of it is open any more.'
      : `${counted(done, 'break')}: ${label}.`;
  const whole = [message, leftWords(left)].join(' ').trim();
  return done === 0 ? { outcome: 'refused', message: whole, isOver: true } : { outcome: 'done', message: whole };
}

function askedOf({ input }: Pick<ActionRequest, 'input'>): { asked: Asked; kind: string } {
  const { previewed, ...range } = cause.parse(input);
  return {
    asked: { cause: range, ...(previewed === undefined ? {} : { ids: previewed.split(' ') }) },
    kind: range.kind,
  };
}

/** Of each preview of a decision about several. */
const NOT_YET = 'Nothing was done yet. Each keeps your reason as a step of its own.';

/** What a decision is about, with its money and what is left out. `ids`: of what can be decided; null: nothing, or too much. */
export async function previewOf(
  db: Knex,
  asked: Asked,
  now: Date,
): Promise<{ sections: Section[]; ids: string[] | null }> {
  const { ids, isTooMuch, items, money, left } = await previewDecision(db, asked, now);
  const about = isTooMuch ? `more than ${MOST_DECIDED} breaks` : counted(ids.length, 'break');
  const notes = [NOT_YET];
  if (isTooMuch) notes.push(`At most ${MOST_DECIDED} can be decided at once.`);
  if (ids.length > MOST_SHOWN) notes.push(`The newest ${MOST_SHOWN} are listed.`);
  return {
    sections: [
      notice(
        ids.length === 0 || isTooMuch ? 'warn' : 'info',
        `It is about ${about}`,
        [...notes, leftWords(left)].join(' ').trim(),
      ),
      ...moneySections(money),
      table(items, {
        caption: 'What it is about',
        showCaption: false,
        columns: breakColumns,
        empty: ['Nothing is left of it', 'All of it is closed by now.'],
      }),
    ],
    ids: isTooMuch || ids.length === 0 ? null : ids,
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
  isGated: true,
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
