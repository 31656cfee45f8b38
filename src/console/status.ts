import type { Severity } from '../domain/breaks/findings.js';
import { isAllProven, provenWords } from '../domain/state/proven.js';
import { lineOf } from '../domain/state/state.js';
import { type KnownState, loadState } from '../records/alerts/load-state.js';
import type { PageDeps } from './page.js';
import { readInTime } from './problem.js';
import type { Tone } from './view/values.js';

/** What every page says of the whole: never that all is well where something is unproven or not known. */
export interface Status {
  tone: 'good' | 'warn' | 'bad';
  items: { tone: 'good' | 'warn' | 'bad' | 'quiet'; text: string; href: string }[];
  /** How many things it says after the first one, for which a phone has no room. */
  more: number;
}

type StateDeps = Pick<PageDeps, 'db' | 'log' | 'now' | 'runKinds' | 'runEverySeconds' | 'secretsStatus'>;

const FRESH_MS = 2_000;

/** So much of the time at most is spent on loading ahead of who asks. */
const SHARE = 1 / 20;

/** `forget`: what was loaded holds no more. */
type Kept<T> = (() => Promise<T>) & { forget: () => void };

/**
 * What `load` answers, asked anew once it is so old, or much older than it takes; who asks meanwhile is given what there is,
 * unless that is too old to show.
 */
export function keep<T>(load: () => Promise<T>, freshMs: number, staleMs = freshMs): Kept<T> {
  let shown: { answer: Promise<T>; at: number } | null = null;
  let isComing = false;
  let tookMs = 0;
  let changes = 0;
  const ask = () => {
    const at = performance.now();
    if (shown === null || at - shown.at >= staleMs) {
      shown = { answer: load(), at };
    } else if (!isComing && at - shown.at >= Math.max(freshMs, tookMs / SHARE)) {
      isComing = true;
      const answer = load();
      const since = changes;
      const settle = (next: typeof shown) => {
        if (since === changes) shown = next ?? shown;
        [isComing, tookMs] = [false, performance.now() - at];
      };
      answer.then(
        () => settle({ answer, at }),
        () => settle(null),
      );
    }
    return shown.answer;
  };
  const forget = () => {
    [shown, changes] = [null, changes + 1];
  };
  return Object.assign(ask, { forget });
}

/** The state of the whole, read once for all that is shown in two seconds. */
export function createState({ db, now, runKinds, log, ...deps }: StateDeps): Kept<KnownState> {
  const { runEverySeconds } = deps;
  const secretsStatus = () =>
    deps.secretsStatus().catch((error: unknown) => {
      log.warn({ err: error }, 'secrets not read');
      throw error;
    });
  return keep(() => {
    const answer = readInTime(() => loadState(db, { now: now(), kinds: runKinds, runEverySeconds, secretsStatus }));
    answer.catch((error: unknown) => log.warn({ err: error }, 'status not read'));
    return answer;
  }, FRESH_MS);
}

/** What can't be asked is shown as unknown. */
export async function statusNow(state: () => Promise<KnownState>): Promise<Status> {
  return state().then(statusOf, () => unknown);
}

const unknown: Status = {
  tone: 'bad',
  items: [{ tone: 'bad', text: 'State unknown: the database can not be asked', href: '/' }],
  more: 0,
};

/** So many problems are named; the overview has them all. */
const MOST_NAMED = 3;

export function statusOf({ state, facts }: Pick<KnownState, 'state' | 'facts'>): Status {
  const { problems } = state;
  const tone = toneOf(state.severity);
  const proven = {
    tone: isAllProven(facts.kinds) ? tone : ('quiet' as const),
    text: provenWords(facts),
    href: '/runs',
  };
  const well = state.severity === null ? [proven] : [];
  const named = problems.slice(0, MOST_NAMED).map((problem) => ({
    tone: problem.isOver ? ('quiet' as const) : toneOf(problem.severity),
    text: lineOf(problem),
    href: problem.page,
  }));
  const more = problems.slice(MOST_NAMED).filter(({ isOver }) => !isOver);
  const [rest] = more.map(({ severity }) => toneOf(severity));
  const others = rest === undefined ? [] : [{ tone: rest, text: `${more.length} more`, href: '/' }];
  const counted = problems.filter(({ isOver }) => !isOver);
  return { tone, items: [...well, ...named, ...others], more: well.length + counted.length - 1 };
}

function toneOf(severity: Severity | null): Extract<Tone, 'good' | 'warn' | 'bad'> {
  if (severity === null) return 'good';
  return severity === 'critical' || severity === 'high' ? 'bad' : 'warn';
}
