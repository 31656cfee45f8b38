import type { Sandbox } from '../../src/sandbox/start-sandbox.js';

/** What the order of a payment must say in the end, by what its customer did. */
const COURSES = { exact: 'paid', under: 'disputed', cancelled: 'cancelled' } as const;
type Course = keyof typeof COURSES;

export interface Load {
  /** Payments, from creation to their end, all at once; returns how many events that made. */
  send(payments: number): number;
  /** Events made so far. */
  events(): number;
  /** Intent ids, and by reference what the order has to be. */
  payments: Map<string, { reference: string; order: string }>;
}

const EVENTS = { exact: 4, under: 5, cancelled: 2 } satisfies Record<Course, number>;
/** 39 events for 10 payments. */
const PATTERN: readonly Course[] = [
  ...Array.from({ length: 4 }, () => 'exact' as const),
  'under',
  ...Array.from({ length: 4 }, () => 'exact' as const),
  'cancelled',
];

export const paymentsFor = (events: number): number => Math.ceil((events * 10) / 39);

export function createLoad({ control }: Sandbox): Load {
  const payments: Load['payments'] = new Map();
  let events = 0;
  const pay = (course: Course) => {
    const reference = `drill-${payments.size + 1}`;
    const id = control.createPayment({ amount: '12.5', currency: 'USDT.TRC20', merchantReference: reference });
    payments.set(id, { reference, order: COURSES[course] });
    if (course === 'cancelled') control.cancel(id);
    else control.pay(id, { percent: course === 'under' ? 50 : 100 });
    events += EVENTS[course];
  };
  return {
    payments,
    events: () => events,
    send(count) {
      const before = events;
      for (let i = 0; i < count; i += 1) pay(PATTERN[payments.size % PATTERN.length] ?? 'exact');
      return events - before;
    },
  };
}
