import { counted } from '../in-words.js';
import { conditionNamed, type FoundAlert } from './alerts.js';
import type { AlertFacts } from './facts.js';
import { asOfNow } from './outage-words.js';
import { recoverFrom } from './recover-words.js';

/** Of an alert that is over; one that this version does not know is named. */
export const pastSummary = (name: string): string => conditionNamed(name)?.past ?? `${name} is over`;

/** What was seen last of an alert that is over and has not ended. */
export const overDetail = (detail: string): string => `It was so: ${detail} The alert ends within minutes.`;

/** Whether what is not here is to be recovered, also after its end. */
export const losesDeliveries = (name: string): boolean => conditionNamed(name)?.losesDeliveries === true;

/** What is left to do of an alert that is over; empty: nothing. */
export function leftToDo(name: string, facts: Pick<AlertFacts, 'awaited' | 'outage'>): string {
  const lost = facts.awaited.filter((of) => of.class !== 'pending_retry' && of.recoverable > 0);
  const remedy = `Recover what is not here: ${recoverFrom(facts)}.`;
  return losesDeliveries(name) && lost.length > 0 ? asOfNow(remedy, facts) : '';
}

/** Alerts whose cause is over and that do not end yet: what came of it is to be taken in first. */
export function remainingAlerts(
  facts: Pick<AlertFacts, 'awaited' | 'outage' | 'swallowed'>,
): (FoundAlert & { count: number })[] {
  const name = 'TallyhookNothingArrives';
  return facts.awaited
    .filter((of) => of.class === 'phantom' && of.recoverable > 0)
    .map(({ recoverable: count }) => {
      const state = facts.swallowed.count === 0 ? 'It is over' : 'What is sent arrives again, and not all of it';
      return {
        name,
        subject: '',
        severity: 'critical',
        summary: pastSummary(name),
        detail: `${state}, as far as the delivery history was read; ${counted(count, 'delivery is', 'deliveries are')} still to be recovered.`,
        remedy: leftToDo(name, facts),
        count,
      };
    });
}
