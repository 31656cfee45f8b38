import { counted, duration, findingWords, minuteOf } from '../../domain/in-words.js';
import { runKinds } from '../../domain/run-kinds.js';
import { type State, stateChecks } from '../../domain/state/state.js';
import type { ActionView } from '../../domain/views/operation-shapes.js';
import { DOCTOR, listActions, type NewestResult, newestResult } from '../../records/actions/list-actions.js';
import { versionText } from '../../version.js';
import { RUN_CHECKS, runChecks } from '../actions/run-checks.js';
import type { DoctorLine, DoctorResult, Page } from '../page.js';
import { notice, type Section, table } from '../view/sections.js';
import { standingWords } from '../view/standing.js';
import { badge, stack, type Tone, text, type Value } from '../view/values.js';

/** No run of the checks lasts longer. */
const LONGEST_MS = 300_000;

export const doctor: Page = {
  path: '/doctor',
  title: 'Doctor',
  group: 'Operation',
  roles: ['operator'],
  live: true,
  load: async (deps, req) => {
    const { db } = deps;
    const [{ state }, { items }, result] = await Promise.all([
      deps.state(),
      listActions(db, { action: RUN_CHECKS, outcome: 'asked', take: 1 }),
      newestResult<DoctorResult>(db, DOCTOR),
    ]);
    return {
      intro: `Every dependency and assumption, each with its remedy: database, service, key, endpoint, secrets, clocks, and the names that the specification leaves open. This is Tallyhook ${versionText}.`,
      actions: [req.button(runChecks)],
      sections: [...stateOf(items[0], result, deps.now()), ...resultOf(result, state, deps.now())],
    };
  },
};

type Kept = NewestResult<DoctorResult> | null;

function stateOf(asked: ActionView | undefined, result: Kept, now: Date): Section[] {
  if (asked === undefined || (result !== null && result.at.toISOString() >= asked.at)) return [];
  if (now.getTime() - Date.parse(asked.at) < LONGEST_MS) {
    const text = 'That takes up to some minutes; the result appears here by itself.';
    return [notice('info', `The checks are being run, for ${asked.actor}`, text)];
  }
  const text = 'The process that ran them was stopped, or did not come to the end. Run them again.';
  return [notice('warn', 'The last checks brought no result', text)];
}

/** So long what was found counts as now: what the database shows is read more often than the checks are run. */
const NOW_SECONDS = 600;
/** After that nobody knows whether it is still so. */
const OLD_SECONDS = 3_600;

const ageOf = ({ at }: NewestResult<unknown>, now: Date): number => (now.getTime() - at.getTime()) / 1_000;

/** In a sentence, with its age: what was found is of then, and what is over since is not counted. */
export function doctorWords(result: Kept, state: State, now: Date): string {
  if (result === null) return 'The doctor’s checks were never run.';
  const { items = [] } = result.result;
  const age = ageOf(result, now);
  if (age > OLD_SECONDS) return `The doctor’s checks were run ${duration(age)} ago: run them again.`;
  const findings = items.filter(({ status }) => status === 'finding');
  const isPast = (line: DoctorLine) => isOver(line, { age, state });
  const over = findings.filter(isPast).length;
  const parts = [
    ...findingWords(findings.filter((line) => !isPast(line))),
    ...(over > 0 ? [`${over} that ${over === 1 ? 'is' : 'are'} over`] : []),
  ];
  const what = items.length === 0 ? 'could not be run' : `found ${parts.join(' and ') || 'nothing'}`;
  return `The doctor’s checks ${what}, ${duration(age)} ago.`;
}

/** What the database would show as well, and has not shown since. */
function isOver({ name }: DoctorLine, { age, state }: { age: number; state: State }): boolean {
  if (age <= NOW_SECONDS) return false;
  const now = new Set(state.problems.flatMap((one) => [one, ...one.follows]).flatMap(({ checks }) => checks));
  return name.split(', ').every((one) => known.has(one) && !now.has(one));
}

const known: ReadonlySet<string> = new Set([...stateChecks, ...runKinds]);

function resultOf(result: Kept, state: State, now: Date): Section[] {
  if (result === null) {
    const text = '“Run the checks now” changes nothing, and reads a little from the service.';
    return [notice('quiet', 'The checks were never run', text)];
  }
  const { items: lines, error } = result.result;
  const age = ageOf(result, now);
  const when = `${minuteOf(result.at.toISOString())} UTC, ${duration(age)} ago, by ${result.actor}`;
  if (lines === undefined)
    return [notice('bad', `The checks of ${when} could not be run`, error ?? 'No reason is known.')];
  const those = (wanted: DoctorLine['status']) =>
    lines.filter(({ status, because }) => status === wanted && because === undefined);
  const isPast = (line: DoctorLine) => isOver(line, { age, state });
  const [found, unknown] = [those('finding'), those('unknown')];
  const [over, findings] = [found.filter(isPast), found.filter((line) => !isPast(line))];
  const [bad, unclear] = [findings.length, unknown.length];
  const toDo = findings.every(({ isWatched }) => isWatched) ? 'nothing is to be fixed here' : 'something is to be done';
  const what = bad > 0 ? `${counted(bad, 'finding')}: ${toDo}` : 'No finding';
  const isOld = age > OLD_SECONDS;
  const title = isOld ? `These checks are ${duration(age)} old: run them again` : what;
  const rest = unclear > 0 ? `${counted(unclear, 'line')} could not be examined. ` : '';
  const tone = isOld ? 'quiet' : bad > 0 ? 'bad' : unclear > 0 ? 'warn' : 'good';
  return [
    notice(tone, title, `${rest}As of ${when}: what changed since is not in it.`),
    table([...findings, ...unknown, ...over, ...those('ok')], {
      caption: 'The checks, findings first',
      showCaption: false,
      calm: { label: 'that ask nothing of you', is: ({ status, remedy }) => status !== 'finding' && remedy === null },
      columns: [
        ['Check', ({ name }) => text(name)],
        ['State', (line) => (over.includes(line) ? badge('over since', 'quiet') : stateBadge(line))],
        [
          'Found',
          ({ found, follows: withIt = [], waitsFor = null }) =>
            stack([text(found), ...standingWords({ withIt, waitsFor })]),
        ],
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
