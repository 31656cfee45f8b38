import { breakWordsOf } from '../breaks/breaks.js';
import { capitalized, words } from '../in-words.js';
import type { Alert, AlertSeverity, Condition } from './condition.js';
import type { AlertFacts } from './facts.js';
import { metricAlerts } from './metric-alerts.js';
import { asOfNow } from './outage-words.js';
import { recordConditions } from './record-conditions.js';
import { upkeepConditions } from './upkeep-conditions.js';
import { webhookConditions } from './webhook-conditions.js';

export const conditions: readonly Condition[] = Object.entries({
  ...webhookConditions,
  ...recordConditions,
  ...upkeepConditions,
}).map(([name, condition]) => ({ name, ...condition }));
/** Each has its rule in deploy/prometheus/rules.yml. */
export const alerts: readonly Alert[] = [
  ...conditions,
  ...Object.entries(metricAlerts).map(([name, alert]) => ({ name, ...alert })),
];

/** A condition that holds. `subject` distinguishes those of one name. */
export interface FoundAlert {
  name: string;
  subject: string;
  severity: AlertSeverity;
  summary: string;
  /** With numbers, without anything that identifies a person. */
  detail: string;
  /** What to do, where it depends on what was found. */
  remedy?: string | null;
  /** How long it has been so; left out: since it was found. */
  seconds?: number | undefined;
}

export function findAlerts(facts: AlertFacts): FoundAlert[] {
  return conditions.flatMap(({ name, severity, summary, found }) =>
    found(facts).map(({ subject = '', title, detail, remedy = null, seconds }) => ({
      name,
      subject,
      severity,
      // What it is about stands before a summary.
      summary: subject === '' ? (title ?? summary) : summary,
      detail,
      remedy: remedyNow({ name, subject, remedy }, facts),
      seconds,
    })),
  );
}

/** As it is kept: null where that of the condition is meant. */
function remedyNow(alert: Required<Pick<FoundAlert, 'name' | 'subject' | 'remedy'>>, facts: AlertFacts): string | null {
  const known = remedyOf(alert);
  const now = asOfNow(known, facts);
  return now === known ? alert.remedy : now;
}

/** What an alert is about in words of ours, unlike names of settings and assets. */
export const subjectWords = (subject: string): string => (/^[a-z_]+$/.test(subject) ? words(subject) : subject);

/** What an alert is called wherever it is one of many: what it is about comes first. */
export function alertTitle({ summary, subject }: Pick<FoundAlert, 'summary' | 'subject'>): string {
  return subject === '' ? summary : capitalized(`${subjectWords(subject)}: ${summary}`);
}

export function conditionNamed(name: string): Condition | undefined {
  return conditions.find((condition) => condition.name === name);
}

/** Alerts about breaks, by their kind. */
const ofBreaks = ['TallyhookCriticalBreak', 'TallyhookHighBreak'];

/** What to do first: what was found says it; else of breaks what their kind asks for, then what all of them do. */
export function remedyOf({ name, subject, remedy: own }: Pick<FoundAlert, 'name' | 'subject' | 'remedy'>): string {
  if (own != null) return own;
  const remedy = conditionNamed(name)?.remedy ?? '';
  return ofBreaks.includes(name) ? `${breakWordsOf(subject).remedy} ${remedy}`.trimStart() : remedy;
}
