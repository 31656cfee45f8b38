import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { isJsonObject, type Json, type JsonObject } from './json.js';
import type { ObservationSource, SourceType } from './observation.js';
import type { Claim, Poll, RecordState } from './record-state.js';

/** A state as the two texts that the record tables keep. */
export function stateToText({ poll, claims }: RecordState): { poll: string | null; claims: string } {
  return { poll: poll === null ? null : written(poll), claims: written(claims) };
}

/** The inverse of `stateToText`. Throws on a text that it did not write. */
export function stateFromText(text: { poll: string | null; claims: string }): RecordState {
  const claims = text.claims === '[]' ? [] : (parse(text.claims) as Json);
  if (!Array.isArray(claims)) throw new TypeError('Stored claims are not an array');
  return { poll: text.poll === null ? null : pollFrom(parse(text.poll) as Json), claims: claims.map(claimFrom) };
}

function written(value: Poll | Claim[]): string {
  const text = stringify(value);
  if (text === undefined) throw new TypeError('A record state has no JSON text');
  return text;
}

function pollFrom(stored: Json | undefined): Poll {
  const poll = object(stored);
  return {
    from: number(poll['from']),
    to: number(poll['to']),
    hash: string(poll['hash']),
    fields: poll['fields'] === null ? null : object(poll['fields']),
    by: string(poll['by']) as SourceType,
    ref: string(poll['ref']),
    before: poll['before'] === null ? null : pollFrom(poll['before']),
  };
}

function claimFrom(stored: Json): Claim {
  const claim = object(stored);
  const source = object(claim['source']);
  return {
    state: string(claim['state']),
    from: number(claim['from']),
    to: number(claim['to']),
    hash: string(claim['hash']),
    fields: object(claim['fields']),
    source: { type: string(source['type']), ref: string(source['ref']) } as ObservationSource,
  };
}

function object(value: Json | undefined): JsonObject {
  if (isJsonObject(value)) return value;
  throw new TypeError('Stored record state: an object is missing');
}

function string(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  throw new TypeError('Stored record state: a string is missing');
}

function number(value: Json | undefined): number {
  if (isLosslessNumber(value)) return Number(value.value);
  throw new TypeError('Stored record state: a number is missing');
}
