import { NO_SECRET, recordHeartbeat } from '../../src/records/process-heartbeats.js';
import { noteAnswers } from '../../src/records/service-notes.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import {
  deliver,
  type Fault,
  holdByRefund,
  makeEndpointAgain,
  open,
  payNewType,
  readAll,
  reject,
  silence,
  storeEvent,
} from './fault-steps.js';

export const faults: readonly Fault[] = [
  {
    what: 'the secret is wrong: 100 requests are rejected, of which 12 are kept',
    play: (db) => reject(db, 'invalid_signature', 100, 100),
    title: 'Webhooks are rejected for their signature',
    severity: 'critical',
    count: 100,
    alert: 'TallyhookInvalidSignatures',
  },
  {
    what: 'the secret is that of an endpoint that was made again at the service',
    play: (db) => makeEndpointAgain(db),
    title: 'Webhooks are rejected for their signature',
    severity: 'critical',
    count: 100,
    says: [
      'The endpoint of “live”, we_1, is gone at the service. we_2, made at 2026-11-26 18:06:14 UTC, is at the same address: its secret is missing here.',
      'Put the secret of we_2, prefix included, into WEBHOOK_SECRETS',
    ],
    alert: 'TallyhookInvalidSignatures',
  },
  {
    what: 'an endpoint was made again at the service, and it sent nothing yet',
    play: (db) => makeEndpointAgain(db, 0),
    title: 'An endpoint was made again at the service, and its secret is missing here: live',
    severity: 'high',
    says: ['we_2, made at 2026-11-26 18:06:14 UTC,', 'Put the secret of we_2, prefix included, into WEBHOOK_SECRETS'],
  },
  {
    what: 'requests are rejected that nobody signed',
    play: (db) => reject(db, 'missing_signature', 100, 0),
    title: '100 requests rejected: missing signature',
    severity: 'low',
    count: 100,
    forNobody: true,
  },
  {
    what: 'the service is down',
    play: async (db) => {
      await db('runs').update({
        finished_at: db.raw("now() - interval '2 hours'"),
        started_at: db.raw("now() - interval '2 hours'"),
      });
      await readAll(db, 20, 'service_unavailable: listPayouts: no answer');
    },
    title: 'The service does not answer',
    severity: 'critical',
    alert: 'TallyhookServiceAway',
  },
  {
    what: 'the service stopped some seconds ago, and no run has ended since',
    play: (db) =>
      noteAnswers(db, {
        answeredAt: null,
        failed: [9, 6, 3].map((ago) => {
          const error = 'service_unavailable: getBalance: no connection (ECONNREFUSED)';
          return { at: Date.now() - ago * 1_000, operation: 'getBalance', error };
        }),
      }),
    title: 'The service does not answer',
    severity: 'critical',
    alert: 'TallyhookServiceAway',
  },
  {
    what: 'the service refuses our key',
    play: (db) => readAll(db, 5, 'service_unauthorized: listPayouts: the API key is not accepted, status 401'),
    title: 'The service refuses our key',
    severity: 'critical',
  },
  {
    what: 'no worker is at work',
    play: async (db) => {
      await silence('worker')(db);
      await storeEvent(db, 'received');
    },
    title: 'A part of Tallyhook is not at work: worker',
    severity: 'critical',
    alert: 'TallyhookDown',
  },
  {
    what: 'no receiver is at work',
    play: silence('receiver'),
    title: 'A part of Tallyhook is not at work: receiver',
    severity: 'critical',
    alert: 'TallyhookDown',
  },
  {
    what: 'no scheduler is at work',
    play: silence('alerts'),
    title: 'No scheduler is at work',
    severity: 'critical',
  },
  {
    what: 'Redis is down',
    play: silence('queue'),
    title: 'The queue does not answer',
    severity: 'medium',
    alert: 'TallyhookQueueDown',
  },
  {
    what: 'deliveries are missed',
    play: async (db) => {
      await deliver(db, 'never_reached', 7, true);
      await open(db, 'missed_webhook', 7);
    },
    title: 'Deliveries of the service are missing here',
    severity: 'critical',
    count: 7,
    alert: 'TallyhookMissedDeliveries',
  },
  {
    what: 'attempts fail, and the service tries again',
    play: async (db) => {
      await deliver(db, 'pending_retry', 9, false);
      await db('deliveries').update({ class_since: db.raw("now() - interval '4 minutes'") });
    },
    title: '9 deliveries not here: attempts failed, the service tries again',
    severity: 'medium',
    count: 9,
  },
  {
    what: 'phantoms are not overdue yet',
    play: (db) => deliver(db, 'phantom', 6, false),
    title: '6 deliveries not here, not overdue yet: phantom',
    severity: 'medium',
    count: 6,
  },
  {
    what: 'something else answers in our place',
    play: async (db) => {
      await deliver(db, 'received', 1, false);
      await db('deliveries').update({ created_at: db.raw("now() - interval '9 minutes'"), open: false });
      await deliver(db, 'phantom', 6, false);
      await db('deliveries')
        .where({ class: 'phantom' })
        .update({ created_at: db.raw('now()') });
    },
    title: 'Something else answers the service in our place: nothing that it sends arrives',
    severity: 'critical',
    count: 6,
    alert: 'TallyhookNothingArrives',
  },
  {
    what: 'a critical break is open, acknowledged, and 300 that are low',
    play: async (db) => {
      await open(db, 'duplicate_payment', 1);
      await db('breaks').update({ status: 'acknowledged' });
      await open(db, 'secret_still_in_use', 300);
    },
    title: '1 break not closed: duplicate payment, 1 acknowledged or assigned',
    severity: 'critical',
    count: 1,
    alert: 'TallyhookCriticalBreak',
  },
  {
    what: 'a break of medium severity is open',
    play: (db) => open(db, 'missed_webhook', 300, 'medium'),
    title: '300 open breaks: missed webhook',
    severity: 'medium',
    count: 300,
  },
  {
    what: 'the sealed chain is broken',
    play: (db) =>
      db('seal_checks').insert({
        started_at: db.fn.now(),
        finished_at: db.fn.now(),
        actor: 'tallyhook',
        first_seal: '1',
        last_seal: '2',
        head_hash: 'h',
        rows: 3,
        findings: 2,
        first_finding: 'row 1 of changes',
        is_whole: true,
      }),
    title: 'Something was changed after it had been sealed',
    severity: 'critical',
    count: 2,
    alert: 'TallyhookSealsBroken',
  },
  {
    what: 'orders wait until a refund is assigned',
    play: holdByRefund,
    title: 'Orders wait until a refund is assigned',
    severity: 'medium',
    count: 2,
  },
  {
    what: 'an event is tried again for long',
    play: (db) => storeEvent(db, 'failed'),
    title: 'Stored events are not applied',
    severity: 'critical',
    alert: 'TallyhookEventsWait',
  },
  {
    what: 'events were given up',
    play: (db) => storeEvent(db, 'dead'),
    title: 'Events were given up',
    severity: 'critical',
    count: 1,
    alert: 'TallyhookDeadEvents',
  },
  {
    what: 'an invoice’s call is lost',
    play: async (db) => {
      const calls = createServiceWriteLog<'createInvoice'>(db);
      const write = { operation: 'createInvoice', key: 'k', hash: 'h', request: null } as const;
      await calls.begin(write, { leaseMs: 0, withinMs: 1_000 });
      await calls.end(write, 'lost', null);
    },
    title: 'Nobody knows what came of a call of ours: createInvoice',
    severity: 'high',
    count: 1,
  },
  {
    what: 'every secret is retired',
    play: (db) => recordHeartbeat(db, [NO_SECRET]),
    title: 'Every webhook is rejected: no secret is accepted',
    severity: 'critical',
    alert: 'TallyhookNoSecretAccepted',
  },
  {
    what: 'a balance is not proven',
    play: (db) =>
      db('balance_proofs').insert({ asset_code: 'BTC', agreed_at: new Date(), unproven: 'why', asked_at: new Date() }),
    title: 'A balance is not proven: BTC',
    severity: 'medium',
  },
  {
    what: 'a payout is of a type that the contract does not know',
    play: payNewType,
    title: '1 open break: contract violation, payout type “voucher”',
    severity: 'critical',
    count: 1,
    says: ['1 payout so far: 0.5 LTC.'],
    follows: [
      '1 open break: balance residual',
      'What the service’s lists show is not proven: balances',
      'A balance is not proven: LTC',
    ],
    alert: 'TallyhookCriticalBreak',
  },
  {
    what: 'callbacks to the store were given up',
    play: (db) =>
      db('callbacks').insert({
        webhook_id: 'msg_1',
        reference: 'a',
        status: 'dead',
        seq: 1,
        data: '{}',
        changed_at: new Date(),
      }),
    title: 'Callbacks to the store were given up',
    severity: 'critical',
    count: 1,
    alert: 'TallyhookDeadCallbacks',
  },
  {
    what: 'an alert channel fails',
    play: (db) =>
      db('alert_channels').insert({
        channel: 'slack',
        failing_since: db.raw("now() - interval '10 minutes'"),
        error: 'e',
      }),
    title: 'An alert channel fails: slack',
    severity: 'medium',
    alert: 'TallyhookAlertChannelFails',
  },
];
