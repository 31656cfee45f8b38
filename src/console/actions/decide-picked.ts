import { z } from 'zod';
import { mayDo } from '../../domain/console-roles.js';
import { counted } from '../../domain/in-words.js';
import { decideAsked } from '../../records/breaks/decide-breaks.js';
import type { Action, ActionRequest, PageRequest } from '../page.js';
import { Problem } from '../problem.js';
import { type ActionButton, notice } from '../view/sections.js';
import { asksOf, type Decision, decisions, previewOf, resultOf } from './decide-break.js';
import { pickedIds } from './picked-ids.js';

const input = z.object({
  id: pickedIds.refine((ids) => ids.length > 0, 'pick a break first: each row has a box'),
  decision: z.string().refine((given) => decisions.some(({ path }) => path === given), 'is none of those offered'),
  owner: z.string().trim().max(80).default(''),
});

/** Breaks that somebody picked in the list: one decision for all of them. */
export const decidePicked: Action = {
  path: '/breaks/picked',
  name: 'decide breaks',
  roles: ['operator', 'finance'],
  label: 'Decide the picked',
  explain: 'One decision for all that you picked. You see them before anything is done.',
  fields: [
    { name: 'decision', label: 'What', options: decisions.map(({ path, own }) => ({ value: path, text: own.label })) },
    { name: 'owner', label: 'To whom', hint: 'For Assign alone; empty: nobody.' },
  ],
  input,
  preview: async ({ db, now }, request) => {
    const { ids, decision } = pickedOf(request);
    const { sections } = await previewOf(db, { ids }, now());
    return [notice('info', decision.own.label, decision.own.explain), ...sections];
  },
  asks: ({ db }, request) => {
    const { ids, decision } = pickedOf(request);
    return asksOf(db, decision, { ids }, request.reason);
  },
  run: async ({ db, now }, request) => {
    const { ids, decision } = pickedOf(request);
    const about = { actor: request.actor.name, note: request.reason, now: now() };
    const result = await decideAsked(db, { ids }, decision.decide(request), about);
    const target = counted(ids.length, 'break');
    return { ...resultOf(result, decision.own.label), target, details: { ids: result.ids } };
  },
};

/** Only what this person may decide is offered. */
export function pickedButton(req: PageRequest): ActionButton | null {
  const button = req.button(decidePicked);
  if (button === null) return null;
  const mine = decisions.filter(({ own }) => mayDo(req.actor, own.roles)).map(({ path }) => path);
  const fields = button.fields.map(({ options, ...field }) =>
    options === undefined ? field : { ...field, options: options.filter(({ value }) => mine.includes(value)) },
  );
  return { ...button, fields };
}

/** @throws {Problem} 403 */
function pickedOf({ actor, input: given }: Pick<ActionRequest, 'actor' | 'input'>): {
  ids: string[];
  decision: Decision;
} {
  const { id, decision: path } = input.parse(given);
  const decision = decisions.find((one) => one.path === path);
  if (decision !== undefined && mayDo(actor, decision.own.roles)) return { ids: [...new Set(id)], decision };
  throw new Problem(403, 'Not allowed', `Your role ${actor.role} may not do this. Nothing was changed.`);
}
