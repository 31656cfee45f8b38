import { counted } from '../in-words.js';
import type { FoundAlert } from './alerts.js';
import type { AlertFacts } from './facts.js';
import { losingDeliveries, recoverFrom } from './recover-words.js';

/** What each was, once it is over. */
const past: Readonly<Record<string, string>> = {
  TallyhookDown: 'A part of Tallyhook was not at work',
  TallyhookQueueDown: 'The queue did not answer',
  TallyhookNoWebhooks: 'No webhook of the service had come for half an hour',
  TallyhookNothingArrives: 'Something else answered the service in our place',
  TallyhookCanaryFails: 'Our own test event did not come back',
  TallyhookNoSecretAccepted: 'Every webhook was rejected: no secret was accepted',
  TallyhookInvalidSignatures: 'Webhooks were rejected for their signature',
  TallyhookExpiredTimestamps: 'Webhooks were rejected as too old',
  TallyhookEventsWait: 'Stored events were not applied',
  TallyhookDeadEvents: 'Events had been given up',
  TallyhookMissedDeliveries: 'Deliveries of the service were missing here',
  TallyhookServiceAway: 'The service did not answer',
  TallyhookUnproven: 'What the service says of a kind was not known any more',
  TallyhookNeverProven: 'A kind had never been proven',
  TallyhookCriticalBreak: 'Our records and the service’s contradicted one another where money may be lost',
  TallyhookEndpointOff: 'The service did not send what we need',
  TallyhookHighBreak: 'A break of high severity stayed open',
  TallyhookLostCall: 'Nobody knew whether a call of ours had moved money',
  TallyhookRefundUnlinked: 'Orders waited until a refund was assigned',
  TallyhookDeadCallbacks: 'Callbacks to the store had been given up',
  TallyhookCallbacksWait: 'The store did not take callbacks',
  TallyhookSettingsDiffer: 'Roles worked with different settings',
  TallyhookSealingLags: 'What was written was not sealed',
  TallyhookSealsUnverified: 'Nobody knew whether what was sealed was as it had been',
  TallyhookSealsBroken: 'Something had been changed after it was sealed',
  TallyhookAlertChannelFails: 'An alert channel failed',
};

/** Of an alert that is over; one that this version does not know is named. */
export const pastSummary = (name: string): string => past[name] ?? `${name} is over`;

/** What is left to do of an alert that is over; empty: nothing. */
export function leftToDo(name: string, facts: Pick<AlertFacts, 'awaited'>): string {
  const lost = facts.awaited.filter((of) => of.class !== 'pending_retry' && of.recoverable > 0);
  return losingDeliveries.includes(name) && lost.length > 0 ? `Recover what is not here: ${recoverFrom(facts)}.` : '';
}

/** Alerts whose cause is over and that do not end yet: what came of it is to be taken in first. */
export function remainingAlerts(facts: Pick<AlertFacts, 'awaited' | 'swallowed'>): (FoundAlert & { count: number })[] {
  const name = 'TallyhookNothingArrives';
  return facts.awaited
    .filter((of) => of.class === 'phantom' && of.recoverable > 0)
    .map(({ recoverable: count, oldestSeconds: seconds }) => {
      const state = facts.swallowed.count === 0 ? 'It is over' : 'What is sent arrives again, and not all of it';
      return {
        name,
        subject: '',
        severity: 'critical',
        summary: pastSummary(name),
        detail: `${state}, as far as the delivery history was read; ${counted(count, 'delivery is', 'deliveries are')} still to be recovered.`,
        remedy: leftToDo(name, facts),
        count,
        seconds,
      };
    });
}
