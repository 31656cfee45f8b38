import { counted } from '../../domain/in-words.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { listActions } from '../../records/actions/list-actions.js';
import { versionText } from '../../version.js';
import { DOCTOR, DOCTOR_RESULT, runChecks } from '../actions/run-checks.js';
import type { DoctorLine, Page, PageDeps } from '../page.js';
import { notice, type Section, table } from '../view/sections.js';
import { badge, type Tone, text, type Value } from '../view/values.js';

/** No run of the checks lasts longer. */
const LONGEST_MS = 300_000;

export const doctor: Page = {
  path: '/doctor',
  title: 'Doctor',
  group: 'Operation',
  roles: ['operator'],
  live: true,
  load: async (deps, req) => {
    const [asked, result] = await Promise.all([newest(deps, DOCTOR), newest(deps, DOCTOR_RESULT)]);
    return {
      intro: `Every dependency and assumption, each with its remedy: database, service, key, endpoint, secrets, clocks, and the names that the specification leaves open. This is Tallyhook ${versionText}.`,
      actions: [req.button(runChecks)],
      sections: [...stateOf(asked, result, deps.now()), ...resultOf(result)],
    };
  },
};

async function newest({ db }: PageDeps, action: string): Promise<ActionView | null> {
  const { items } = await listActions(db, { action, outcome: action === DOCTOR ? 'asked' : 'done', take: 1 });
  return items[0] ?? null;
}

function stateOf(asked: ActionView | null, result: ActionView | null, now: Date): Section[] {
  if (asked === null || (result !== null && BigInt(result.id) > BigInt(asked.id))) return [];
  if (now.getTime() - Date.parse(asked.at) < LONGEST_MS) {
    const text = 'That takes up to some minutes; the result appears here by itself.';
    return [notice('info', `The checks are being run, for ${asked.actor}`, text)];
  }
  const text = 'The process that ran them was stopped, or did not come to the end. Run them again.';
  return [notice('warn', 'The last checks brought no result', text)];
}

function resultOf(result: ActionView | null): Section[] {
  if (result === null) {
    const text = 'Press the button above: nothing is changed by them, and they read a little from the service.';
    return [notice('quiet', 'The checks were never run from here', text)];
  }
  const { items, error } = result.details;
  const when = `${result.at.slice(0, 19).replace('T', ' ')} UTC, by ${result.actor}`;
  if (!Array.isArray(items)) {
    const why = typeof error === 'string' ? error : 'No reason is known.';
    return [notice('bad', `The checks of ${when} could not be run`, why)];
  }
  const lines = items as DoctorLine[];
  const those = (wanted: DoctorLine['status']) => lines.filter(({ status }) => status === wanted);
  const [findings, unknown] = [those('finding'), those('unknown')];
  const [bad, unclear] = [findings.length, unknown.length];
  const title = bad > 0 ? `${counted(bad, 'finding')}: something is to be done` : 'No finding';
  const rest = unclear > 0 ? `${counted(unclear, 'line')} could not be examined. ` : '';
  const tone = bad > 0 ? 'bad' : unclear > 0 ? 'warn' : 'good';
  return [
    notice(tone, title, `${rest}As of ${when}: what changed since is not in it.`),
    table([...findings, ...unknown, ...those('ok')], {
      caption: 'The checks, findings first',
      showCaption: false,
      columns: [
        ['Check', ({ name }) => text(name)],
        ['State', stateBadge],
        ['Found', ({ found }) => text(found)],
        ['What to do', ({ remedy }) => text(remedy, 'nothing')],
      ],
      empty: ['Nothing was checked', 'Run the checks again.'],
    }),
  ];
}

const tones: Readonly<Record<DoctorLine['status'], Tone>> = { ok: 'good', finding: 'bad', unknown: 'warn' };

function stateBadge({ status, remedy }: DoctorLine): Value {
  return badge(status === 'ok' ? (remedy === null ? 'fine' : 'hint') : status, tones[status]);
}
