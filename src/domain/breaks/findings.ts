import { canonicalHash } from '../canonical-json.js';
import type { Json, JsonObject } from '../json.js';
import type { EntityRef } from '../records.js';
import type { Severity } from './definition.js';

/** `K`: the kinds that may be named; those who find breaks know their own alone. */
export interface BreakName<K extends string> {
  kind: K;
  entity: EntityRef;
}

export interface FoundBreak<K extends string> extends BreakName<K> {
  evidence: JsonObject;
  severity?: Severity;
  once?: boolean;
  /** The facts that it rests on, without times and sources: closed by a person, it is not opened again for the same. */
  cause?: string;
}

/** What a check says of the records that it was given: what is wrong, and what is not, or no longer. */
export interface Findings<K extends string> {
  /** `evidence`: field by field ours, theirs, and the source of each. */
  open: FoundBreak<K>[];
  resolve: BreakName<K>[];
}

/** The same, and what is to be checked again later, though nothing may change until then. `at` in ms. */
export interface TimedFindings<K extends string> extends Findings<K> {
  again: { entity: EntityRef; at: number }[];
}

/** What is said of a field here and there, and what says so. */
export interface FieldEvidence {
  ours: Json;
  theirs: Json;
  source: Json;
}

export function noFindings<K extends string>(): TimedFindings<K> {
  return { open: [], resolve: [], again: [] };
}

export function allFindings<K extends string>(parts: readonly TimedFindings<K>[]): TimedFindings<K> {
  return {
    open: parts.flatMap(({ open }) => open),
    resolve: parts.flatMap(({ resolve }) => resolve),
    again: parts.flatMap(({ again }) => again),
  };
}

/** A break with its cause: what is said of each field, but not by whom and when. `since` makes a new case of it. */
export function foundBreak<K extends string>(
  name: BreakName<K>,
  fields: Readonly<Record<string, FieldEvidence>>,
  about: { since?: number; severity?: Severity; notes?: JsonObject } = {},
): FoundBreak<K> {
  const since = about.since === undefined ? null : new Date(about.since).toISOString();
  const said = Object.entries(fields).map(([field, { ours, theirs }]) => [field, ours, theirs]);
  return {
    ...name,
    evidence: {
      ...Object.fromEntries(Object.entries(fields).map(([field, evidence]) => [field, { ...evidence }])),
      ...(since === null ? {} : { since }),
      ...about.notes,
    },
    cause: canonicalHash([since, said]),
    ...(about.severity === undefined ? {} : { severity: about.severity }),
  };
}

/** Notes the finding, or that there is none. */
export function settle<K extends string>(
  findings: Findings<K>,
  name: BreakName<NoInfer<K>>,
  found: FoundBreak<NoInfer<K>> | null,
): void {
  if (found === null) findings.resolve.push(name);
  else findings.open.push(found);
}
