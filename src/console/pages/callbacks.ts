import { type CallbackView, callbackStatuses } from '../../domain/views/operation-shapes.js';
import { callbackBacklog, listCallbacks } from '../../records/callbacks/list-callbacks.js';
import { replayCallbackAction, replayDeadCallbacksAction } from '../actions/replay.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { orderHref } from '../view/links.js';
import { filters, listTable, type TableSection } from '../view/sections.js';
import { ago, badge, count, id, list, none, quiet, type Tone, text, type Value } from '../view/values.js';

const statusWords: Record<CallbackView['status'], { tone: Tone; means: string }> = {
  pending: { tone: 'info', means: 'waits or is tried again' },
  sent: { tone: 'good', means: 'the store has taken it' },
  dead: { tone: 'bad', means: 'given up' },
  superseded: { tone: 'quiet', means: 'a newer state of the order took its place' },
};
const statuses = callbackStatuses.map((value) => ({ value, text: `${value}: ${statusWords[value].means}` }));

export const callbacks: Page = {
  path: '/callbacks',
  title: 'Callbacks',
  group: 'Operation',
  list: { rows: callbackRows },
  filters: [
    { name: 'status', label: 'Status', options: statuses },
    { name: 'reference', label: 'Order', hint: 'its reference' },
  ],
  load: async (deps, req) => {
    const { dead } = await callbackBacklog(deps.db);
    return {
      intro: 'What is sent to the store about its orders (STORE_CALLBACK_URL), one state at a time and in order.',
      actions: dead > 0 ? [req.button(replayDeadCallbacksAction)] : [],
      sections: [filters(req), await callbackRows(deps, req)],
    };
  },
};

async function callbackRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  return listTable(req, await listCallbacks(db, { ...req.filters, ...req.slice }), {
    caption: 'Callbacks, newest first',
    columns: [
      ['Callback', (callback) => id(callback.id)],
      ['Order', ({ reference }) => id(reference, orderHref(reference))],
      ['Status', ({ status }) => badge(status, statusWords[status].tone)],
      ['Attempts', ({ attempts }) => count(attempts), 'end'],
      ['The store’s answer', answerOf],
      ['Changed', ({ changedAt }) => ago(changedAt)],
      ['Next attempt', ({ nextAttemptAt }) => ago(nextAttemptAt)],
      [
        'Replay',
        ({ id, status }) =>
          status === 'superseded' ? none() : { is: 'action', button: req.button(replayCallbackAction, { id }) },
      ],
    ],
    unfit: ['No callback fits', 'References count to the letter.'],
    empty: ['No callbacks yet', 'Either no order has changed since the adoption, or STORE_CALLBACK_URL is not set.'],
  });
}

function answerOf({ httpStatus, error, sentAt }: CallbackView): Value {
  if (error !== null || httpStatus === null) return text(error);
  return sentAt === null ? text(String(httpStatus)) : list([text(String(httpStatus)), quiet('taken')]);
}
