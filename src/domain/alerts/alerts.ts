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
