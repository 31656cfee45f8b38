import { canaryWords } from '../../domain/alerts/facts.js';
import { runKinds } from '../../domain/run-kinds.js';
import { unprovenText } from '../../domain/state/notices.js';
import { type Problem, type State, stateChecks } from '../../domain/state/state.js';
import { type KnownState, loadState } from '../../records/alerts/load-state.js';
import { runEverySeconds } from '../crons.js';
import { type Check, type DoctorParts, finding, ok, unknown } from './check.js';

/** What was probed from here, and what the database shows: of each cause one finding. */
export async function withState(
  { db, config, now }: Pick<DoctorParts, 'db' | 'config' | 'now'>,
  probed: readonly Check[],
): Promise<Check[]> {
  const known = await loadState(db, { now: now(), kinds: runKinds, runEverySeconds: runEverySeconds(config) });
  return mergeState(probed, known.state, checksOf(known));
}

/** A probe's finding says more than the same of the database, which says better what to do; what follows from another is not known by itself. */
export function mergeState(probed: readonly Check[], { problems }: State, looked: readonly Check[]): Check[] {
  const found = new Set(probed.flatMap(({ name, status }) => (status === 'finding' ? [name] : [])));
  const shown = problems.filter(({ checks }) => !checks.every((name) => found.has(name)));
  const told = new Set(shown.flatMap(({ checks }) => checks));
  const causes = new Map(
    problems.flatMap((head) => head.follows.flatMap(({ checks }) => checks.map((name) => [name, head] as const))),
  );
  const probes = probed
    .filter(({ name, status }) => status !== 'ok' || !told.has(name))
    .map((check) => {
      const same = problems.find(({ checks }) => check.status === 'finding' && checks.includes(check.name));
      const words = same === undefined || same.remedy === '' ? {} : { remedy: same.remedy };
      return { ...check, ...words, ...followsOf(same) };
    });
  const names = new Set(probed.map(({ name }) => name));
  const others = looked.filter(({ name }) => !told.has(name) && !names.has(name));
  return [
    ...probes,
    ...shown.map(checkOf),
    ...others.map((check) => {
      const cause = causes.get(check.name);
      if (cause === undefined) return check;
      return { ...unknown(check.name, `follows from: ${cause.title}`), because: cause.title };
    }),
  ];
}

function checkOf(problem: Problem): Check {
  const { checks, title, detail, remedy } = problem;
  const [name, found] = [checks.join(', '), `${title}. ${detail}`];
  const check = remedy === '' ? unknown(name, found) : finding(name, found, remedy);
  return { ...check, ...followsOf(problem) };
}

function followsOf(problem: Problem | undefined): Pick<Check, 'follows'> {
  const follows = problem?.follows ?? [];
  return follows.length === 0 ? {} : { follows: follows.map(({ title }) => title) };
}

/** Each thing that is looked at, as if it were well; a kind that nobody is asked about yet is not well all the same. */
function checksOf({ facts: { parts, kinds, canary } }: KnownState): Check[] {
  const heard = parts.filter(({ part }) => part !== 'queue');
  const named = heard.map(({ part, secondsAgo }) => ok(part, `last heard of ${Math.round(secondsAgo)} s ago`));
  const read = kinds.map((of) => {
    const why = unprovenText(of);
    return why === null
      ? ok(of.kind, `complete as of ${of.completeUntil} (${of.ageSeconds} s ago)`)
      : unknown(of.kind, why);
  });
  const others = stateChecks.filter((name) => name !== 'alerts');
  const unchecked = heard.some(({ part }) => part === 'alerts')
    ? []
    : [unknown('alerts', 'never checked', 'tallyhook schedule does')];
  return [
    ...named,
    ...unchecked,
    ...others.map((name) => ok(name, name === 'canary' ? canaryWords(canary) : 'nothing is wrong')),
    ...read,
  ];
}
