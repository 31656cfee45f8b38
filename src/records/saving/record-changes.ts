import { createHmac } from 'node:crypto';
import type { Knex } from 'knex';
import { type Json, type JsonObject, objectFromJsonText, ownField, toJsonText } from '../../domain/json.js';
import { MASK, replacePersonal } from '../../domain/personal.js';
import type { RecordKind } from '../../domain/records.js';
import { isSameValue, type NewChange, REPORTED, WHOLE_RECORD } from '../changes.js';
import { personalKey } from '../personal-key.js';
import type { MergedRecord } from '../stored-record.js';

/** One change per field that is shown with another value; one for the whole of a record that was not known before. */
export function recordChanges(record: MergedRecord, redact: Redact): NewChange[] {
  const { kind, id, before, shown, absentSince, cause } = record;
  const textOf = (fields: JsonObject, name: string) => fieldText(fields, name, (value) => redact(kind, name, value));
  const change = (field: string, from: string | null, to: string | null): NewChange => ({
    entity: { kind, id },
    field,
    from,
    to,
    source: cause.source,
    serviceTime: cause.at,
  });
  const saidBefore = before?.reported ?? null;
  const said =
    saidBefore === record.reported
      ? []
      : [change(REPORTED, digested(kind, saidBefore, redact), digested(kind, record.reported, redact))];
  if (before === null) return [change(WHOLE_RECORD, null, wholeText(record, redact)), ...said];
  const changes = record.changedFields.map((name) =>
    change(name, textOf(before.fields, name), textOf(shown.fields, name)),
  );
  if (before.verified !== shown.verified) changes.push(change('verified', `${before.verified}`, `${shown.verified}`));
  const wasAbsent = before.absentSince !== null;
  const isAbsent = absentSince !== null;
  if (wasAbsent !== isAbsent) changes.push(change('absent', `${wasAbsent}`, `${isAbsent}`));
  return [...changes, ...said].filter(({ from, to }) => !isSameValue(from, to));
}

function digested(kind: MergedRecord['kind'], reported: string | null, redact: Redact): string | null {
  return reported === null ? null : toJsonText(redact(kind, '', objectFromJsonText(reported)));
}

/** All that is shown, and whether it is verified. Mostly there is nothing personal in it, and its text is known already. */
function wholeText({ kind, text, shown: { fields, verified } }: MergedRecord, redact: Redact): string {
  const redacted = redact(kind, '', fields) as JsonObject;
  if (redacted !== fields || text === '{}' || Object.hasOwn(fields, 'verified')) {
    return toJsonText({ ...redacted, verified });
  }
  return `${text.slice(0, -1)},"verified":${verified}}`;
}

function fieldText(fields: JsonObject, name: string, redacted: (value: Json) => Json): string | null {
  const value: Json | undefined = ownField(fields, name);
  return value === undefined ? null : toJsonText(redacted(value));
}

/** Stands a digest in for every personal value (domain/personal.ts) inside the value of the field `name`. */
export type Redact = (kind: RecordKind, name: string, value: Json) => Json;

export async function readRedaction(db: Knex): Promise<Redact> {
  const key = await personalKey(db);
  return (kind, name, value) => replacePersonal(kind, name, value, (personal) => digest(key, personal));
}

/** What is masked says nothing, and must be shown as masked. */
function digest(key: Buffer, value: Json): string {
  if (value === MASK) return MASK;
  return `hmac-sha256:${createHmac('sha256', key).update(toJsonText(value)).digest('hex')}`;
}
