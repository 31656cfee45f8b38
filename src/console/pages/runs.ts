import { listRuns } from '../../records/runs/runs.js';
import { startRun } from '../actions/start-run.js';
import type { Page, PageRequest } from '../page.js';
import type { PageDeps } from '../page-deps.js';
import { paging, runHref } from '../view/links.js';
import { provenBadge, runStatusTones, tookOf, whyOf } from '../view/run-words.js';
import type { ActionButton, Section } from '../view/sections.js';
import { badge, count, id, list, none, quiet, text, time } from '../view/values.js';

const statuses = ['running', 'succeeded', 'failed', 'aborted'].map((value) => ({ value, text: value }));

export const runs: Page = {
  path: '/runs',
  title: 'Runs',
  group: 'Proof',
  filters: ['kind', 'status'],
  live: true,
  load: async (deps, req) => {
    const { items, nextCursor } = await listRuns(deps.db, { ...req.filters, cursor: req.cursor });
    const at = deps.now();
    return {
      intro:
        'Each reading of the service’s own lists, and what it proved. A run that is not proven is never taken for a complete one.',
      actions: [startButton(deps, req)],
      sections: [
        filtersOf(deps, req),
        {
          is: 'table',
          caption: 'Runs, newest first',
          columns: [
            { label: 'Run' },
            { label: 'Kind' },
            { label: 'Proof' },
            { label: 'Seen', align: 'end' },
            { label: 'Changed', align: 'end' },
            { label: 'Breaks', align: 'end' },
            { label: 'Started' },
            { label: 'Took', align: 'end' },
          ],
          rows: items.map((run) => [
            run.id === null ? none() : id(run.id, runHref(run.id)),
            list([text(run.kind), ...(run.full ? [badge('full')] : [])]),
            list([
              run.status === 'succeeded' ? provenBadge(run) : badge(run.status, runStatusTones[run.status]),
              ...(whyOf(run) === null ? [] : [quiet(whyOf(run) ?? '')]),
            ]),
            count(run.seen),
            count(run.changed),
            count(run.breaksOpened),
            time(run.startedAt, at),
            text(tookOf(run, at)),
          ]),
          empty:
            Object.keys(req.filters).length > 0
              ? { title: 'No run fits', text: 'Clear the filters to see all runs.' }
              : {
                  title: 'No run yet',
                  text: 'Does “tallyhook schedule” run? Until a run is complete nothing is proven.',
                },
          ...paging(req, nextCursor),
        },
      ],
    };
  },
};

/** With the kinds of this installation; that of the list is chosen. */
export function startButton({ runKinds }: PageDeps, req: PageRequest, kind = req.filters['kind']): ActionButton | null {
  const button = req.button(startRun);
  if (button === null) return null;
  const options = runKinds.map((value) => ({ value, text: value }));
  const [kinds, ...others] = startRun.fields ?? [];
  if (kinds === undefined) return button;
  return { ...button, fields: [{ ...kinds, options, ...(kind === undefined ? {} : { value: kind }) }, ...others] };
}

function filtersOf({ runKinds }: PageDeps, { path, filters }: PageRequest): Section {
  const { kind = '', status = '' } = filters;
  return {
    is: 'filters',
    path,
    active: Object.keys(filters).length > 0,
    fields: [
      { name: 'kind', label: 'Kind', value: kind, options: runKinds.map((value) => ({ value, text: value })) },
      { name: 'status', label: 'Status', value: status, options: statuses },
    ],
  };
}
