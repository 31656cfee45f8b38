import { isJsonObject, type Json, type JsonObject } from './json.js';
import { fieldOf, fieldsThat, kinds, type RecordKind, recordKinds } from './kinds/kinds.js';
import { recordRules } from './records.js';

export const MASK = '[masked]';

/** Kinds of record that may speak of a person. Endpoints, products and assets don't, and a settlement account is the merchant's own. */
export const personalKinds = recordKinds.filter((kind) => kinds[kind].speaksOfPeople);

/**
 * Personal fields (specification 2.1, 2.3, 2.5, 2.14, 4.6), at any depth of a record. Addresses on a chain
 * are not among them, but for the one that the customer named as their own. Names that the specification does not show stand
 * for a person wherever they come.
 */
const personalNames: ReadonlySet<string> = new Set(
  (
    'birthDate birthday customerEmail customerFirstName customerFullName customerLastName customerMobile ' +
    'customerName customerPhone customerPhoneNumber customerRefundAddress dateOfBirth email emailAddress ' +
    'firstName fullName lastName middleName mobile mobileNumber mobilePhone phone phoneNumber ' +
    'refundAddress surname telephone toEmail'
  ).split(' '),
);

/** In any record: those, and what definitions alone call personal, unless another kind has a plain field of that name. */
const namesOfAnyKind: ReadonlySet<string> = new Set([
  ...personalNames,
  ...recordKinds.flatMap((kind) => fieldsThat(kind, ({ personal }) => personal === true)).filter(isAlwaysPersonal),
]);

function isAlwaysPersonal(name: string): boolean {
  return recordKinds.every((kind) => (fieldOf(kind, name) ?? { personal: true }).personal === true);
}

/** Where a payout goes (2.4), of a refund the customer's address. Books rest on it, so it is kept, and hidden with what is personal. */
const destinationNames: ReadonlySet<string> = new Set(
  'destination destinationAddress destinationMemo destinationTag'.split(' '),
);

/** What records are found and joined by stays what it is, though a merchant may have put an address there. */
const joining: ReadonlySet<string> = new Set([
  'id',
  'reference',
  'references',
  'similarReferences',
  ...Object.values(recordRules).flatMap(({ columns }) => columns.map(({ field }) => field)),
]);

/** Whatever a merchant or its customers put there (2.3, 2.14, 4.1): who need not know people sees neither values nor names. */
const freeForm: ReadonlySet<string> = new Set(['metadata', 'meta', 'customer']);

const LONGEST_ADDRESS = 320;
const E_MAIL = /^[^\s@/:]+@[^\s@/:]+\.[^\s@/:]+$/;

/** The name says it, or the kind's definition does. */
function namesPerson(kind: RecordKind, name: string): boolean {
  return personalNames.has(name) || fieldOf(kind, name)?.personal === true;
}

/** By its name, or because its value is an e-mail address, as the destination of a payout may be (2.4). Never null. */
function isPersonal(kind: RecordKind, name: string, value: Json): boolean {
  if (value === null) return false;
  if (namesPerson(kind, name)) return true;
  // What a mail server said of an invoice (2.3: emailDelivery) repeats the address.
  if (kind === 'invoice' && name === 'error') return typeof value === 'string' && value.includes('@');
  if (typeof value !== 'string' || joining.has(name) || name.endsWith('Id')) return false;
  return value.length <= LONGEST_ADDRESS && value.includes('@') && E_MAIL.test(value);
}

/** `replace` of every personal value in it, at any depth; the very same value where there is none. Null stays null. */
export function replacePersonal(kind: RecordKind, name: string, value: Json, replace: (value: Json) => Json): Json {
  if (isPersonal(kind, name, value)) return replace(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => replacePersonal(kind, '', item, replace));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return isJsonObject(value) ? replaceInside(kind, value, replace) : value;
}

/** The record's fields without what is personal. Pure, and the same when it is done twice. */
export function maskPersonal(kind: RecordKind, fields: JsonObject): JsonObject {
  return replaceInside(kind, fields, () => MASK);
}

/**
 * Between words; a sign before it, such as = or :, is no part of it. Searched for only where a word begins: a long one would
 * otherwise be gone through again from each of its letters.
 */
const E_MAILS =
  /(?<![^\s@/:;,=<>()[\]{}"'`])[^\s@/:;,=<>()[\]{}"'`]+@[^\s@/:;,=<>()[\]{}"'`]+\.[^\s@/:;,=<>()[\]{}"'`.]+/g;
/** In the international form. */
const PHONES = /(?<![\w+])\+[1-9](?:[ ()-]{0,2}\d){7,14}(?!\.?\d)/g;

/** Somebody's own words without addresses, phone numbers and what is `known`. A name that nothing shows can't be distinguished. */
export function maskText(text: string, known: readonly string[] = []): string {
  const named = known.filter((value) => value.length >= SHORTEST_NAME).toSorted((a, b) => b.length - a.length);
  const struck = named.reduce((left, value) => left.replaceAll(value, MASK), text);
  return struck.replaceAll(E_MAILS, MASK).replaceAll(PHONES, MASK);
}

/** Shorter ones stand in too many other words. */
const SHORTEST_NAME = 3;

/** What is said of a difference, kept for long and shown to many, without what says who somebody is, at any depth. `about`: the kind of record. */
export function maskEvidence(evidence: JsonObject, about: string): JsonObject {
  const kind = recordKinds.find((known) => known === about);
  return maskFields(evidence, (name) => namesOfAnyKind.has(name) || (kind !== undefined && namesPerson(kind, name)));
}

/** For somebody who need not know people: without what is personal, free-form objects, and addresses and numbers in texts. */
export function hidePeople(kind: RecordKind, fields: JsonObject): JsonObject {
  return maskPersonal(
    kind,
    hideFields(fields, (name) => namesPerson(kind, name)),
  );
}

/** What holds records of several kinds, or says something of them, for somebody who need not know people. */
export function hideEvidence(evidence: JsonObject): JsonObject {
  return hideFields(evidence, (name) => namesOfAnyKind.has(name));
}

/** A text for somebody who need not know people: a digest of a value would confirm a guess. */
export function hideText(text: string, known: readonly string[] = []): string {
  return maskText(text.replaceAll(DIGESTS, MASK), known);
}

const DIGESTS = /hmac-sha256:[0-9a-f]*/g;

/** Whether who need not know people sees nothing of the field, whatever its value. */
export function isHidden(kind: RecordKind, name: string): boolean {
  return isPersonal(kind, name, 'a') || destinationNames.has(name);
}

function hideFields(fields: JsonObject, isNamed: (name: string) => boolean): JsonObject {
  const isDestination = (name: string) => destinationNames.has(name);
  // A memo is short: it would be found inside amounts.
  const goneTo = [...textsOf(fields, isDestination)].filter((text) => text.length >= SHORTEST_DESTINATION);
  return maskFields(fields, (name) => isNamed(name) || isDestination(name), {
    known: [...textsOf(fields, isNamed), ...goneTo],
    maskText: hideText,
  });
}

const SHORTEST_DESTINATION = 12;

interface Masking {
  known: readonly string[];
  maskText: (text: string, known: readonly string[]) => string;
}

function maskFields(
  fields: JsonObject,
  isNamed: (name: string) => boolean,
  { known, maskText: struck }: Masking = { known: [...textsOf(fields, isNamed)], maskText },
): JsonObject {
  const masked = (name: string, value: Json): Json => {
    if (value !== null && (isNamed(name) || freeForm.has(name))) return MASK;
    if (typeof value === 'string') return joining.has(name) || /Ids?$/.test(name) ? value : struck(value, known);
    if (Array.isArray(value)) return value.map((item) => masked(name, item));
    return isJsonObject(value) ? inside(value) : value;
  };
  const inside = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [struck(name, known), masked(name, value)]));
  return inside(fields);
}

function* textsOf(value: Json, isNamed: (name: string) => boolean, name = ''): Generator<string> {
  if (typeof value === 'string' && isNamed(name)) yield value;
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, isNamed, name);
  else if (isJsonObject(value)) for (const [key, inner] of Object.entries(value)) yield* textsOf(inner, isNamed, key);
}

function replaceInside(kind: RecordKind, object: JsonObject, replace: (value: Json) => Json): JsonObject {
  let after: JsonObject | null = null;
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const replaced = replacePersonal(kind, name, value, replace);
    if (replaced === value) continue;
    after ??= Object.fromEntries(Object.entries(object));
    after[name] = replaced;
  }
  return after ?? object;
}
