import { expect, test } from 'vitest';
import type { statusFacts } from '../../src/cli/status.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import type { Diagnosis } from '../../src/wiring/doctor/examine.js';
import { useDatabase } from '../support/database.js';
import { until } from '../support/drill.js';
import { createInstallation } from '../support/installation.js';
import { startCli } from '../support/run-cli.js';
import { signInAt } from './on-call/console-visitor.js';

const database = useDatabase();
const TOKEN = 'a-token-for-who-looks';

/*
 * A new installation at a service with a past of its own, refunds among it, and with customers that pay. Nothing of it is
 * anybody's to fix: so nothing says that there is, wherever it is read.
 */
test('a healthy installation has no finding: Overview, Alerts, doctor, API and command', async () => {
  const env = { CONSOLE_TOKENS: `ann:operator:${TOKEN}` };
  const shop = await createInstallation({ databaseUrl: database.url, env, sandbox: { payments: 60 } });
  const desk = startCli(['console'], { cwd: shop.cwd, env: shop.env });
  try {
    await shop.start('serve', 'work', 'schedule');
    const [, url = ''] = await desk.stdoutMatch(/^console +(http:\/\/\S+)$/m);
    const { control } = shop.sandbox;
    for (const reference of ['a', 'b', 'c'])
      control.pay(control.createPayment({ amount: '12.5', currency: 'USDT.TRC20', merchantReference: reference }), {
        percent: 100,
      });
    const status = async () =>
      JSON.parse((await shop.run(['status', '--json'])).stdout) as ReturnType<typeof statusFacts>;
    await until('every kind is proven, and every event applied', async () => {
      const { polls, webhooks } = await status();
      const lacking = polls.filter(({ completeUntil }) => completeUntil === null).map(({ kind }) => kind);
      return (
        (lacking.length === 0 && webhooks.received > 0 && webhooks.waiting === 0) || `not proven: ${lacking.join()}`
      );
    });
    const { severity, problems, polls, orders } = await status();
    expect([severity, problems, polls.length, orders.held]).toEqual([null, [], runKinds.length, 0]);

    const doctor = await shop.run(['doctor', '--json']);
    const { items } = JSON.parse(doctor.stdout) as Diagnosis;
    expect(items.filter((item) => item.status === 'finding')).toEqual([]);
    expect(doctor.code).toBe(0);

    const visitor = await signInAt(url, TOKEN);
    expect(await visitor.text('/')).toContain('Nothing is to be done');
    expect(await visitor.text('/alerts')).toContain('No alert fires');
    const headers = { authorization: `Bearer ${TOKEN}` };
    const alerts = await fetch(`${url}/api/v1/alerts?status=firing`, { headers });
    expect(await alerts.json()).toMatchObject({ items: [] });
  } finally {
    await desk.end('SIGKILL');
    await shop.close();
  }
}, 180_000);
