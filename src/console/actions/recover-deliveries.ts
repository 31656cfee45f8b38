import { z } from 'zod';
import { getDelivery, recoverableIds, type Wanted } from '../../records/deliveries/list-deliveries.js';
import type { Action, ActionRequest } from '../action.js';
import type { PageDeps } from '../page-deps.js';
import { causeOf } from '../view/delivery-words.js';
import { inPath } from '../view/links.js';
import { parseMoment } from '../view/moment.js';
import type { Section } from '../view/sections.js';
import { counted, id, none, text, time } from '../view/values.js';

const moment = z.preprocess(
  (given) => (given === '' ? undefined : given),
  z
    .string()
    .refine((given) => parseMoment(given) !== null, 'takes a time in UTC such as 2026-10-31 18:00')
    .transform((given) => parseMoment(given)?.toISOString() ?? '')
    .optional(),
);
const ids = z.preprocess(
  (given) => (given === undefined ? [] : Array.isArray(given) ? given : [given]),
  z.array(z.string().min(1).max(200)).max(1_000),
);
const input = z
  .object({ id: ids, from: moment, to: moment })
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
  needsReason: true,
  input,
  preview: async (deps, request) => previewOf(deps, wantedOf(request, deps.now())),
  run: async ({ commands, now, db }, request) => {
    const wanted = wantedOf(request, now());
    const known = await recoverableIds(db, wanted);
    const { range } = wanted;
    if (known.length === 0 && range === null) {
      const message = 'None of these can be recovered: they are here by now, or the service shows no payload of them.';
      return { outcome: 'refused', target: targetOf(wanted), message };
    }
    const iso = (ms: number) => new Date(ms).toISOString();
    return {
      outcome: 'asked',
      target: targetOf(wanted),
      details: { known: known.length },
      message: `Asked for ${counted(known.length, 'delivery', 'deliveries')}${range === null ? '' : ', and for what the history shows besides'}: they are here once the run of deliveries is through.`,
      afterwards: () =>
        commands.recover({
          since: range === null ? null : iso(range.from),
          ...(range === null ? {} : { until: iso(range.to) }),
          ids: [...wanted.ids],
        }),
    };
  },
};

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

async function previewOf({ db, now }: PageDeps, wanted: Wanted): Promise<Section[]> {
  const found = await recoverableIds(db, wanted);
  const shown = await Promise.all(found.slice(0, SHOWN).map((own) => getDelivery(db, own)));
  const left = wanted.range === null ? wanted.ids.length - found.length : 0;
  const title = `${counted(found.length, 'delivery', 'deliveries')} would be recovered`;
  const notes = [
    'Nothing was done yet.',
    ...(wanted.range === null
      ? []
      : ['What the service’s history shows of that time besides, when it is read, is recovered as well.']),
    ...(left > 0
      ? [`${counted(left, 'of those picked is', 'of those picked are')} left out: here by now, or without a payload.`]
      : []),
    ...(found.length > SHOWN ? [`The newest ${SHOWN} are listed.`] : []),
  ];
  return [
    { is: 'notice', tone: found.length === 0 ? 'warn' : 'info', title, text: notes.join(' ') },
    {
      is: 'table',
      caption: 'What would be recovered',
      columns: [{ label: 'Delivery' }, { label: 'Type' }, { label: 'Cause' }, { label: 'Sent' }],
      rows: shown.flatMap((item) =>
        item === null
          ? []
          : [
              [
                id(item.id, `/deliveries/${inPath(item.id)}`),
                item.eventType === null ? none() : text(item.eventType),
                text(causeOf(item)),
                time(item.createdAt, now()),
              ],
            ],
      ),
      empty: {
        title: 'Nothing of it can be recovered',
        text: 'It is here by now, or the service shows no payload of it.',
      },
    },
  ];
}
