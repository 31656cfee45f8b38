import type { Severity } from '../../src/domain/breaks/findings.js';
import { runKinds } from '../../src/domain/run-kinds.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { fingerprintOf } from '../../src/webhook/verify-signature.js';
import type { TestDatabase } from '../support/database.js';
import { poll } from '../support/observations.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { NO_SERVICE } from '../support/shell.js';
import { SECRET } from '../support/signed.js';

export interface Fault {
  what: string;
  play: (db: Db) => Promise<unknown>;
  /** What all of them say first, how grave, and how many it is. */
  title: string;
  severity: Severity;
  count?: number;
  /** All that is said with it, where nothing else is wrong. */
  follows?: readonly string[];
  /** What each place says of it besides. */
  says?: readonly string[];
  /** The alert that is sent; left out: none is. */
  alert?: string;
  /** Nobody has anything to do about it. */
  forNobody?: true;
}

export type Db = TestDatabase['db'];

/** A run of each kind that ended so many seconds ago. */
export async function readAll(db: Db, secondsAgo: number, error: string | null = null): Promise<void> {
  const at = new Date(Date.now() - secondsAgo * 1_000);
  const state = error === null ? { status: 'succeeded', complete: true } : { status: 'failed', error };
  await db('runs').insert(
    runKinds.map((kind) => ({ kind, full: false, started_at: at, heartbeat_at: at, finished_at: at, ...state })),
  );
}

export const silence = (part: string) => (db: Db) =>
  db('signs_of_life')
    .where({ part })
    .update({ seen_at: db.raw("now() - interval '10 minutes'") });

export async function reject(db: Db, reason: string, count: number, likeService: number): Promise<void> {
  const sample = { reason, detail: 'd', diagnosis: null, bodySize: 0, bodyHash: 'h', firstBytes: Buffer.from('') };
  const samples = Array.from({ length: 12 }, () => ({
    ...sample,
    rejectedAt: new Date(),
    likeService: likeService > 0,
  }));
  const minute = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  await saveRejections(db, samples, [{ minute, reason, count, likeService }]);
}

export async function deliver(db: Db, kind: string, n: number, missed: boolean): Promise<void> {
  const rows = Array.from({ length: n }, (_, at) => ({ id: `${kind} ${at}`, class: kind, missed, open: true }));
  await db('deliveries').insert(rows.map((row) => ({ ...row, ours: true, poll_from: 1, poll_ref: 'run' })));
}

export const open = (db: Db, kind: Parameters<typeof openBreaks>[1][number]['kind'], n: number, severity?: Severity) =>
  openBreaks(
    db,
    Array.from({ length: n }, (_, at) => ({
      kind,
      entity: { kind: 'delivery' as const, id: `${kind} ${at}` },
      evidence: {},
      ...(severity === undefined ? {} : { severity }),
    })),
  );

export async function storeEvent(db: Db, status: string): Promise<void> {
  await db.raw(
    `INSERT INTO inbox (key, key_type, content_hash, event_type, event_timestamp, status, source, body, received_at)
     VALUES ('k', 'id', 'h', 'payout.failed', 0, ?, 'webhook', '{}', now() - interval '10 minutes')`,
    [status],
  );
}

/** Two wait until a refund is assigned, beside one that is proven, one of before the adoption, and one that waits for its payment. */
export async function holdByRefund(db: Db): Promise<void> {
  const held = { status: 'paid', release_safe: false, release_reason: 'refund_unlinked' };
  const adopted = new Date(Date.now() - 3_600_000);
  await db('installation').insert({ adopted_at: adopted, service_base_url: NO_SERVICE });
  await db('orders').insert([
    { ...held, reference: 'held-1' },
    { ...held, reference: 'held-2' },
    { ...held, reference: 'of before', created_at: new Date(adopted.getTime() - 60_000) },
    { ...held, reference: 'proven', release_safe: true, release_reason: 'proven' },
    { ...held, reference: 'awaited', status: 'awaiting_payment', release_reason: 'awaiting_payment' },
  ]);
}

const NEW_TYPE = 'payout po_1: payoutType "voucher" is on no list of movements.words.payoutType';

/** A payout of a type that the contract does not know: it is broken off there, and what it took is missing. */
export async function payNewType(db: Db): Promise<void> {
  await save({ db } as TestDatabase, [
    poll('payout', payout('po_1', { payoutType: 'voucher', assetCode: 'LTC', amount: '0.5', feeAmount: '0.01' }), 10),
  ]);
  await openBreaks(db, [
    { kind: 'contract_violation', entity: { kind: 'payout', id: 'payoutType=voucher' }, evidence: {} },
    { kind: 'balance_residual', entity: { kind: 'balance', id: 'LTC' }, evidence: {} },
  ]);
  await db('balance_proofs').insert({
    asset_code: 'LTC',
    agreed_at: new Date(),
    asked_at: new Date(),
    unexplained: '-0.51',
    unproven: NEW_TYPE,
  });
  const of = { kind: 'balances', full: false, status: 'succeeded', complete: false };
  const at = new Date(Date.now() - 5_000);
  const proof = JSON.stringify({ reason: `LTC: ${NEW_TYPE}` });
  await db('runs').insert({ ...of, started_at: at, heartbeat_at: at, finished_at: at, proof });
}

/** Under the secret `live` webhooks came from one that the service lists no more; those of the new one are rejected. */
export async function makeEndpointAgain(db: Db, rejected = 100): Promise<void> {
  const endpoint = { url: 'https://shop.example/webhooks', isActive: true, events: ['*'] };
  await save({ db } as TestDatabase, [
    poll('endpoint', { ...endpoint, id: 'we_1', createdAt: '2026-11-01T08:00:00Z' }, 10),
    poll('endpoint', { ...endpoint, id: 'we_2', createdAt: '2026-11-26T18:06:14Z' }, 10),
  ]);
  await db('endpoints').where({ id: 'we_1' }).update({ absent_since: new Date() });
  const live = { label: 'live', fingerprint: fingerprintOf(SECRET), first_match_at: new Date() };
  await db('secrets').insert({ ...live, endpoint_id: 'we_1' });
  if (rejected > 0) await reject(db, 'invalid_signature', rejected, rejected);
}
