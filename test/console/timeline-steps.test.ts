import { expect, it } from 'vitest';
import { timelineSteps } from '../../src/console/view/timeline-steps.js';
import type { TimelineEntry } from '../../src/records/orders/order-details.js';

const actor = { name: 'ann', role: 'operator' } as const;

const change = (field: string, to: TimelineEntry['to'], from: TimelineEntry['from'] = null): TimelineEntry => ({
  seq: '1',
  entity: { kind: 'payment_intent', id: 'pi_1' },
  field,
  from,
  to,
  source: { type: 'poll', ref: '512' },
  serviceTime: null,
  changedAt: '2026-03-01T00:00:00.000Z',
  because: null,
});

it('a record that webhooks reported before is shown first by what says the most, not by all of its fields', () => {
  const fields = ['id', 'source', 'returnUrl', 'amountRejected'].map((name) => change(name, `a ${name}`));
  const steps = timelineSteps([...fields, change('status', 'completed'), change('verified', true, false)], actor);
  expect(steps).toMatchObject([{ changes: [{ field: 'status' }, { field: 'verified' }] }]);
  expect(JSON.stringify(steps[0]?.title)).toContain('first shown');
  const later = timelineSteps(
    [change('returnUrl', 'https://shop.example'), change('status', 'completed', 'pending')],
    actor,
  );
  expect(later).toMatchObject([{ changes: [{ field: 'returnUrl' }, { field: 'status' }] }]);
});
