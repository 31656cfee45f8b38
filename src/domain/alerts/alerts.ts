import { breakDefinitions } from '../breaks/breaks.js';
import type { AlertSeverity, Condition } from './condition.js';
import { conditions } from './conditions.js';
import type { AlertFacts } from './facts.js';

/** A condition that holds. `subject` tells those of one name apart. */
export interface FoundAlert {
  name: string;
  subject: string;
  severity: AlertSeverity;
  summary: string;
  /** With numbers, without anything that identifies a person. */
  detail: string;
}

/** Everything that holds now, told or not. */
export function findAlerts(facts: AlertFacts): FoundAlert[] {
  return conditions.flatMap(({ name, severity, summary, found }) =>
    found(facts).map(({ subject = '', detail }) => ({ name, subject, severity, summary, detail })),
  );
}

export function conditionNamed(
  name: string,
): Pick<Condition, 'holdSeconds' | 'apartSeconds' | 'runbook' | 'remedy'> | undefined {
  return conditions.find((condition) => condition.name === name);
}

/** Alerts about breaks, by their kind. */
const ofBreaks = ['TallyhookCriticalBreak', 'TallyhookHighBreak'];

/** What to do first: of breaks what their kind asks for, then what all of them do. */
export function remedyOf({ name, subject }: { name: string; subject: string }): string {
  const remedy = conditionNamed(name)?.remedy ?? '';
  const own = ofBreaks.includes(name) ? new Map(Object.entries(breakDefinitions)).get(subject)?.remedy : undefined;
  return own === undefined ? remedy : `${own} ${remedy}`;
}
