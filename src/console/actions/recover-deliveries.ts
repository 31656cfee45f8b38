import { z } from 'zod';
import { type AlertFacts, sentOf, toRecover } from '../../domain/alerts/facts.js';
import { hindranceOf } from '../../domain/alerts/outage-words.js';
import { partlyRecovered } from '../../domain/alerts/recover-words.js';
import { counted, minuteOf } from '../../domain/in-words.js';
import { getDelivery, recoverableIds, type Wanted } from '../../records/deliveries/list-deliveries.js';
import type { Action, ActionRequest, PageDeps, PageRequest } from '../page.js';
import { causeOf } from '../view/delivery-words.js';
import { entityHref } from '../view/links.js';
import { type ActionButton, notice, type Section, table } from '../view/sections.js';
import { ago, id, text } from '../view/values.js';
import { pickedIds } from './picked-ids.js';

const moment = z.preprocess(
  (given) => (given === '' ? undefined : given),
  z
    .string()
    .refine((given) => parseMoment(given) !== null, 'takes a time in UTC such as 2026-10-31 18:00')
    .transform((given) => parseMoment(given)?.toISOString() ?? '')
    .optional(),
);
const input = z
  .object({ id: pickedIds, from: moment, to: moment })
  .refine(({ id, from }) => id.length > 0 || from !== undefined, 'pick a delivery, or say from when')
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, 'the range ends before it begins');

const SHOWN = 100;

/** One, a selection, or all of a time: what is not here enters the inbox out of the payloads that the service shows. */
export const recoverDeliveries: Action = {
  path: '/deliveries/recover',
  name: 'recover',
  roles: ['operator'],
  label: 'Recover',
  explain:
    'The delivery history is read now, and the events enter the inbox out of the payloads that the service shows; workers apply them like any other. Recovering twice changes nothing.',
  input,
  preview: async (deps, request) => previewOf(deps, wantedOf(request, deps.now())),
  run: async ({ commands, now, db }, request) => {
    const wanted = wantedOf(request, now());
    const known = await recoverableIds(db, wanted);
    const { range, ids } = wanted;
    const target = targetOf(wanted);
    if (known.length === 0 && range === null) {
      const message = 'None of these can be recovered: they are here by now, or the service shows no payload of them.';
      return { outcome: 'refused', target, message, isOver: true };
    }
    const more = range === null ? '' : ', and for what the history shows besides';
    const since = range === null ? null : new Date(range.from).toISOString();
    const until = range === null ? {} : { until: new Date(range.to).toISOString() };
    return {
      outcome: 'asked',
      target,
      details: { known: known.length },
      message: `Asked for ${counted(known.length, 'delivery', 'deliveries')}${more}: they are here once the run of deliveries is through.`,
      afterwards: () => commands.recover({ since, ...until, ids: [...ids] }),
    };
  },
};

/** Null where this person may not, and while the service can't be asked. */
export function recoverButton(
  req: PageRequest,
  facts: Pick<AlertFacts, 'outage'>,
  how: Parameters<PageRequest['button']>[2],
): ActionButton | null {
  return hindranceOf(facts) === null ? req.button(recoverDeliveries, {}, how) : null;
}

/** Recovers all of a time: the range of the list, else all that is known not to be here, as many as the button says. */
export function rangeButton(req: PageRequest, facts: Pick<AlertFacts, 'awaited' | 'outage'>): ActionButton | null {
  const known = toRecover(facts);
  const { from = minuteOf(known.from ?? sentOf(facts.awaited).from ?? ''), to = '' } = req.filters;
  const isAll = known.count > 0 && req.filters['from'] === undefined && to === '';
  const part = isAll ? partlyRecovered(facts) : null;
  const label = isAll ? `Recover ${part?.share ?? known.count}` : 'Recover a time range';
  const others = part === null ? '' : ` Of the others: ${part.others}.`;
  const explain = `Every delivery of that time whose event is not here enters the inbox from the payload that the service shows. You see which before anything is done.${others}`;
  const button = recoverButton(req, facts, { label, explain });
  if (button === null) return null;
  const hint = 'in UTC, such as 2026-10-31 18:00';
  const fields = [
    { name: 'from', label: 'Sent from', value: from, hint, required: true },
    { name: 'to', label: 'Sent up to', value: to, hint: `${hint}; empty: now` },
  ];
  return { ...button, fields };
}

function wantedOf({ input: given }: Pick<ActionRequest, 'input'>, now: Date): Wanted {
  const { id: picked, from, to } = given as z.infer<typeof input>;
  if (from === undefined) return { ids: picked, range: null };
  return { ids: picked, range: { from: Date.parse(from), to: to === undefined ? now.getTime() : Date.parse(to) } };
}

function targetOf({ ids: picked, range }: Wanted): string {
  const [only] = picked;
  if (range !== null) return 'deliveries of a time range';
  return only !== undefined && picked.length === 1
    ? `delivery ${only}`
    : counted(picked.length, 'delivery', 'deliveries');
}

async function previewOf({ db }: PageDeps, wanted: Wanted): Promise<Section[]> {
  const found = await recoverableIds(db, wanted);
  const shown = await Promise.all(found.slice(0, SHOWN).map((own) => getDelivery(db, own)));
  const left = wanted.range === null ? wanted.ids.length - found.length : 0;
  const title = `${counted(found.length, 'delivery', 'deliveries')} would be recovered`;
  const notes = ['Nothing was done yet.'];
  if (wanted.range !== null)
    notes.push('What the service’s history shows of that time besides, when it is read, is recovered as well.');
  if (left > 0)
    notes.push(
      `${counted(left, 'of those picked is', 'of those picked are')} left out: here by now, or without a payload.`,
    );
  if (found.length > SHOWN) notes.push(`The newest ${SHOWN} are listed.`);
  const deliveries = shown.filter((item) => item !== null);
  return [
    notice(found.length === 0 ? 'warn' : 'info', title, notes.join(' ')),
    table(deliveries, {
      caption: 'What would be recovered',
      showCaption: false,
      columns: [
        ['Delivery', ({ id: own }) => id(own, entityHref('delivery', own))],
        ['Type', ({ eventType }) => text(eventType)],
        ['Cause', (item) => text(causeOf(item))],
        ['Sent', ({ createdAt }) => ago(createdAt)],
      ],
      empty: ['Nothing of it can be recovered', 'It is here by now, or the service shows no payload of it.'],
    }),
  ];
}

/** A time as a person writes it: `2026-10-31`, `2026-10-31 18:00`, or ISO 8601; in UTC where no zone is given. Null: none. */
export function parseMoment(given: string): Date | null {
  const match = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+-]\d\d:\d\d)?)?$/.exec(given.trim());
  if (match === null) return null;
  const [, day = '', clock = '00:00', zone = 'Z'] = match;
  const moment = new Date(`${day}T${clock}${zone}`);
  return Number.isNaN(moment.getTime()) ? null : moment;
}
