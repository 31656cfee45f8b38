import { afterEach, beforeEach, expect, test } from 'vitest';
import { DRILL_MS, isLong, report } from '../support/drill.js';
import { differingOrders } from '../support/reckoning.js';
import { compareWithTruth, readTruth } from './fault/compare-truth.js';
import { breakNames } from './fault/drill-site.js';
import { type Arrived, createOnCallSite, type OnCallSite } from './on-call/on-call-site.js';
import { hasPromtool } from './on-call/scrapes.js';

/*
 * The night of somebody on call: the receiver is down for 20 minutes, its secret wrong for 10, the endpoint switched off
 * at the service; in short each for as long as its alert may take. One clock, set ahead in steps, moves the service, the
 * database and every process; times of runs and limits of alerts are those that people start with.
 */
const LIMIT_SECONDS = 300;
const LOOK_SECONDS = 30;
/** A run whose time came longer ago than that is left out, as after a process stood still. */
const LONGEST_STEP_SECONDS = 80;
const PAYMENTS_PER_MINUTE = isLong ? 60 : 2;
/** Seconds before, of each fault, and after. The history is read every five minutes: the desk knows of each by then. */
const QUIET = isLong ? 360 : 80;
const DOWN = isLong ? 1_200 : LIMIT_SECONDS + LOOK_SECONDS;
const WRONG = isLong ? 600 : LIMIT_SECONDS + LOOK_SECONDS;
const OFF = LIMIT_SECONDS + LOOK_SECONDS;
const AFTER = isLong ? 360 : 150;

let site: OnCallSite;
beforeEach(async () => {
  site = await createOnCallSite(3 * 3_600);
});
afterEach(() => site?.close());

/** Customers pay meanwhile. */
async function pass(seconds: number): Promise<void> {
  const payments = Math.ceil((seconds / 60) * PAYMENTS_PER_MINUTE);
  site.load.send(payments);
  await site.pass(seconds);
}

async function passUntil(seconds: number): Promise<void> {
  while (site.seconds() < seconds)
    await pass(Math.min(LONGEST_STEP_SECONDS, Math.max(seconds - site.seconds(), LOOK_SECONDS)));
}

/** Somebody who is signed in reads it on the page. */
async function reads(path: string, words: string): Promise<void> {
  const page = await site.visitor.text(path);
  expect(page.includes(words) || `${path} does not say “${words}”: ${page.slice(0, 500)}`).toBe(true);
}

const findArrived = (type: string, name: string, subject: string, from: number): Arrived | undefined =>
  site.arrived.find((one) => one.type === type && one.name === name && one.subject === subject && one.at >= from);

/** Time passes until the webhook got it, at most five minutes; answers after how many seconds. */
async function alerted(type: string, name: string, subject: string): Promise<{ after: number; alert: Arrived }> {
  const from = site.installation.sandbox.control.now();
  for (;;) {
    const alert = findArrived(type, name, subject, from);
    if (alert !== undefined) return { after: Math.round((alert.at - from) / 1_000), alert };
    const passed = (site.installation.sandbox.control.now() - from) / 1_000;
    if (passed > LIMIT_SECONDS) {
      const heard = site.arrived.map((one) => `${one.type} ${one.name} ${one.subject}`);
      throw new Error(`${type} ${name} ${subject} was not sent within five minutes; sent were: ${heard.join(', ')}`);
    }
    await pass(LOOK_SECONDS);
  }
}

test('receiver down, secret wrong, endpoint off: each is alerted within five minutes with cause and remedy, one action recovers all, and the books agree', {
  timeout: DRILL_MS,
}, async () => {
  const { installation, visitor, database, load } = site;
  const { sandbox, endpoint } = installation;
  const fires: { alert: string; seconds: number }[] = [];
  const expectFiring = (alert: string) => fires.push({ alert, seconds: site.seconds() + LIMIT_SECONDS });
  await passUntil(QUIET);
  expect(site.arrived.filter(({ type }) => type === 'alert.firing')).toEqual([]);
  await reads('/alerts', 'No alert fires');
  const nightBegan = new Date(sandbox.control.now());

  const downFrom = site.seconds();
  expectFiring('TallyhookDown');
  await installation.kill('serve');
  const down = await alerted('alert.firing', 'TallyhookDown', 'receiver');
  expect(down.alert.remedy).toContain('tallyhook serve');
  await reads('/alerts', 'Webhooks are not taken');
  await reads('/alerts', '“tallyhook serve” is the receiver');
  await passUntil(downFrom + DOWN);
  await reads('/deliveries', 'got no answer: is the receiver up');
  await installation.start('serve');
  const upAgain = await alerted('alert.resolved', 'TallyhookDown', 'receiver');

  const wrongFrom = site.seconds();
  expectFiring('TallyhookInvalidSignatures');
  await site.useSecret('whsec_of_another_endpoint');
  const wrong = await alerted('alert.firing', 'TallyhookInvalidSignatures', '');
  await reads('/alerts', 'WEBHOOK_SECRETS_FILE');
  await reads('/rejections', 'Compare the secrets with those of the endpoint');
  await passUntil(wrongFrom + WRONG);
  await reads('/deliveries', 'We rejected the last attempt: None of the accepted secrets');
  await site.useSecret(endpoint.secret);

  await passUntil(site.seconds() + 120);
  const offFrom = site.seconds();
  expectFiring('TallyhookEndpointOff');
  sandbox.control.setEndpointActive(endpoint.id, false);
  const off = await alerted('alert.firing', 'TallyhookEndpointOff', 'endpoint_inactive');
  await reads('/alerts', 'Switch the endpoint on in the service’s dashboard');
  const [broken] = await database.db('breaks').where({ kind: 'endpoint_inactive', status: 'open' }).pluck('id');
  await reads(`/breaks/${broken}`, 'No active endpoint of ours takes the event types of this one');
  await passUntil(offFrom + OFF);
  sandbox.control.setEndpointActive(endpoint.id, true);

  // What the service would still try again, too: nobody waits an hour for it.
  const rehearsed = await installation.run(['deliveries', 'recover', '--since', '3h', '--dry-run', '--json']);
  expect((JSON.parse(rehearsed.stdout) as { recovered: number }).recovered).toBeGreaterThan(0);
  const from = nightBegan.toISOString().slice(0, 16).replace('T', ' ');
  const preview = await visitor.act('/deliveries/recover', '/deliveries', {
    from,
    to: '',
    reason: 'the night is over',
  });
  expect(preview).toMatch(/[1-9]\d* deliver(y|ies) would be recovered/);
  const open = ['TallyhookInvalidSignatures', 'TallyhookEndpointOff'];
  for (let steps = 0; open.some((name) => isOpen(name)) && steps < 20; steps += 1) await pass(LOOK_SECONDS);
  await passUntil(site.seconds() + AFTER);

  const { code, stderr, stdout } = await installation.run(['reconcile', 'all', '--json']);
  expect([0, 3], stderr).toContain(code);
  const runs = JSON.parse(stdout) as { items: { kind: string; complete: boolean; breaksOpened: number }[] };
  expect(code === 3).toBe(runs.items.some(({ breaksOpened }) => breaksOpened > 0));
  expect(runs.items.filter(({ complete }) => !complete)).toEqual([]);
  const kinds = await compareWithTruth(database.db, await readTruth(sandbox));
  expect(kinds.flatMap(({ kind, differences }) => differences.map((one) => `${kind} ${one}`))).toEqual([]);
  expect(await differingOrders(database.db, load)).toEqual([]);
  expect(await breakNames(database.db)).toEqual(new Set());
  expect(await missed()).toEqual([]);
  expect(sandbox.control.ledgerProblems()).toEqual([]);
  expect(await firing()).toEqual([]);
  await reads('/alerts', 'Over in the last 7 days');
  expect(installation.died()).toEqual([]);
  if (hasPromtool()) expect(await site.scrapes.silent(fires, site.folder)).toBe('');

  report('on-call-drill', {
    'receiver down alerted after (s)': down.after,
    'resolved after (s)': upAgain.after,
    'wrong secret alerted after (s)': wrong.after,
    'endpoint off alerted after (s)': off.after,
    'notices of alerts': site.arrived.filter(({ type }) => type !== 'alert.digest').length,
    payments: load.payments.size,
    'sandbox minutes': Math.round(site.seconds() / 60),
    differences: 0,
  });
});

/** Sent as firing, and not as over since. */
function isOpen(name: string): boolean {
  const of = site.arrived.filter((one) => one.name === name);
  return of.at(-1)?.type !== 'alert.resolved';
}

/** What a person is called for; a warning that retries came too late to be taken, whose events are here by then, may stand. */
async function firing(): Promise<string[]> {
  const rows = await site.database.db('alerts').whereNotNull('fired_at').whereNull('resolved_at');
  return rows.filter(({ severity }) => severity === 'critical').map(({ name }) => name);
}

async function missed(): Promise<unknown[]> {
  const { stdout, stderr } = await site.installation.run(['deliveries', 'missed', '--since', '6h', '--json']);
  const { items } = JSON.parse(stdout) as { items?: unknown[] };
  if (items === undefined) throw new Error(stderr);
  return items;
}
