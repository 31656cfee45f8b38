import { afterEach, beforeEach, expect, test } from 'vitest';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { breakNames, createDrillSite, type DrillSite } from './fault/drill-site.js';

const HOUR = 3_600;
const AGE_DAYS = 200;
/** Longer than that without a run, and everything is read whole again. */
const TICK_HOURS = 1.9;
/** Older than 90 days: all is read again each week. */
const BAND_DAYS = 7;
const MONTH_DAYS = 30;
const NEWER = 250;
/** The short drill begins so late in the week. */
const LET_GO_DAYS = isLong ? 0 : 6.7;

let site: DrillSite;
let paid: string;

beforeEach(async () => {
  site = await createDrillSite({
    seconds: (AGE_DAYS + 1 + MONTH_DAYS) * 24 * HOUR + BAND_DAYS * 24 * HOUR,
    sandbox: { payments: 150 },
  });
  const { control } = site.sandbox;
  await site.reconcile('payment-intents');
  paid = control.createPayment({ amount: '80', currency: 'USDT.TRC20', merchantReference: 'of-long-ago' });
  control.pay(paid);
  control.setFaults({ drop: 1 });
  await site.advance(60);
  await site.reconcile('payment-intents');
  // So that no page of what is young shows it: as many of its own age, and as many new ones.
  createNewer();
  await site.advance(AGE_DAYS * 24 * HOUR);
  createNewer();
  // After so long a pause everything is read whole: what is found from here on is not found by that.
  await site.reconcile('payment-intents');
});

afterEach(() => site?.close());

function createNewer(): void {
  const { control } = site.sandbox;
  for (let n = 0; n < NEWER; n += 1) control.cancel(control.createPayment({ amount: '5', currency: 'USDT.TRC20' }));
}

async function shown(): Promise<unknown> {
  const { db } = site.database;
  const row = await db('payment_intents').where({ id: paid }).first('irregular_status', 'verified');
  return row;
}

async function isFound(): Promise<boolean> {
  return ((await shown()) as { irregular_status: string }).irregular_status === 'pending_decision';
}

/** As if the sweep had been made so much earlier. */
async function letGo(sweep: string, hours: number): Promise<void> {
  await site.database.db.raw(
    `UPDATE watermarks SET value = jsonb_set(value::jsonb, '{at}', to_jsonb((value::jsonb ->> 'at')::float8 - ?::float8))
     WHERE kind = 'payment-intents' AND name = ?`,
    [hours * HOUR * 1000, sweep],
  );
}

async function sweptAt(): Promise<unknown> {
  return site.database.db('watermarks').where({ kind: 'payment-intents', name: 'sweep:all' }).first('value');
}

test(`a payment disputed ${AGE_DAYS} days after it was completed, without any webhook, is found by the next whole reading of a filter that holds it`, {
  timeout: DRILL_MS,
}, async () => {
  site.sandbox.control.setFaults({ drop: 1, irregularHoldsDisputes: true });
  const swept = await sweptAt();
  site.sandbox.control.dispute(paid);
  await site.advance(61 * 60);
  const [run] = await site.reconcile('payment-intents');

  report('dispute-drill', { calls: String(run?.calls), 'found after minutes': 61 });
  expect(await shown()).toEqual({ irregular_status: 'pending_decision', verified: true });
  expect(await sweptAt()).toEqual(swept);
  expect(await breakNames(site.database.db)).toEqual(new Set());
});

test.each([
  ['by the letter of the specification', {}],
  ['of any dispute', { irregularHoldsDisputes: true, hideFromIrregular: true }],
])(
  'one that the filter does not hold, %s, is found when its age has its turn, and one finding says so',
  {
    timeout: DRILL_MS,
  },
  async (_name, faults) => {
    const { db } = site.database;
    site.sandbox.control.setFaults({ drop: 1, ...faults });
    site.sandbox.control.dispute(paid);
    await letGo('sweep:all', LET_GO_DAYS * 24);
    let hours = LET_GO_DAYS * 24;
    let found = false;
    while (!found && hours < BAND_DAYS * 24) {
      await site.advance(TICK_HOURS * HOUR);
      hours += TICK_HOURS;
      await site.reconcile('payment-intents');
      found = await isFound();
    }
    for (const minutes of [61, 5]) {
      await site.advance(minutes * 60);
      await site.reconcile('payment-intents');
    }

    report('dispute-drill, hidden by the filter', {
      'found after days': (hours / 24).toFixed(1),
      'bound in days': BAND_DAYS,
    });
    expect(hours).toBeGreaterThan(LET_GO_DAYS * 24 + TICK_HOURS);
    expect(await shown()).toEqual({ irregular_status: 'pending_decision', verified: true });
    expect(await breakNames(db)).toEqual(new Set(['dispute_outside_irregular payment_intent status=irregular']));
  },
);

test.each([
  { age: 3, sweep: 'sweep:7d', tickHours: 61 / 60, boundHours: 1, letGoHours: 0 },
  { age: MONTH_DAYS, sweep: 'sweep:90d', tickHours: TICK_HOURS, boundHours: 24, letGoHours: isLong ? 0 : 21 },
])(
  'one that is exactly paid and $age days old is found within $boundHours h, and the next run',
  {
    timeout: DRILL_MS,
  },
  async ({ age, sweep, tickHours, boundHours, letGoHours }) => {
    const { control } = site.sandbox;
    paid = control.createPayment({ amount: '80', currency: 'USDT.TRC20' });
    control.pay(paid);
    await site.advance(60);
    createNewer();
    await site.advance(age * 24 * HOUR);
    createNewer();
    await site.reconcile('payment-intents');
    control.dispute(paid);
    await letGo(sweep, letGoHours);
    let hours = letGoHours;
    while (!(await isFound()) && hours < boundHours) {
      await site.advance(tickHours * HOUR);
      hours += tickHours;
      await site.reconcile('payment-intents');
    }
    report(`dispute-drill, ${age} days old`, { 'found after hours': hours.toFixed(1), 'bound in hours': boundHours });
    expect(hours).toBeGreaterThan(letGoHours);
    expect(await shown()).toEqual({ irregular_status: 'pending_decision', verified: true });
  },
);
