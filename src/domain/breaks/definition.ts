import type { Check, Severity } from './findings.js';

/** All that is said of a kind of break; the tables of docs/breaks.md are made of it. */
export interface BreakDefinition {
  severity: Severity;
  /** Some of it are worse or less, and which: whoever finds it says so. */
  also?: { severity: Severity; where: string };
  /** What is found. */
  means: string;
  /** When it resolves itself. */
  ends: string;
  remedy: string;
  /** An order may be safe beside it: where, and what to do then. Left out: where it stands the records hold the order anyway, or it is about none. */
  besideSafe?: { where: string; remedy: string };
  /** Finds it where records don't agree with one another; left out: a run finds it, or what saves a record. */
  check?: Check;
}

export type BreakDefinitions = Readonly<Record<string, BreakDefinition>>;
