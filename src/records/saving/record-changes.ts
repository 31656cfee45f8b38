import type { Json, JsonObject } from '../../domain/json.js';
import { toJsonText } from '../../domain/json-text.js';
import { type NewChange, WHOLE_RECORD } from '../changes.js';
import type { Redact } from './personal-fields.js';
import { type MergedRecord, ownField } from './stored-record.js';

/** One change per field that is shown with another value; one for the whole of a record that was not known before. */
export function recordChanges(record: MergedRecord, redact: Redact): NewChange[] {
  const { kind, id, before, shown, absentSince } = record;
  const textOf = (fields: JsonObject, name: string) => fieldText(fields, name, (value) => redact(kind, name, value));
  const change = (field: string, from: string | null, to: string | null): NewChange => ({
    entity: { kind, id },
    field,
    from,
    to,
    source: shown.observedBy,
    serviceTime: shown.observedAt,
  });
  if (before === null) {
    const whole = redact(kind, '', { ...shown.fields, verified: shown.verified });
    return [change(WHOLE_RECORD, null, toJsonText(whole))];
  }
  const changes = record.changedFields.map((name) =>
    change(name, textOf(before.fields, name), textOf(shown.fields, name)),
  );
  if (before.verified !== shown.verified) changes.push(change('verified', `${before.verified}`, `${shown.verified}`));
  const wasAbsent = before.absentSince !== null;
  const isAbsent = absentSince !== null;
  if (wasAbsent !== isAbsent) changes.push(change('absent', `${wasAbsent}`, `${isAbsent}`));
  return changes;
}

function fieldText(fields: JsonObject, name: string, redacted: (value: Json) => Json): string | null {
  const value: Json | undefined = ownField(fields, name);
  return value === undefined ? null : toJsonText(redacted(value));
}
