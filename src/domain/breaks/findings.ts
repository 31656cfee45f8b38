import { canonicalHash } from '../canonical-json.js';
import type { Json, JsonObject } from '../json.js';
import type { EntityRef } from '../records.js';
import { type CheckedRecord, type CheckFacts, type FocusKind, focused } from './check-facts.js';

/** The worst first. */
export const severities = ['critical', 'high', 'medium', 'low'] as const;
export type Severity = (typeof severities)[number];

const HOUR_MS = 3_600_000;

/** Within so many hours of its opening a break is to be closed. */
export const dueHours: Readonly<Record<Severity, number>> = { critical: 4, high: 24, medium: 7 * 24, low: 30 * 24 };

/** In ms, as `openedAt`. */
export const dueAt = (severity: Severity, openedAt: number): number => openedAt + dueHours[severity] * HOUR_MS;

export interface Finding {
  /** Field by field ours, theirs, and the source of each. */
  evidence: JsonObject;
  severity?: Severity;
  /** The facts that it rests on, without times and sources: closed by a person, it is not opened again for the same. */
  cause?: string;
}

/** `K`: the kinds that may be named; who finds breaks knows their own alone. */
interface BreakName<K extends string> {
  kind: K;
  entity: EntityRef;
}

type FoundBreak<K extends string> = BreakName<K> & Finding;

/** What is wrong with the records that were given, and what is not, or no longer. */
export interface Findings<K extends string> {
  open: FoundBreak<K>[];
  resolve: BreakName<K>[];
}

/** The same, and what is to be checked again later, though nothing may change until then. `at` in ms. */
export interface TimedFindings<K extends string> extends Findings<K> {
  again: { entity: EntityRef; at: number }[];
}

/** A check's word on one record: what is wrong, null where nothing is; left out where it can't be said. `at`: check it again then. */
export interface Checked {
  entity: EntityRef;
  found?: Finding | null;
  at?: number;
}

export type Check = (facts: CheckFacts) => readonly Checked[];

/** A check of one record after the other: `undefined` where it can't be said, `at` where it may still come right. */
export function each(
  focus: FocusKind,
  check: (record: CheckedRecord, facts: CheckFacts) => Finding | { at: number } | null | undefined,
): Check {
  return (facts) => focused(facts, focus).map((record) => checked(entityOf(record), check(record, facts)));
}

export function checked(entity: EntityRef, verdict: Finding | { at: number } | null | undefined): Checked {
  if (verdict === undefined) return { entity };
  return verdict !== null && 'at' in verdict ? { entity, at: verdict.at } : { entity, found: verdict };
}

export const entityOf = ({ kind, id }: CheckedRecord): EntityRef => ({ kind, id });

export interface FieldEvidence {
  ours: Json;
  theirs: Json;
  source: Json;
}

/** A finding with its cause: what is said of each field, but not by whom and when. `since` makes a new case of it. */
export function finding(
  fields: Readonly<Record<string, FieldEvidence>>,
  about: { since?: number; severity?: Severity; notes?: JsonObject } = {},
): Finding {
  const since = about.since === undefined ? null : new Date(about.since).toISOString();
  const said = Object.entries(fields).map(([field, { ours, theirs }]) => [field, ours, theirs]);
  return {
    evidence: {
      ...Object.fromEntries(Object.entries(fields).map(([field, evidence]) => [field, { ...evidence }])),
      ...(since === null ? {} : { since }),
      ...about.notes,
    },
    cause: canonicalHash([since, said]),
    ...(about.severity === undefined ? {} : { severity: about.severity }),
  };
}

/** All that is said of a kind of break; the tables of docs/breaks.md are made of it. */
export interface BreakDefinition {
  severity: Severity;
  /** Some of it are worse or less, and which: whoever finds it says so. */
  also?: { severity: Severity; where: string };
  /** Where the evidence says what several have in common, as JSON pointers; or why it says nothing: then the time of opening alone does. */
  sharedBy: readonly [string, ...string[]] | { none: string };
  means: string;
  ends: string;
  remedy: string;
  /** An order may be safe beside it: where, and what to do then. Left out: where it stands the records hold the order anyway, or it is about none. */
  besideSafe?: { where: string; remedy: string };
  /** Finds it where records don't agree with one another; left out: a run finds it, or what saves a record. */
  check?: Check;
}

export type BreakDefinitions = Readonly<Record<string, BreakDefinition>>;
