import type { JsonObject } from './json.js';
import { fromJsonText, toJsonText } from './json-text.js';
import type { SourceType } from './observation.js';
import type { Poll, RecordState, Statement } from './record-state.js';

/**
 * Moments are written as text, so that a state without numbers of the service's own is read by the fast parser; fields
 * that several statements share are written once.
 */
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

/** The inverse of `stateToText`. */
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
