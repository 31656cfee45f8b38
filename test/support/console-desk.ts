import type { Knex } from 'knex';
import type { DeliveryClass } from '../../src/domain/deliveries/delivery-class.js';
import { insertDecision } from '../../src/records/actions/decisions.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { keepChannels, releaseChannel } from '../../src/records/alerts/alert-channels.js';
import { settleAlerts } from '../../src/records/alerts/settle-alerts.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import type { ClassifiedDelivery } from '../../src/records/deliveries/classify-deliveries.js';
import { saveDeliveries } from '../../src/records/deliveries/save-deliveries.js';
import { saveSecretMatches } from '../../src/records/deliveries/secrets.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { finishRun, startRun } from '../../src/records/runs/runs.js';
import { writeWatermarks } from '../../src/records/runs/watermarks.js';

/** Samples of the pages that people act on. */
export const deskPaths: Readonly<Record<string, string>> = {
  '/deliveries': '/deliveries',
  '/deliveries/:id': '/deliveries/wd_rejected',
  '/rejections': '/rejections?reason=invalid_signature',
  '/secrets': '/secrets',
  '/scorecard': '/scorecard?month=2026-10',
  '/breaks': '/breaks?status=any',
  '/breaks/:id': '/breaks/1',
  '/runs': '/runs',
  '/runs/:id': '/runs/1',
  '/alerts': '/alerts',
  '/alerts/:id': '/alerts/1',
  '/periods': '/periods',
  '/periods/:month': '/periods/2026-03',
  '/decisions': '/decisions',
  '/decisions/:id': '/decisions/1',
  '/doctor': '/doctor',
  '/queues': '/queues',
  '/audit': '/audit',
};

const MINUTE = 60_000;
const HOSTILE = `<img src=x onerror="document.title='owned'">'"</script><b>&amp;`;

/** A run comes first, and a break: their ids stand in addresses. Needs events 1 and 2. */
export async function seedDesk(db: Knex, now = Date.now()): Promise<void> {
  await seedRun(db, now);
  await seedScorecard(db);
  await db.transaction(async (trx) => {
    // A month without a closing has no action.
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx('periods').insert({ month: '2026-03' });
  });
  await seedDecision(db);
  await db.transaction((trx) =>
    openBreaks(trx, [
      {
        kind: 'rejected_delivery',
        entity: { kind: 'delivery', id: 'wd_rejected' },
        evidence: {
          class: 'rejected',
          ours: { held: false, eventId: null, refusal: 'invalid_signature', source: { type: 'inbox', ref: null } },
          theirs: { status: 'failed', httpStatus: '401', eventType: HOSTILE, source: { type: 'poll', ref: '1' } },
        },
      },
    ]),
  );
  await db.transaction((trx) =>
    openBreaks(trx, [{ kind: 'payout_stuck', entity: { kind: 'payout', id: HOSTILE }, evidence: {} }]),
  );
  const deliveries = [
    delivery('wd_rejected', 'rejected', { reason: 'invalid_signature', httpStatus: 401, at: now - 60 * MINUTE }),
    delivery('wd_never', 'never_reached', {
      reason: 'answered 502, not by us',
      httpStatus: 502,
      at: now - 50 * MINUTE,
    }),
    delivery('wd_phantom', 'phantom', { httpStatus: 200, at: now - 40 * MINUTE }),
    delivery('wd_pending', 'pending_retry', { httpStatus: 503, at: now - 3 * MINUTE, next: now + 5 * MINUTE }),
    delivery('wd_received', 'received', { httpStatus: 200, at: now - 30 * MINUTE, inboxId: '2' }),
    delivery('wd_lost', 'unrecoverable', { httpStatus: 502, at: now - 31 * 24 * 60 * MINUTE }),
  ];
  await db.transaction((trx) => saveDeliveries(trx, deliveries, { from: now, ref: '1' }));
  const hour = new Date(Math.floor(now / 3_600_000) * 3_600_000);
  const refusal = { reason: 'invalid_signature', detail: 'no secret matches', diagnosis: HOSTILE, bodySize: 12 };
  await saveRejections(
    db,
    [
      {
        ...refusal,
        bodyHash: 'h',
        firstBytes: Buffer.from('{"to":"ann@example.com"}'),
        rejectedAt: new Date(now),
        likeService: true,
      },
    ],
    [{ minute: hour, reason: 'invalid_signature', count: 31, likeService: 31 }],
  );
  const match = {
    label: 'old',
    fingerprint: 'c0ffee12',
    hour,
    count: 7,
    firstAt: new Date(now),
    lastAt: new Date(now),
  };
  await saveSecretMatches(db, [match]);
  await seedAlerts(db, now);
  await recordAction(db, {
    actor: 'omar',
    action: 'recover',
    target: 'delivery wd_1',
    reason: HOSTILE,
    outcome: 'asked',
  });
}

/** One that fires and is sent to one of two channels, one that is over. */
async function seedAlerts(db: Knex, now: number): Promise<void> {
  const channels = ['slack', 'webhook'];
  await keepChannels(db, channels);
  const found = (name: string, subject: string) =>
    ({ name, subject, severity: 'critical', summary: 'A part of Tallyhook is not at work', detail: HOSTILE }) as const;
  const check = (alerts: ReturnType<typeof found>[], ago: number) =>
    db.transaction((trx) => settleAlerts(trx, alerts, { now: new Date(now - ago * MINUTE), channels }));
  await check([found('TallyhookDown', 'worker')], 30);
  await check([found('TallyhookDown', 'worker')], 29);
  await check([found('TallyhookDown', HOSTILE)], 20);
  await check([found('TallyhookDown', HOSTILE)], 0);
  await db('alert_notices').where({ channel: 'webhook' }).update({ status: 'sent', sent_at: db.fn.now() });
  const claim = '00000000-0000-4000-8000-000000000000';
  await db('alert_channels').update({ claim });
  await releaseChannel(db, { channel: 'webhook', claim }, null);
  await releaseChannel(db, { channel: 'slack', claim }, { error: HOSTILE, retryInMs: 90_000 });
  await recordHeartbeat(db, ['alerts', 'receiver']);
}

async function seedRun(db: Knex, now: number): Promise<void> {
  const { id } = await startRun(db, 'deliveries', false, new Date(now - MINUTE));
  const proof = { downTo: null, toEnd: true, calls: 1, seen: 6, classes: { received: 1, rejected: 1 }, recovered: 0 };
  const end = {
    calls: 1,
    seen: 6,
    changed: 6,
    breaksOpened: 1,
    status: 'succeeded',
    complete: true,
    error: null,
  } as const;
  await finishRun(db, id, { ...end, proof, now: new Date(now) });
  await db.transaction((trx) => writeWatermarks(trx, 'deliveries', id, new Map([['mark', { at: now }]])));
}

interface About {
  at: number;
  reason?: string;
  httpStatus?: number;
  next?: number;
  inboxId?: string;
}

function delivery(id: string, kind: DeliveryClass, about: About): ClassifiedDelivery {
  const { at, reason = null, httpStatus = null, next = null, inboxId = null } = about;
  const missed = ['rejected', 'never_reached', 'phantom'].includes(kind);
  const open = missed || kind === 'pending_retry';
  return {
    delivery: {
      id,
      endpointId: 'we_1',
      endpointUrl: 'https://shop.example/webhooks',
      eventType: 'payment_intent.completed',
      status: kind === 'pending_retry' ? 'pending' : httpStatus === 200 ? 'delivered' : 'failed',
      httpStatus,
      attempts: 3,
      lastAttemptAt: at + MINUTE,
      nextRetryAt: next,
      createdAt: at,
      event: null,
      payload: open ? '{"event":"payment_intent.completed"}' : null,
      payloadHash: null,
      details: '{"responseBody":"ok","attemptsList":[{"attempt":1,"httpStatus":null}]}',
      answeredId: null,
      answeredError: null,
      paymentIntentId: 'pi_1',
      mentions: [],
      firstSeenAt: null,
      shownIn: null,
    },
    verdict: { class: kind, missed, open, recover: false, breakKind: null },
    ours: true,
    inboxId,
    alike: [],
    once: [],
    payload: open ? '{"event":"payment_intent.completed"}' : null,
    reason,
    classifyAt: null,
  };
}

/** A day of October, with something of each sort, under a type that a stranger named. */
async function seedScorecard(db: Knex): Promise<void> {
  const classes = {
    received: 1180,
    doubled: 4,
    out_of_order: 2,
    late: 7,
    rejected: 1,
    missed: 3,
    never_generated: 2,
    not_sent: 1,
  };
  const tally = {
    'payment_intent.completed': { classes, delays: { 65: 1000, 80: 180, 160: 13 } },
    [HOSTILE]: { classes: { received: 1 }, delays: { 50: 1 } },
  };
  const calls = {
    listPaymentIntents: { answered: 9120, failed: 3, no_answer: 1 },
    getBalance: { answered: 310, refused: 2, limited: 5 },
  };
  const counts = { tally, calls, rejected: { invalid_signature: 12 }, withHistory: true };
  await db('scorecard_days').insert({
    day: '2026-10-05',
    time_zone: 'UTC',
    counted_at: new Date('2026-10-10T00:00:00Z'),
    counts: JSON.stringify(counts),
  });
}

/** Somebody asked for a write-off; another person is to approve it. */
export async function seedDecision(db: Knex, id = 2): Promise<void> {
  const about = { action: 'write off break', subject: `break ${id}` } as const;
  const preview = [`1 break would be written off: 12.5 USDT.TRON, worth 12.50 USD.`, HOSTILE];
  await db.transaction(async (trx) => {
    const asked = { ...about, input: `{"ids":["${id}"]}`, seen: 'x', preview: preview.join('\n'), reason: HOSTILE };
    const { row, sha256 } = await insertDecision(trx, { ...asked, asked_by: 'fina' });
    const { action: of, subject } = about;
    const action = { actor: 'fina', action: 'ask approval', target: `decision ${row.id}`, reason: HOSTILE };
    await recordAction(trx, { ...action, details: { of, subject, sha256 }, outcome: 'asked' });
  });
}
