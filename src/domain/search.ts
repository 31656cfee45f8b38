import type { JsonObject } from './json.js';
import { fieldOf, fieldsThat, type RecordKind, recordKinds } from './kinds/kinds.js';
import { MASK } from './personal.js';
import { textField } from './records.js';

interface Searched {
  columns: readonly string[];
  keyed: readonly string[];
}

/** Fields that records of a kind are searched by: those that have a column, and those that have none. */
const searched = new Map<RecordKind, Searched>(
  recordKinds.map((kind) => {
    const names = fieldsThat(kind, (field) => field.searched === true);
    const hasColumn = (name: string) => fieldOf(kind, name)?.column === true;
    return [kind, { columns: names.filter(hasColumn), keyed: names.filter((name) => !hasColumn(name)) }];
  }),
);

export const searchedFields = (kind: RecordKind): Searched => searched.get(kind) ?? { columns: [], keyed: [] };

/** Values of the record by which it is found without a column, each in its search form, with the field that holds it. */
export function keyedValues(kind: RecordKind, shown: JsonObject, reported: JsonObject | null): Map<string, string> {
  const { columns, keyed } = searchedFields(kind);
  const values = new Map<string, string>();
  const take = (fields: JsonObject, name: string): void => {
    const value = textField(fields, name);
    if (value !== null && value !== MASK && value.trim() !== '') values.set(searchForm(value), name);
  };
  for (const name of keyed) take(shown, name);
  // A column shows what polls say: what only reports say has a key.
  if (reported !== null) for (const name of [...keyed, ...columns]) take(reported, name);
  return values;
}

const HEX = /^(?:0x)?([0-9a-f]{40}|[0-9a-f]{64})$/i;
const BECH32 = /^[a-z]{2,4}1[02-9ac-hj-np-z]{11,87}$/i;
/** Searched for only where a word begins, as in personal.ts. */
const E_MAIL = /(?<![^\s@/:;,<>()"'=?&#])[^\s@/:;,<>()"'=?&#]+@[^\s@/:;,<>()"'=?&#]+\.[^\s@/:;,<>()"'=?&#.]+/;

/** What values are compared by: in one case where case says nothing, as of a hash, an address or an e-mail. Any other text is as it is. */
export function searchForm(value: string): string {
  const text = value.trim();
  const hex = HEX.exec(text);
  if (hex?.[1] !== undefined) return hex[1].toLowerCase();
  const isCaseless = text.includes('@') ? E_MAIL.exec(text)?.[0] === text : BECH32.test(text);
  return isCaseless ? text.toLowerCase() : text;
}

const LONGEST = 2_000;
const UNSEEN = /[\u200b-\u200f\u2060\ufeff]/g;
/** A hash, an address or an id, as it stands in an address of an explorer or in a sentence. */
const LONG_WORD = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]{20,128}(?![A-Za-z0-9_-])/g;

/**
 * What a person means by what they put in: the text itself, and what was taken out of it, such as the hash out of an address of
 * an explorer, or the e-mail out of a sentence. Empty: nothing.
 */
export function readQuestion(given: string): string[] {
  const text = given.slice(0, LONGEST).replaceAll(UNSEEN, '').trim();
  const bare = text.replace(/^["'<([`]+/, '').replace(/(?<!["'>)\]`.,;])["'>)\]`.,;]+$/, '');
  return [...new Set([text, bare, takenOut(bare)])].filter((one) => one !== '');
}

function takenOut(text: string): string {
  const mail = E_MAIL.exec(text)?.[0];
  if (mail !== undefined) return mail;
  const isAddress = /^https?:\/\//i.test(text);
  if (!isAddress && !/[\s:/?]/.test(text)) return text;
  // A host may be long as well.
  const within = isAddress ? text.replace(/^https?:\/\/[^/?#]*/i, '') : text;
  const [longest] = [...within.matchAll(LONG_WORD)].map(([word]) => word).sort((a, b) => b.length - a.length);
  if (longest !== undefined || !isAddress) return longest ?? text;
  return decoded(within.split(/[?#]/)[0]?.split('/').filter(Boolean).at(-1) ?? '');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The same value as a column may hold it: an index knows no other case. */
export function writtenForms(text: string): string[] {
  const form = searchForm(text);
  if (!HEX.test(text)) return [...new Set([text, form])];
  return [...new Set([text, form, `0x${form}`, form.toUpperCase(), `0x${form.toUpperCase()}`])];
}
