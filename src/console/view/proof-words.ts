import { capitalized, counted } from '../../domain/in-words.js';
import type { Run } from '../../domain/views/proof-shapes.js';

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
  const facts = wordsOf[name]?.(value);
  if (facts !== undefined) return facts;
  return value === null || value === undefined ? [] : [[capitalized(spaced(name)), plain(value)]];
}

/** Undefined: not of the form that the words are for. */
type Words = (value: unknown) => Fact[] | undefined;

const always =
  (label: string, words = plain): Words =>
  (value) => [[label, words(value)]];
const ofParts =
  (label: string, words: (parts: Facts) => string): Words =>
  (value) =>
    isFacts(value) ? [[label, words(value)]] : undefined;

const wordsOf: Readonly<Record<string, Words>> = {
  head: (value) =>
    Array.isArray(value) ? value.filter(isFacts).map((scan): Fact => ['The newest part', scanWords(scan)]) : undefined,
  states: (value) => {
    if (!isFacts(value)) return undefined;
    return Object.entries(value).map(([state, scan]): Fact => {
      const isScan = isFacts(scan) && typeof scan['calls'] === 'number';
      return [`In state ${spaced(state)}`, isScan ? scanWords(scan) : `not filtered by the service: ${plain(scan)}`];
    });
  },
  sweep: (value) => {
    if (!isFacts(value)) return undefined;
    if (typeof value['calls'] !== 'number') return [['The whole list', 'not due in this run']];
    const goesOn = value['continues'] ? '; it goes on with the next run' : '';
    return [[`The list again (${plain(value['name'])})`, `${scanWords(value)}${goesOn}`]];
  },
  closure: ofParts(
    'Open here, in no list',
    (parts) => `${plain(parts['looked'])} polled one by one${undecided(parts)}${left(parts)}`,
  ),
  marked: ofParts('Asked for by events', (parts) => `${plain(parts['looked'])} read${undecided(parts)}`),
  absent: always('No longer listed', (value) =>
    isFacts(value) ? `${plain(value['proven'])} proven to be gone${undecided(value)}` : plain(value),
  ),
  payins: ofParts('Payins', ({ read, left }) => `${plain(read)} read, ${plain(left)} left`),
  upTo: always('Read up to', moment),
  windows: ofParts('Windows of time', ({ counted, readTwice }) => {
    return `${plain(counted)} with counts that agreed before and after, ${plain(readTwice)} read twice`;
  }),
  count: ofParts('Count of the whole', ({ said, ours, theirs }) => {
    return `${plain(said)}: ${plain(ours)} here, ${plain(theirs)} at the service`;
  }),
  readAgain: ofParts('Read again', ({ from, to }) => `from ${moment(from)} to ${moment(to)}`),
  missing: always('Found to be missing here'),
  downTo: always('Read down to', (value) => (value === null ? 'the end of the list' : moment(value))),
  toEnd: (value) => (value === true ? [['Reached', 'the end of the list']] : []),
  classes: ofParts('Deliveries by class', (parts) => {
    const each = Object.entries(parts).map(([kind, n]) => `${plain(n)} ${spaced(kind)}`);
    return each.join(', ') || 'none';
  }),
  recovered: always('Recovered', (value) => (typeof value === 'number' ? counted(value, 'event') : plain(value))),
  listed: always('Listed'),
  agreed: always('Assets compared with the records'),
  unexplained: always('With an unexplained part'),
  readAt: always('Read at', moment),
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
  return typeof n === 'number' && n > 0 ? `, ${counted(n, 'has its', 'have their')} turn later` : '';
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
