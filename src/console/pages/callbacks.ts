import { type CallbackView, callbackStatuses } from '../../domain/views/operation-shapes.js';
import { callbackBacklog, listCallbacks } from '../../records/callbacks/list-callbacks.js';
import { replayCallbackAction, replayDeadCallbacksAction } from '../actions/replay-callback.js';
import type { Page, PageRequest } from '../page.js';
import { orderHref, paging } from '../view/links.js';
import type { Section } from '../view/sections.js';
import { badge, count, id, list, none, quiet, type Tone, text, time, type Value } from '../view/values.js';

const tones: Record<CallbackView['status'], Tone> = { pending: 'info', sent: 'good', dead: 'bad', superseded: 'quiet' };
const statusWords: Record<CallbackView['status'], string> = {
  pending: 'waits or is tried again',
  sent: 'the store has taken it',
  dead: 'given up',
  superseded: 'a newer state of the order took its place',
};

export const callbacks: Page = {
  path: '/callbacks',
  title: 'Callbacks',
  group: 'Operation',
  filters: ['status', 'reference'],
  load: async ({ db, now }, req) => {
    const [{ items, nextCursor }, { dead }] = await Promise.all([
      listCallbacks(db, { ...req.filters, cursor: req.cursor }),
      callbackBacklog(db),
    ]);
    const at = now();
    const active = Object.keys(req.filters).length > 0;
    return {
      intro: 'What is sent to the store about its orders (STORE_CALLBACK_URL), one state at a time and in order.',
      actions: dead > 0 ? [req.button(replayDeadCallbacksAction)] : [],
      sections: [
        filtersOf(req),
        {
          is: 'table',
          caption: 'Callbacks, newest first',
          columns: [
            { label: 'Callback' },
            { label: 'Order' },
            { label: 'Status' },
            { label: 'Attempts', align: 'end' },
            { label: 'The store’s answer' },
            { label: 'Changed' },
            { label: 'Next attempt' },
            { label: 'Replay' },
          ],
          rows: items.map((callback) => [
            id(callback.id),
            id(callback.reference, orderHref(callback.reference)),
            badge(callback.status, tones[callback.status]),
            count(callback.attempts),
            answerOf(callback),
            time(callback.changedAt, at),
            time(callback.nextAttemptAt, at),
            callback.status === 'superseded'
              ? none()
              : { is: 'action', button: req.button(replayCallbackAction, { id: callback.id }) },
          ]),
          empty: active
            ? { title: 'No callback fits', text: 'References count to the letter.' }
            : {
                title: 'No callbacks yet',
                text: 'Either no order has changed since the adoption, or STORE_CALLBACK_URL is not set.',
              },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};

function filtersOf({ path, filters: { status = '', reference = '' } }: PageRequest): Section {
  return {
    is: 'filters',
    path,
    active: status !== '' || reference !== '',
    fields: [
      {
        name: 'status',
        label: 'Status',
        value: status,
        options: callbackStatuses.map((value) => ({ value, text: `${value}: ${statusWords[value]}` })),
      },
      { name: 'reference', label: 'Order', value: reference, hint: 'its reference' },
    ],
  };
}

function answerOf({ httpStatus, error, sentAt }: CallbackView): Value {
  if (error !== null) return text(error);
  if (httpStatus === null) return none();
  return sentAt === null ? text(String(httpStatus)) : list([text(String(httpStatus)), quiet('taken')]);
}
