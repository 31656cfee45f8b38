import { type Named, type Watched, when } from '../alerts/condition.js';
import type { AlertFacts } from '../alerts/facts.js';
import { failureWords, isAway, SERVICE_AWAY } from '../alerts/outage-words.js';
import { endedBy } from '../alerts/record-conditions.js';
import type { Severity } from '../breaks/findings.js';
import { counted, minuteOf } from '../in-words.js';

/** It was away and answers, and not all that it held back is made good. */
const isCatchingUp = ({ serviceBack, heldByOutage, kinds, outage }: AlertFacts): boolean =>
  serviceBack !== null && !isAway(outage) && (heldByOutage > 0 || kinds.some((of) => endedBy(of, ...SERVICE_AWAY)));

/** What is said from the first answer after an outage until its lists are read, and the orders that waited are released. */
export const serviceNotices: Named<Watched & { severity: Severity }> = {
  CallsFail: {
    severity: 'medium',
    summary: 'Calls to the service fail',
    remedy: '',
    page: '/runs',
    check: 'service',
    found: ({ outage }) => {
      if (outage === null) return [];
      const { attempts, what, error, since, seconds } = outage;
      const detail = `Since ${minuteOf(since)} UTC ${what} ${failureWords(error)}. They are tried again.`;
      return when(attempts > 1 && !isAway(outage), detail, { seconds });
    },
  },
  ServiceBack: {
    severity: 'low',
    summary: 'The service answers again',
    remedy: '',
    page: '/runs',
    check: 'service',
    found: (facts) => {
      const { serviceBack } = facts;
      if (serviceBack === null || !isCatchingUp(facts)) return [];
      const title = `The service answers again since ${minuteOf(serviceBack.since)} UTC`;
      return [{ title, detail: 'What it held back is being read.', seconds: serviceBack.seconds }];
    },
  },
  HeldByOutage: {
    severity: 'low',
    summary: 'Paid orders wait until the service is read',
    remedy: '',
    page: '/orders?goods=paid_held',
    check: 'service',
    found: (facts) => {
      const { heldByOutage: count, outage, serviceBack } = facts;
      const title = `${counted(count, 'paid order')} held since the service was away`;
      const detail = 'Its lists have not shown all of their payment yet: they are released once they are polled.';
      return when(count > 0 && (isAway(outage) || serviceBack !== null), detail, { title, count });
    },
  },
};
