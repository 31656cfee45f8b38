import { type AlertSeverity, alertSeverities } from './condition.js';

export const LONGEST_SILENCE_MS = 7 * 86_400_000;

/** As an alert holds it; null: nobody silenced it. */
export interface Silence {
  silenced_until: Date | null;
  /** How grave it was then. */
  silenced_severity: AlertSeverity | null;
}

/** Whether nothing is sent of the alert now: until its time, and while it is no graver than when somebody silenced it. */
export function isSilent(
  { silenced_until, silenced_severity, severity }: Silence & { severity: AlertSeverity },
  now: Date,
) {
  if (silenced_until === null || silenced_severity === null || silenced_until <= now) return false;
  return alertSeverities.indexOf(severity) >= alertSeverities.indexOf(silenced_severity);
}

/** Why an alert may not be silent until then; null: it may. */
export function silenceRefusal(until: Date, now: Date): string | null {
  const ms = until.getTime() - now.getTime();
  if (Number.isNaN(ms) || ms <= 0) return 'a silence ends at a time that is yet to come';
  return ms > LONGEST_SILENCE_MS ? 'a silence lasts a week at most' : null;
}
