import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { alertChannels } from '../../src/notify/alert-channels.js';
import { type AlertDeps, beat, checkAlerts, sendNotices } from '../../src/notify/alert-loop.js';
import { recordHeartbeats } from '../../src/notify/record-heartbeats.js';
import { failingChannels } from '../../src/records/alerts/alert-channels.js';
import { listAlerts } from '../../src/records/alerts/settle-alerts.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { restoreSecret, retiredLabels, retireSecret } from '../../src/records/deliveries/secrets.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { processHeartbeats, recordHeartbeat, secretsFrom } from '../../src/records/process-heartbeats.js';
import { staticSecrets, withoutRetired } from '../../src/webhook/secret-source.js';
import { useDatabase } from '../support/database.js';
import { startReceiver } from '../support/receiver.js';
import { secrets } from '../support/signed.js';
import { alertDeps } from './alert-deps.js';
import { SECRET, type Store, startStore, verified } from './store.js';

const database = useDatabase();
let slack: Store;
let hook: Store;
let deps: AlertDeps;
let now: number;
beforeEach(async () => {
  [slack, hook] = await Promise.all([startStore(), startStore()]);
  // Before the hour of the digest.
  now = Date.parse('2026-03-01T03:00:00Z');
  const base = alertDeps(database.db, () => new Date(now));
  deps = {
    ...base,
    channels: alertChannels(
      { slackUrl: slack.url, webhook: { url: hook.url, secret: SECRET } },
      { ...base, now: () => new Date() },
    ),
    heartbeatUrl: `${hook.url}/heartbeat`,
  };
});
afterEach(async () => {
  await Promise.all([slack.close(), hook.close()]);
  await database.db.raw('TRUNCATE alerts, alert_notices, alert_channels, rejections, signs_of_life, secrets');
  // Their steps are kept for ever.
  await database.db('breaks').update({ status: 'auto_resolved', resolved_at: database.db.fn.now() });
});

const later = (seconds: number) => {
  now += seconds * 1_000;
};
const breakOpens = () =>
  database.db.transaction((trx) =>
    openBreaks(trx, [
      { kind: 'endpoint_inactive', entity: { kind: 'endpoint', id: 'we_1' }, evidence: { email: 'ann@example.com' } },
    ]),
  );
const checkAndSend = async () => {
  const settled = await checkAlerts(deps);
  await sendNotices(deps);
  return settled;
};
const chat = () => slack.arrivals.map(({ body }) => (JSON.parse(body) as { text: string }).text.split('\n')[0]);

test('sent once to every channel, resolved once, and nothing of a person in it', async () => {
  await breakOpens();
  await checkAndSend();
  later(30);
  await Promise.all([checkAlerts(deps), checkAlerts(deps)]);
  await checkAndSend();
  expect(chat()).toEqual(['[critical] The service does not send what we need (endpoint_inactive)']);
  expect(slack.arrivals[0]!.body + hook.arrivals[0]!.body).not.toMatch(/ann@|we_1/);
  expect(verified(hook.arrivals[0]!)).toMatchObject({
    type: 'alert.firing',
    id: hook.arrivals[0]!.id,
    data: { name: 'TallyhookEndpointOff', severity: 'critical', runbook: expect.stringContaining('runbook.md#') },
  });

  await database.db('breaks').update({ status: 'resolved', resolved_at: database.db.fn.now() });
  await checkAndSend();
  expect(slack.arrivals).toHaveLength(1);
  later(121);
  await checkAndSend();
  await checkAndSend();
  expect(chat()[1]).toBe('Resolved: The service did not send what we need (endpoint_inactive)');
  expect(slack.arrivals).toHaveLength(2);
  const { items } = await listAlerts(database.db, { status: 'resolved' });
  expect(items.map(({ summary }) => summary)).toEqual(['The service did not send what we need']);
});

test('a receiver of which nothing is heard is alerted within three minutes, with what to do; one at work is not', async () => {
  const { db } = database;
  await recordHeartbeat(db, ['receiver', 'worker']);
  await checkAndSend();
  expect(slack.arrivals).toEqual([]);
  await db('signs_of_life')
    .where({ part: 'receiver' })
    .update({ seen_at: db.raw("now() - interval '125 seconds'") });
  await checkAndSend();
  later(30);
  await checkAndSend();
  expect(chat()).toEqual(['[critical] A part of Tallyhook is not at work (receiver)']);
  expect(slack.arrivals[0]!.body).toContain('What to do: Start it');
  expect((await processHeartbeats(db)).map(({ part }) => part)).toEqual(['alerts', 'queue', 'receiver', 'worker']);
});

test('an alert fires once every secret is retired, and is over once one is accepted again', async () => {
  const { db } = database;
  const polled = { retired: () => retiredLabels(db), log: deps.log, pollMs: 20 };
  const accepted = await withoutRetired(staticSecrets(secrets), polled);
  const receiver = await startReceiver(db, { secrets: accepted });
  /** What a receiver says four times a minute. */
  const sign = async () => {
    const stop = new AbortController();
    const signs = recordHeartbeats(
      deps,
      { parts: ['receiver'], roles: [], settings: {}, secrets: accepted },
      stop.signal,
    );
    stop.abort();
    await signs;
    await checkAndSend();
  };
  const metric = async () => (await receiver.metrics.secretsAccepted.get()).values.map(({ value }) => value);
  const retire = (label: string) =>
    retireSecret(db, { label, fingerprint: 'f', by: 'ops', note: null, now: new Date(now) });

  await retire('live');
  await vi.waitFor(() => expect(accepted.current()).toHaveLength(1));
  await sign();
  expect([chat(), await metric()]).toEqual([[], [1]]);
  await retire('new');
  await vi.waitFor(() => expect(accepted.current()).toHaveLength(0));
  await sign();
  expect([chat(), await metric()]).toEqual([['[critical] Every webhook is rejected: no secret is accepted'], [0]]);
  expect(slack.arrivals[0]!.body).toContain('tallyhook secrets restore LABEL');
  expect(slack.arrivals[0]!.body).toContain('into WEBHOOK_SECRETS, and restart the receivers;');
  expect((await processHeartbeats(db)).map(({ part }) => part)).toEqual(['alerts', 'queue', 'receiver']);

  await restoreSecret(db, { label: 'new', by: 'ops', note: null });
  await vi.waitFor(() => expect(accepted.current()).toHaveLength(1));
  await db('signs_of_life').update({ seen_at: db.raw("seen_at - interval '50 seconds'") });
  await sign();
  later(121);
  await sign();
  expect(chat()[1]).toBe('Resolved: Every webhook was rejected: no secret was accepted');
  expect(await metric()).toEqual([1]);
  expect(await secretsFrom(db)).toBe('WEBHOOK_SECRETS');
  const stop = new AbortController();
  const fromFile = { parts: ['receiver'] as const, roles: [], settings: {}, secrets: accepted, fromFile: true };
  const signs = recordHeartbeats(deps, fromFile, stop.signal);
  stop.abort();
  await signs;
  expect(await secretsFrom(db)).toBe('WEBHOOK_SECRETS_FILE');
  await receiver.close();
  accepted.close();
});

test('the alert of a secret that may have leaked says to rotate it', async () => {
  const leak = { kind: 'event_not_sent', entity: { kind: 'event', id: '7' }, evidence: {} } as const;
  await database.db.transaction((trx) => openBreaks(trx, [leak]));
  await checkAndSend();
  expect(slack.arrivals[0]!.body).toMatch(
    /What to do: [^"]*rotate it at once, with tallyhook secrets retire LABEL --leaked/,
  );
  expect((await listAlerts(database.db, { now: new Date(now) })).items[0]?.remedy).toContain('rotate it at once');
});

const refused = (reason: string, times: number) =>
  saveRejections(
    database.db,
    Array.from({ length: times }, () => ({
      reason,
      detail: 'not as it should be',
      diagnosis: null,
      bodySize: 2,
      bodyHash: '00',
      firstBytes: Buffer.from('{}'),
      rejectedAt: new Date(now - 60_000),
      likeService: true,
    })),
    [],
  );
const namesFired = async () => (await checkAlerts(deps)).fired.map(({ name }) => name);

test('a clock is alerted as wrong where nothing is taken, whatever is recovered meanwhile; late retries beside new events are no such thing', async () => {
  now = Date.now();
  const taken = (source: string, n: number) =>
    database.db('inbox').insert({
      key: `fp:${source}${n}`,
      key_type: 'fingerprint',
      content_hash: `${source}${n}`,
      event_type: 'payment_intent.completed',
      event_timestamp: 1,
      source,
      status: 'applied',
    });
  const firesAfterAWhile = async () => {
    const first = await namesFired();
    later(301);
    return [...first, ...(await namesFired())].includes('TallyhookExpiredTimestamps');
  };
  await refused('expired_timestamp', 9);
  await taken('webhook', 1);
  expect(await firesAfterAWhile()).toBe(false);
  await database.db('inbox').del();
  await taken('delivery_history', 2);
  expect(await firesAfterAWhile()).toBe(true);
  await database.db('inbox').del();
});

test('a channel that fails is shown, is tried again, and loses nothing; the others get theirs meanwhile', async () => {
  slack.answer = (_, res) => void res.writeHead(302, { location: hook.url }).end();
  await breakOpens();
  await checkAndSend();
  expect(hook.arrivals).toHaveLength(1);
  expect(await failingChannels(database.db)).toMatchObject([
    { channel: 'slack', error: 'answered 302: redirects are not followed' },
  ]);
  await database
    .db('alert_channels')
    .where({ channel: 'slack' })
    .update({ failing_since: new Date(Date.now() - 400_000) });
  await checkAndSend();
  expect(hook.arrivals.map((arrival) => (verified(arrival).data as unknown as { name: string }).name)).toContain(
    'TallyhookAlertChannelFails',
  );
  slack.answer = (_, res) => void res.writeHead(200).end('ok');
  await vi.waitFor(async () => {
    await sendNotices(deps);
    expect(await failingChannels(database.db)).toEqual([]);
  }, 10_000);
  expect(chat().at(-2)).toContain('[critical] The service does not send');
  expect(chat().at(-1)).toContain('An alert channel fails (slack)');
});

test('the heart beats while nothing critical fires, and only then', async () => {
  const beats = () => hook.arrivals.filter(({ path }) => path.endsWith('/heartbeat')).length;
  expect(await beat(deps, (await checkAlerts(deps)).firing)).toBe(true);
  expect(beats()).toBe(1);
  await breakOpens();
  expect(await beat(deps, (await checkAlerts(deps)).firing)).toBe(false);
  expect(beats()).toBe(1);
});

test('one digest a day, on a quiet day too', async () => {
  later(5 * 3_600);
  await checkAndSend();
  later(60);
  await checkAndSend();
  expect(chat()).toEqual(['Tallyhook today: no alert fires']);
  await breakOpens();
  later(24 * 3_600);
  await checkAndSend();
  expect(chat().findLast((said) => said?.startsWith('Tallyhook'))).toBe('Tallyhook today: 1 alert fires');
});

test('mail goes out by SMTP; a server that refuses is shown without its words', async () => {
  const mails: string[] = [];
  let refuse = false;
  const server = createMailServer(mails, () => refuse);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const smtpUrl = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [mail] = alertChannels(
    { mail: { smtpUrl, to: 'ops@example.com,cto@example.com' } },
    { ...deps, timeoutMs: 5_000 },
  );
  const message = { type: 'alert.test', summary: 'A test', detail: 'Nothing is wrong' } as const;
  expect(await mail!.send({ id: 'msg_1', at: new Date(), message })).toMatchObject({ ok: true });
  expect(mails[0]).toContain('Subject: A test');
  refuse = true;
  const answer = await mail!.send({ id: 'msg_2', at: new Date(), message });
  expect(answer).toMatchObject({ ok: false, error: expect.stringContaining('550') });
  expect(JSON.stringify(answer)).not.toContain('ops@');
  server.close();
});

/** As much of RFC 5321 as one mail takes. */
function createMailServer(mails: string[], refuse: () => boolean): Server {
  return createServer((socket) => {
    let data: string | null = null;
    socket.on('error', () => {});
    socket.write('220 here\r\n');
    socket.on('data', (chunk) => {
      const said = chunk.toString();
      if (data !== null) {
        data += said;
        if (!data.endsWith('\r\n.\r\n')) return;
        mails.push(data);
        data = null;
        socket.write('250 taken\r\n');
        return;
      }
      for (const line of said.split('\r\n').filter((text) => text !== '')) {
        if (line.startsWith('RCPT') && refuse()) socket.write('550 no such ops@example.com\r\n');
        else if (line === 'DATA') {
          data = '';
          socket.write('354 go on\r\n');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 fine\r\n');
      }
    });
  });
}
