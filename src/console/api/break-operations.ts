import type { Knex } from 'knex';
import { z } from 'zod';
import type { Role } from '../../domain/console-roles.js';
import { described } from '../../domain/views/parts.js';
import {
  type BreakCauseDetail,
  type BreakView,
  breakCauseDetailShape,
  breakCauseShape,
  breakShape,
  leftOutShape,
} from '../../domain/views/proof-shapes.js';
import { writeOffRequest } from '../../finance/decisions/money-decisions.js';
import {
  type BreakDecision,
  decideAsked,
  decideBreak,
  MOST_DECIDED,
  previewDecision,
} from '../../records/breaks/decide-breaks.js';
import { breakCauses, causeOfBreak } from '../../records/breaks/list-breaks.js';
import { conflict, notHere } from '../problem.js';
import { note } from './keep-action.js';
import { type Operation, operation } from './operation.js';

const listCauses = operation({
  id: 'listBreakCauses',
  method: 'get',
  path: '/breaks/causes',
  group: 'Proof',
  summary: 'List what open breaks have in common',
  description: 'What is not closed, by its cause as far as evidence says: the worst first, a hundred at most.',
  answers: {
    200: { description: 'All of them.', shape: z.object({ items: z.array(breakCauseShape), nextCursor: z.null() }) },
  },
  answer: async ({ db }) => ({ body: { items: await breakCauses(db), nextCursor: null } }),
});

const causeParams = { id: { description: 'The id of any break of it.', example: '7' } };

const getCause = operation({
  id: 'getBreakCause',
  method: 'get',
  path: '/breaks/causes/{id}',
  group: 'Proof',
  summary: 'One cause, and what a decision would be about',
  description: 'Its breaks, their money by asset, and what is left out and why. Nothing is changed.',
  params: causeParams,
  answers: { 200: { description: 'The cause.', shape: breakCauseDetailShape } },
  refusals: { 404: 'There is no such break, or nothing that came together with it is open.' },
  answer: async ({ db }, { params: { id } }): Promise<{ body: BreakCauseDetail }> => {
    const cause = await causeOf(db, id);
    const { ids, money, left: leftOut } = await previewDecision(db, { cause });
    return { body: { ...cause, ids, money, leftOut } };
  },
});

const owner = described(z.string().trim().min(1).max(80).nullable(), 'A person’s name; null: nobody.', 'ann');

/** Who may decide what. `body`: what it takes beside the note. */
interface Verb {
  verb: string;
  roles: readonly Role[];
  summary: string;
  body: { owner?: typeof owner };
  decision: (given: { owner?: unknown }) => BreakDecision;
  /** Two people decide it where FOUR_EYES is on. */
  isGated?: true;
}

const verbs: readonly Verb[] = [
  {
    verb: 'acknowledge',
    roles: ['operator'],
    summary: 'Say that somebody is at it',
    body: {},
    decision: () => 'acknowledge',
  },
  { verb: 'resolve', roles: ['operator'], summary: 'Say that it is fixed', body: {}, decision: () => 'resolve' },
  {
    verb: 'write-off',
    roles: ['finance'],
    summary: 'Say that it will not be fixed',
    body: {},
    decision: () => 'write_off',
    isGated: true,
  },
  {
    verb: 'assign',
    roles: ['operator', 'finance'],
    summary: 'Say who is at it',
    body: { owner },
    decision: ({ owner: to }) => ({ owner: typeof to === 'string' ? to : null }),
  },
];

const idOf = (verb: string): string => verb.replace('-o', 'O');

function ofOne({ verb, roles, summary, body, decision, isGated }: Verb): Operation {
  return operation({
    id: `${idOf(verb)}Break`,
    method: 'post',
    path: `/breaks/{id}/${verb}`,
    group: 'Proof',
    summary,
    roles,
    params: { id: { description: 'The break’s id.', example: '7' } },
    body: z.strictObject({ ...body, note }),
    answers: { 200: { description: 'The break after it.', shape: breakShape } },
    refusals: { 404: 'There is no such break.', 409: 'It is closed already.' },
    asks: isGated && (({ params: { id }, body: given }, { db }) => writeOffRequest(db, { ids: [id] }, given.note)),
    answer: async ({ db }, { actor, params: { id }, body: given }) => ({
      body: await decided(db, id, decision(given), { actor: actor.name, note: given.note }),
    }),
  });
}

function ofCause({ verb, roles, summary, body, decision, isGated }: Verb): Operation {
  return operation({
    id: `${idOf(verb)}BreakCause`,
    method: 'post',
    path: `/breaks/causes/{id}/${verb}`,
    group: 'Proof',
    summary: `${summary}: a whole cause`,
    description:
      'Of what you saw, all that is still open and of the cause, in one transaction. What came since is left alone.',
    roles,
    params: causeParams,
    body: z.strictObject({
      ...body,
      ids: described(
        z.array(z.string().max(40)).min(1).max(MOST_DECIDED),
        'The breaks that you saw: `ids` of the cause.',
        ['7', '8'],
      ),
      note,
    }),
    answers: {
      200: {
        description: 'What was decided, and what was not.',
        shape: z.object({ ids: z.array(z.string()), leftOut: leftOutShape }),
      },
    },
    refusals: { 404: 'There is no such break, or nothing that came together with it is open.' },
    asks:
      isGated &&
      (async ({ params: { id }, body: given }, { db }) =>
        writeOffRequest(db, { ids: given.ids, cause: await causeOf(db, id) }, given.note)),
    answer: async ({ db }, { actor, params: { id }, body: given }) => {
      const asked = { ids: given.ids, cause: await causeOf(db, id) };
      const about = { actor: actor.name, note: given.note };
      const { ids, left: leftOut } = await decideAsked(db, asked, decision(given), about);
      return { body: { ids, leftOut } };
    },
  });
}

async function causeOf(db: Knex, id: string) {
  const cause = await causeOfBreak(db, id);
  if (cause === null) throw notHere(`Nothing is open that came together with a break "${id.slice(0, 40)}".`);
  return cause;
}

async function decided(
  db: Knex,
  id: string,
  decision: BreakDecision,
  about: { actor: string; note: string },
): Promise<BreakView> {
  const result = await decideBreak(db, id, decision, about);
  if (result.outcome === 'not_found') throw notHere(`There is no break "${id.slice(0, 40)}" here.`);
  if (result.outcome === 'closed') throw conflict(`The break is ${result.break.status}; only an open one can change.`);
  return result.break;
}

/** They stand before the list of breaks and one of it: an address of theirs is no break’s id. */
export const causeOperations: readonly Operation[] = [listCauses, getCause, ...verbs.map(ofCause)];
export const breakOperations: readonly Operation[] = verbs.map(ofOne);
