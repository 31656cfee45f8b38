import { dayAfter, dayIn } from '../../domain/books/posting-month.js';
import { counted, spaced, words } from '../../domain/in-words.js';
import type { EntityKind } from '../../domain/records.js';
import { UTC } from '../../domain/time-zones.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { statesOf } from '../../records/actions/decisions.js';
import { listActions } from '../../records/actions/list-actions.js';
import {
  decidingSealCheck,
  lastSealCheck,
  type SealCheck,
  type SealState,
  sealState,
  unsealedText,
} from '../../records/audit/seal-checks.js';
import { verifySealsAction } from '../actions/verify-seals.js';
import type { Page, PageDeps, PageRequest } from '../page.js';
import { breakHref, decisionHref, entityHref, withQuery } from '../view/links.js';
import { detailsFor } from '../view/personal.js';
import {
  type ActionButton,
  facts,
  filters,
  listTable,
  notice,
  options,
  panel,
  type Section,
  type TableSection,
} from '../view/sections.js';
import { ago, badge, count, id, link, list, none, quiet, stack, type Tone, text, type Value } from '../view/values.js';
import { stateBadge } from './decisions.js';

const tones: Readonly<Record<ActionView['outcome'], Tone>> = { done: 'good', asked: 'info', refused: 'warn' };

export const audit: Page = {
  path: '/audit',
  title: 'Audit',
  group: 'Operation',
  list: { rows: actionRows },
  filters: [
    { name: 'actor', label: 'Who', hint: 'ann, or os:ann' },
    { name: 'action', label: 'What', hint: 'recover' },
    { name: 'target', label: 'Done to', hint: 'event 12' },
    { name: 'outcome', label: 'Outcome', options: options(Object.keys(tones)) },
  ],
  load: async (deps, req) => {
    const { db, now } = deps;
    const seals = {
      state: await sealState(db),
      last: await lastSealCheck(db),
      deciding: await decidingSealCheck(db),
      whole: await lastSealCheck(db, { whole: true }),
    };
    return {
      intro:
        'Who did what, and why: at the console, by the read API and by the command line. Nobody can change a line of it here.',
      sections: [
        sealPanel(seals, { now: now(), button: req.button(verifySealsAction) }),
        filters(req),
        await actionRows(deps, req),
      ],
    };
  },
};

async function actionRows({ db }: PageDeps, req: PageRequest): Promise<TableSection> {
  const page = await listActions(db, { ...req.filters, ...req.slice });
  const states = await statesOf(
    db,
    page.items.flatMap((action) => decisionOf(action) ?? []),
  );
  return listTable(req, page, {
    caption: 'Actions, newest first',
    columns: [
      ['When', (action) => ago(action.at)],
      ['Who', ({ actor }) => link(actor, `/audit?actor=${encodeURIComponent(actor)}`)],
      ['What', ({ action, target }) => list([text(action), ...(target === null ? [] : [targetOf(target)])])],
      ['Why', ({ reason }) => text(reason)],
      [
        'Outcome',
        (action) => list([badge(action.outcome, tones[action.outcome]), ...sinceOf(action, states, req.zone ?? UTC)]),
      ],
      ['What came of it', (action) => messageOf(action, req.actor)],
    ],
    unfit: ['No action fits', 'Names count byte for byte.'],
    empty: ['Nobody did anything yet', 'Every action of a person is kept here with its reason.'],
  });
}

/** The decision that it asked another person for. */
function decisionOf({ action, target }: ActionView): string | null {
  return action === 'ask approval' ? (/^decision (\d+)$/.exec(target ?? '')?.[1] ?? null) : null;
}

/** What came since of what was asked for: what another person decided, the runs that do it. */
function sinceOf(action: ActionView, states: Awaited<ReturnType<typeof statesOf>>, zone: string): Value[] {
  const state = states.get(decisionOf(action) ?? '');
  if (state !== undefined) return [stateBadge(state)];
  const of = action.action === 'recover' ? 'deliveries' : runOf(action);
  if (action.outcome !== 'asked' || of === null) return [];
  const from = dayIn(zone, Date.parse(action.at));
  return [link('runs since', withQuery('/runs', { kind: of, from, to: dayAfter(from) }))];
}

/** Of several kinds the first. */
function runOf({ action, target, details }: ActionView): string | null {
  const { kinds } = details;
  const [kind] = Array.isArray(kinds) ? kinds : [];
  if (action !== 'run') return null;
  return typeof kind === 'string' ? kind : (/^run of (.+)$/.exec(target ?? '')?.[1] ?? null);
}

const linked: readonly EntityKind[] = ['event', 'delivery', 'order', 'secret'];

/** As `event 12`, with the way to it. */
function targetOf(target: string): Value {
  const at = target.indexOf(' ');
  const [word, own] = [target.slice(0, at), target.slice(at + 1)];
  if (word === 'break') return link(target, breakHref(own));
  if (word === 'decision') return link(target, decisionHref(own));
  const kind = linked.find((known) => known === word);
  return kind === undefined ? quiet(target) : link(target, entityHref(kind, own));
}

/** Who approved it, where two people decided; then what was shown to the actor, else the details that are short enough to be read. */
function messageOf(action: ActionView, actor: PageRequest['actor']): Value {
  const { approvedBy, decision, ...details } = detailsFor(actor, action.details);
  if (typeof approvedBy !== 'string') return detailsOf(details);
  return stack([link(`approved by ${approvedBy}`, decisionHref(String(decision))), detailsOf(details)]);
}

function detailsOf({ told: message, items, ...rest }: ActionView['details']): Value {
  if (typeof message === 'string') return text(message);
  if (Array.isArray(items)) return link(`${items.length} checks`, '/doctor');
  const said = inWords(rest);
  return said === '' ? none() : quiet(said.slice(0, 200));
}

/** A detail as a person reads it; what says nothing is left out. */
function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value);
  if (Array.isArray(value)) return value.map(inWords).join(', ');
  return Object.entries(value)
    .map(([name, own]) => [spaced(words(name)), inWords(own)] as const)
    .flatMap(([name, own]) => (own === '' ? [] : [`${name}: ${own}`]))
    .join('; ');
}

const LATE_MS = 30 * 60_000;

/** Whether what is written can still be trusted: the seals, what waits for one, and the last time that they were verified. */
function sealPanel(
  { state, last, deciding, whole }: Record<'last' | 'deciding' | 'whole', SealCheck | null> & { state: SealState },
  { now, button }: { now: Date; button: ActionButton | null },
): Section {
  const { newest, unsealed } = state;
  const verified = last === null ? [] : [checkBadge(last), ago(last.finishedAt), quiet(`by ${last.actor}`)];
  const wholly = whole === null ? [] : [ago(whole.finishedAt), count(whole.rows), quiet('rows')];
  const known = facts([
    ['Newest seal', list(newest === null ? [] : [text(newest.number), id(newest.hash)], 'nothing is sealed yet')],
    ['Sealed', ago(newest?.sealedAt)],
    ['Not sealed yet', waitingOf(unsealed, now)],
    ['Last verified', list(verified, 'never')],
    ['Last verified as a whole', list(wholly, 'never')],
  ]);
  const intro =
    'What is written is sealed every five minutes: whoever changes, deletes, adds or moves a row afterwards breaks the chain.';
  const broken = deciding !== null && deciding.findings > 0 ? [brokenNotice(deciding)] : [];
  return panel('Seals', [...broken, known], { intro, actions: [button] });
}

function brokenNotice({ findings, firstFinding }: SealCheck): Section {
  const said = `${counted(findings, 'finding')}, the first: ${firstFinding ?? 'unknown'}. “tallyhook audit verify” names every place. Change nothing before you have a copy of the database.`;
  return notice('bad', 'What was sealed is not as it was', said);
}

function checkBadge({ findings, isWhole }: SealCheck): Value {
  if (findings > 0) return badge(counted(findings, 'finding'), 'bad');
  return badge(isWhole ? 'as it was sealed' : 'as it was sealed, a part', 'good');
}

function waitingOf(unsealed: SealState['unsealed'], now: Date): Value {
  const waiting = unsealed.filter(({ rows }) => rows > 0);
  if (waiting.length === 0) return text('nothing: every row is sealed');
  const isLate = waiting.some(({ oldestAt }) => oldestAt !== null && now.getTime() - Date.parse(oldestAt) > LATE_MS);
  const rows = waiting.map(({ log, rows: own }) => quiet(`${unsealedText(own)} of ${words(log)}`));
  return list([...(isLate ? [link('sealing lags', '/doctor')] : []), ...rows]);
}
