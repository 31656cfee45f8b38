import {
  lineOf,
  type OpenAlert,
  type Problem,
  type Standing,
  type State,
  standingIn,
} from '../../domain/state/state.js';
import { alertHref } from './links.js';
import { notice, type Section } from './sections.js';
import { line, link, quiet, text, type Value } from './values.js';

/** What to do first, in words also where it is nothing. */
export const remedyText = (remedy: string): Value => text(remedy === '' ? 'Nothing.' : remedy);

type Named = Pick<OpenAlert, 'name' | 'subject'>;

/** What follows from something, and what keeps its remedy from working, each on a line. */
export function standingWords({ withIt, waitsFor }: Omit<Standing, 'followsFrom'>): Value[] {
  return [
    ...(waitsFor === null ? [] : [quiet(`waits for: ${waitsFor}`)]),
    ...withIt.map((one) => quiet(`with it: ${one}`)),
  ];
}

/** The same of an alert, after what it follows from. */
export function alertStanding(
  { state, alerts }: { state: State; alerts: readonly (Named & { id: string })[] },
  alert: Named,
): Value[] {
  const { cause, ...standing } = standingIn(state, alert);
  const from = cause === null ? [] : [line([quiet('follows from: '), link(cause.title, hrefOf(cause, alerts))])];
  return [...from, ...standingWords(standing)];
}

/** Its alert, where one is open, else where it is seen. */
function hrefOf({ name, subjects, page }: Problem, alerts: readonly (Named & { id: string })[]): string {
  const own = alerts.find((one) => one.name === name && subjects.includes(one.subject));
  return own === undefined ? page : alertHref(own.id);
}

/** Those of these names that are not over, each with its cause and what to do; `more` stands between. */
export function problemNotices({ problems }: State, names: readonly string[], more = ''): Section[] {
  return problems
    .filter(({ name, isOver }) => names.includes(name) && !isOver)
    .map((problem) => {
      const said = [problem.detail, more, problem.remedy].filter((part) => part !== '').join(' ');
      return notice('bad', lineOf(problem), said);
    });
}
