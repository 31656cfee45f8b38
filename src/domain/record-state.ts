import { fromJsonText, type JsonObject, toJsonText } from './json.js';
import type { ObservationSource, SourceType } from './observation.js';

/** What one poll showed in full, or the proof that the service does not list the record (`fields` null). */
export interface Poll {
  /** Start and end of the request, in milliseconds of the service's clock. */
  from: number;
  to: number;
  hash: string;
  fields: JsonObject | null;
  by: SourceType;
  ref: string;
  /** Of an absence: the newest complete poll, so that a record that vanished is still shown. */
  before: Poll | null;
}

/** The newest thing said in one slot. */
export interface Statement {
  /** The slot: `status:completed`, `irregularStatus:none`, `none:` (no state), `kept:metadata`, `kept:paymentIntentId=pi_1`, `kept:merchantReference="refund" A-1`, `mention:`. */
  state: string;
  from: number;
  to: number;
  hash: string;
  fields: JsonObject;
  source: ObservationSource;
}

/**
 * All that is kept of the observations of one record: the newest poll, and per source and slot the newest statement that no
 * complete poll has overtaken. All are maxima of total orders, so any order and repetition of the same observations ends
 * in the same state (docs/decisions/0001-webhooks-claim-polls-decide.md).
 */
export interface RecordState {
  poll: Poll | null;
  claims: Statement[];
}

export const emptyState: RecordState = { poll: null, claims: [] };

export const NO_STATE = 'none:';
export const MENTION = 'mention:';
export const KEPT = 'kept:';

/** What a webhook says: whoever holds a signing secret can write it, so it decides nothing. All else is read with the API key. */
export const isReport = ({ source }: Pick<Statement, 'source'>): boolean => source.type === 'webhook';

/** What it says of the record, beyond its name and beyond the fields that are kept by themselves. */
export function saysFields({ state }: Pick<Statement, 'state'>): boolean {
  return state !== MENTION && !state.startsWith(KEPT);
}

/** The newest complete poll that a poll holds: itself, or the one before the record vanished. */
export const shownPollOf = (poll: Poll | null): Poll | null => (poll?.fields === null ? poll.before : poll);

/** The later of two polls: a total order, in which of two polls of the same moment one with fields is later than an absence. */
export function newerPoll(a: Poll | null, b: Poll | null): Poll | null {
  if (a === null || b === null) return a ?? b;
  const order =
    a.from - b.from ||
    a.to - b.to ||
    compareText(a.hash, b.hash) ||
    compareText(a.by, b.by) ||
    compareText(a.ref, b.ref);
  return order >= 0 ? a : b;
}

/** By time, then by what can't be a matter of taste: no two different statements are equal. */
export function compareStatements(a: Statement, b: Statement): number {
  return (
    a.to - b.to ||
    a.from - b.from ||
    compareText(a.hash, b.hash) ||
    compareText(a.source.type, b.source.type) ||
    compareText(a.source.ref, b.source.ref)
  );
}

/** The statement may say something that the poll, which began at `from`, had no chance to see. */
export const isNewer = (statement: Statement, poll: Poll | null): boolean => poll === null || statement.to > poll.from;

/** By UTF-16 code unit. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Moments are text, so that the fast parser reads a state without numbers; fields that several statements share stand once. */
type StatementText = [state: string, from: string, to: string, hash: string, type: SourceType, ref: string];

interface StatementsText {
  said: StatementText[];
  fields: Record<string, JsonObject>;
}

interface PollText extends Omit<Poll, 'from' | 'to' | 'before'> {
  from: string;
  to: string;
  before: PollText | null;
}

/** A state as the two texts that the record tables keep. */
export function stateToText({ poll, claims }: RecordState): { poll: string | null; claims: string } {
  return {
    poll: poll === null ? null : toJsonText(pollText(poll)),
    claims: claims.length === 0 ? '[]' : toJsonText(statementsText(claims)),
  };
}

export function stateFromText(text: { poll: string | null; claims: string }): RecordState {
  return {
    poll: text.poll === null ? null : pollFrom(fromJsonText(text.poll) as unknown as PollText),
    claims: text.claims === '[]' ? [] : statementsFrom(fromJsonText(text.claims) as unknown as StatementsText),
  };
}

function statementsText(claims: readonly Statement[]): StatementsText {
  return {
    said: claims.map(({ state, from, to, hash, source }) => [state, `${from}`, `${to}`, hash, source.type, source.ref]),
    fields: Object.fromEntries(claims.map((statement) => [statement.hash, statement.fields])),
  };
}

function statementsFrom({ said, fields }: StatementsText): Statement[] {
  return said.map(([state, from, to, hash, type, ref]) => {
    const shared = fields[hash];
    if (shared === undefined) throw new TypeError('Stored claims: fields are missing');
    return { state, from: Number(from), to: Number(to), hash, fields: shared, source: { type, ref } };
  });
}

function pollText(poll: Poll): PollText {
  return {
    ...poll,
    from: `${poll.from}`,
    to: `${poll.to}`,
    before: poll.before === null ? null : pollText(poll.before),
  };
}

function pollFrom(text: PollText): Poll {
  return {
    ...text,
    from: Number(text.from),
    to: Number(text.to),
    before: text.before === null ? null : pollFrom(text.before),
  };
}
