import { afterEach, expect, test } from 'vitest';
import { DRILL_MS, report, until } from '../support/drill.js';
import { watchOrders } from '../support/site/order-watch.js';
import { type Site, startSite } from '../support/site/site.js';

const ASSET = 'USDT.TRC20';
/** The service's clock is this far behind. */
const BEHIND_SECONDS = 600;
/** Seconds. More than a slow machine takes for an answer. */
const WITHIN = 5;
const SKEWED = { clockSkewSeconds: -BEHIND_SECONDS };

interface Answer {
  release: { safe: boolean; reason: string; provenAt: string | null };
  code?: string;
}

let site: Site;
afterEach(() => site?.close());

test('just before goods go out their payments are read again, and what was rejected meanwhile stays', {
  timeout: DRILL_MS,
}, async () => {
  site = await startSite({
    env: { WEBHOOK_TOLERANCE_SECONDS: String(2 * BEHIND_SECONDS) },
    before: ({ control }) => control.setFaults(SKEWED),
  });
  const { sandbox, lens, api } = site;
  const payment = sandbox.control.createPayment({ amount: '100', currency: ASSET, merchantReference: 'ship-1' });
  sandbox.control.pay(payment);
  await watchOrders(site).becomesSafe('ship-1');
  const proof = async () => {
    const changes = await api.get<{ items: { entity: { kind: string } }[] }>('changes?after=0&take=500');
    return changes?.items.filter(({ entity }) => entity.kind === 'order').length;
  };
  const before = await proof();
  const first = await api.order('ship-1');
  await grownOld();

  const began = performance.now();
  const young = await ask(WITHIN);
  const seconds = (performance.now() - began) / 1_000;
  expect([young.status, young.body.release]).toMatchObject([200, { safe: true, reason: 'proven' }]);
  expect(Date.parse(young.body.release.provenAt ?? '')).toBeGreaterThan(Date.parse(first?.release.provenAt ?? ''));
  expect(await proof()).toBe(before);
  report('proof', { seconds: seconds.toFixed(1) });

  sandbox.control.setFaults({ ...SKEWED, serverError: 1 });
  await grownOld();
  const down = await ask(WITHIN);
  expect([down.status, down.body.code, down.body.release]).toEqual([503, 'not_proven_in_time', undefined]);
  expect((await ask(86_400)).body.release).toMatchObject({ safe: true });
  sandbox.control.setFaults(SKEWED);
  await until('it is proven again', async () => (await ask(WITHIN)).status === 200);

  lens.look((record, path) =>
    path.startsWith('/v1/payments/payins/') ? { ...record, kytStatus: 'rejected' } : record,
  );
  await grownOld();
  const rejected = await ask(WITHIN);
  expect([rejected.status, rejected.body.release]).toEqual([
    200,
    { safe: false, reason: 'kyt_rejected', provenAt: null },
  ]);
});

/** By the service's clock, by more than the bounds of that may widen. */
async function grownOld(): Promise<void> {
  await until('the proof is ten seconds old', async () => {
    const plain = await site.api.order('ship-1');
    return Date.now() - BEHIND_SECONDS * 1_000 - Date.parse(plain?.release.provenAt ?? '') > 10_000;
  });
}

async function ask(within: number): Promise<{ status: number; body: Answer }> {
  const { url, headers } = site.api.address;
  const response = await fetch(`${url}/api/v1/orders/ship-1?provenWithin=${within}`, { headers });
  return { status: response.status, body: (await response.json()) as Answer };
}
