import type { AlertFacts } from '../domain/alerts/facts.js';
import type { AlertRow } from '../records/alerts/settle-alerts.js';
import type { AlertMessage } from './alert-message.js';

/** From then on, UTC, the digest of the day is due. */
const DIGEST_HOUR = 7;

/** One for each day; null: it is too early. */
export function digestKey(now: Date): string | null {
  return now.getUTCHours() < DIGEST_HOUR ? null : `digest ${now.toISOString().slice(0, 10)}`;
}

/** What stands, in numbers: also on a quiet day, so that silence is not mistaken for it. */
export function digestMessage(facts: AlertFacts, firing: readonly AlertRow[], now: Date): AlertMessage {
  const lines = [
    ...firing.map(({ severity, summary, subject, detail }) =>
      [`[${severity}]`, summary, subject === '' ? '' : `(${subject})`, detail].filter((part) => part !== '').join(' '),
    ),
    `Open breaks, critical or high: ${facts.breaks.reduce((sum, { count }) => sum + count, 0)}`,
    `Missed deliveries: ${facts.missed ?? 'not measured yet'}`,
    `Events given up: ${facts.backlog.dead}`,
    `Callbacks given up: ${facts.callbacks.dead}`,
    `Never proven: ${facts.kinds.filter(({ provenSecondsAgo }) => provenSecondsAgo === null).length} of ${facts.kinds.length} kinds`,
  ];
  const summary =
    firing.length === 0 ? 'Tallyhook today: no alert fires' : `Tallyhook today: ${firing.length} alerts fire`;
  return { type: 'alert.digest', summary, detail: lines.join('\n'), day: now.toISOString().slice(0, 10) };
}
