import { UNAPPLIED } from '../../domain/breaks/contract-violation.js';
import { hashOfText } from '../../domain/canonical-json.js';
import type { Observation } from '../../domain/observation.js';
import { amountViolations, type RecordKind, recordKinds } from '../../domain/records.js';
import type { NewBreak } from '../breaks/breaks.js';
import { keyText } from '../database/database-text.js';

export interface GroupedObservations {
  /** By kind, in the order in which the tables are locked; each by id. Kinds of which nothing was observed are empty. */
  byKind: ReadonlyMap<RecordKind, Map<string, Observation[]>>;
  /** Of statements that could not be applied as they stand: they became mentions. */
  unapplied: { observation: Observation; break: NewBreak }[];
  /** Of observations that no row can hold. */
  refused: NewBreak[];
}

/** Gathers what was observed of each record; statements with unreadable amounts only ask for a poll. */
export function groupObservations(observations: Observation[]): GroupedObservations {
  const byKind = new Map(recordKinds.map((kind) => [kind, new Map<string, Observation[]>()]));
  const grouped: GroupedObservations = { byKind, unapplied: [], refused: [] };
  for (const given of observations) {
    if (given.id === '' || keyText(given.id) === null) {
      grouped.refused.push(unusableId(given));
      continue;
    }
    const unapplied = unappliedStatement(given);
    if (unapplied !== null) grouped.unapplied.push({ observation: given, break: unapplied });
    const observation = wholeMs(unapplied === null ? given : asMention(given));
    const group = byKind.get(given.kind);
    const known = group?.get(given.id);
    if (known === undefined) group?.set(given.id, [observation]);
    else known.push(observation);
  }
  return grouped;
}

function asMention({ kind, id, from, to, source }: Observation): Observation {
  return { type: 'mention', kind, id, from, to, source };
}

function wholeMs(observation: Observation): Observation {
  if (Number.isInteger(observation.from) && Number.isInteger(observation.to)) return observation;
  return { ...observation, from: Math.floor(observation.from), to: Math.ceil(observation.to) };
}

function unappliedStatement(observation: Observation): NewBreak | null {
  if (observation.type !== 'statement') return null;
  const violations = amountViolations(observation.kind, observation.fields);
  if (violations.length === 0) return null;
  return {
    kind: 'contract_violation',
    severity: UNAPPLIED,
    entity: { kind: observation.kind, id: observation.id },
    evidence: {
      rule: 'amounts are decimal strings',
      violations: violations.map((violation) => ({ ...violation })),
      applied: false,
      source: { ...observation.source },
    },
  };
}

function unusableId({ kind, id, source }: Observation): NewBreak {
  return {
    kind: 'contract_violation',
    severity: UNAPPLIED,
    entity: { kind, id: `sha256:${hashOfText(id)}` },
    evidence: {
      rule: 'an id has 1 to 1,000 bytes',
      given: { start: id.slice(0, 60), length: String(id.length) },
      applied: false,
      source: { ...source },
    },
  };
}
