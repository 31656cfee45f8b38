import type { Run } from '../../domain/views/proof-shapes.js';
import { counted } from './values.js';

type Fact = readonly [label: string, words: string];
type Facts = Readonly<Record<string, unknown>>;

/**
 * What the proof of a run rests on, in words, whatever its kind: the parts that were read, the counts that agreed,
 * what was polled besides. What has no words of its own here is shown as it is.
 */
export function proofFacts({ proof }: Pick<Run, 'proof'>): Fact[] {
  return Object.entries(proof)
    .filter(([name]) => name !== 'reason')
    .flatMap(([name, value]) => factsOf(name, value));
}

function factsOf(name: string, value: unknown): Fact[] {
  const words = wordsOf[name];
  const facts = words?.(value);
  if (facts !== undefined) return facts;
  return value === null || value === undefined
    ? []
    : [[spaced(name).replace(/^./, (first) => first.toUpperCase()), plain(value)]];
}

/** Undefined: not of the form that the words are for. */
const wordsOf: Readonly<Record<string, (value: unknown) => Fact[] | undefined>> = {
  head: (value) =>
    Array.isArray(value) ? value.filter(isFacts).map((scan): Fact => ['The newest part', scanWords(scan)]) : undefined,
  states: (value) =>
    isFacts(value)
      ? Object.entries(value).map(([state, scan]): Fact => {
          const shown =
            isFacts(scan) && typeof scan['calls'] === 'number'
              ? scanWords(scan)
              : `not filtered by the service: ${plain(scan)}`;
          return [`In state ${spaced(state)}`, shown];
        })
      : undefined,
  sweep: (value) => {
    if (!isFacts(value)) return undefined;
    if (typeof value['calls'] !== 'number') return [['The whole list', 'not due in this run']];
    const goesOn = value['continues'] ? '; it goes on with the next run' : '';
    return [[`The list again (${plain(value['name'])})`, `${scanWords(value)}${goesOn}`]];
  },
  closure: (value) =>
    isFacts(value)
      ? [['Open here, in no list', `${plain(value['looked'])} polled one by one${undecided(value)}${left(value)}`]]
      : undefined,
  marked: (value) =>
    isFacts(value) ? [['Asked for by events', `${plain(value['looked'])} read${undecided(value)}`]] : undefined,
  absent: (value) =>
    isFacts(value)
      ? [['No longer listed', `${plain(value['proven'])} proven to be gone${undecided(value)}`]]
      : [['No longer listed', plain(value)]],
  payins: (value) =>
    isFacts(value) ? [['Payins', `${plain(value['read'])} read, ${plain(value['left'])} left`]] : undefined,
  upTo: (value) => [['Read up to', moment(value)]],
  windows: (value) =>
    isFacts(value)
      ? [
          [
            'Windows of time',
            `${plain(value['counted'])} with counts that agreed before and after, ${plain(value['readTwice'])} read twice`,
          ],
        ]
      : undefined,
  count: (value) =>
    isFacts(value)
      ? [
          [
            'Count of the whole',
            `${plain(value['said'])}: ${plain(value['ours'])} here, ${plain(value['theirs'])} at the service`,
          ],
        ]
      : undefined,
  readAgain: (value) =>
    isFacts(value) ? [['Read again', `from ${moment(value['from'])} to ${moment(value['to'])}`]] : undefined,
  missing: (value) => [['Found to be missing here', plain(value)]],
  downTo: (value) => [['Read down to', value === null ? 'the end of the list' : moment(value)]],
  toEnd: (value) => (value === true ? [['Reached', 'the end of the list']] : []),
  classes: (value) =>
    isFacts(value)
      ? [
          [
            'Deliveries by class',
            Object.entries(value)
              .map(([kind, n]) => `${plain(n)} ${spaced(kind)}`)
              .join(', ') || 'none',
          ],
        ]
      : undefined,
  recovered: (value) => [['Recovered', typeof value === 'number' ? counted(value, 'event') : plain(value)]],
  listed: (value) => [['Listed', plain(value)]],
  agreed: (value) => [['Assets with two readings that agree', plain(value)]],
  unexplained: (value) => [['With an unexplained part', plain(value)]],
  readAt: (value) => [['Read at', moment(value)]],
};

/** A part of a list: how much was read, and whether nothing can have been skipped. */
function scanWords(scan: Facts): string {
  const { complete, reason, calls, seen, toEnd } = scan;
  const read = `${plain(seen)} read in ${plain(calls)} ${calls === 1 ? 'call' : 'calls'}`;
  const end = toEnd === true ? ', to the end of the list' : '';
  if (complete === true) return `${read}${end}, without a gap`;
  return `${read}${end}; not proven${reason === undefined ? '' : `: ${spaced(plain(reason))}`}`;
}

function undecided({ undecided: n }: Facts): string {
  return typeof n === 'number' && n > 0 ? `, ${n} could not be decided` : '';
}

function left({ left: n }: Facts): string {
  return typeof n === 'number' && n > 0 ? `, ${n} have their turn later` : '';
}

function moment(value: unknown): string {
  const text = plain(value);
  return /^\d{4}-\d\d-\d\dT/.test(text) ? `${text.slice(0, 19).replace('T', ' ')} UTC` : text;
}

function isFacts(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(plain).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** `notSeenSince` and `not_seen` as words. */
function spaced(name: string): string {
  const words = name.replaceAll('_', ' ').replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  return words.toLowerCase();
}
