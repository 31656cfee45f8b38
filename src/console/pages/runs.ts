import { listRuns } from '../../records/runs/runs.js';
import { startRun } from '../actions/start-run.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { runHref } from '../view/links.js';
import { provenBadge, runBadge, tookOf, whyOf } from '../view/run-words.js';
import { type ActionButton, filters, listTable, options } from '../view/sections.js';
import { badge, count, id, list, none, quiet, text, time } from '../view/values.js';

export const runs: Page = {
  path: '/runs',
  title: 'Runs',
  group: 'Proof',
  filters: ['kind', 'status'],
  live: true,
  load: async (deps, req) => {
    const page = await listRuns(deps.db, { ...req.filters, cursor: req.cursor });
    const at = deps.now();
    return {
      intro:
        'Each reading of the service’s own lists, and what it proved. A run that is not proven is never taken for a complete one.',
      actions: [startButton(deps, req)],
      sections: [
        filters(req, [
          { name: 'kind', label: 'Kind', options: options(deps.runKinds) },
          { name: 'status', label: 'Status', options: options(['running', 'succeeded', 'failed', 'aborted']) },
        ]),
        listTable(req, page, {
          caption: 'Runs, newest first',
          columns: [
            ['Run', (run) => (run.id === null ? none() : id(run.id, runHref(run.id)))],
            ['Kind', ({ kind, full }) => list([text(kind), ...(full ? [badge('full')] : [])])],
            [
              'Proof',
              (run) => {
                const why = whyOf(run);
                const state = run.status === 'succeeded' ? provenBadge(run) : runBadge(run.status);
                return list([state, ...(why === null ? [] : [quiet(why)])]);
              },
            ],
            ['Seen', ({ seen }) => count(seen), 'end'],
            ['Changed', ({ changed }) => count(changed), 'end'],
            ['Breaks', ({ breaksOpened }) => count(breaksOpened), 'end'],
            ['Started', ({ startedAt }) => time(startedAt, at)],
            ['Took', (run) => text(tookOf(run, at)), 'end'],
          ],
          unfit: ['No run fits', 'Clear the filters to see all runs.'],
          empty: ['No run yet', 'Does “tallyhook schedule” run? Until a run is complete nothing is proven.'],
        }),
      ],
    };
  },
};

/** With the kinds of this installation; that of the list is chosen. */
export function startButton({ runKinds }: PageDeps, req: PageRequest, kind = req.filters['kind']): ActionButton | null {
  const button = req.button(startRun);
  if (button === null) return null;
  const chosen = { options: options(runKinds), ...(kind === undefined ? {} : { value: kind }) };
  return { ...button, fields: button.fields.map((field) => (field.name === 'kind' ? { ...field, ...chosen } : field)) };
}
