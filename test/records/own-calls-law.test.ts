import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { settleCall } from '../../src/records/calls/settle-call.js';
import { getOrder } from '../../src/records/orders/orders.js';
import { holdOrders } from '../../src/records/orders/rederive-releases.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { noteTakenIn, takeInCalls } from '../../src/records/saving/take-in-calls.js';
import { createServiceWriteLog } from '../../src/records/service-writes.js';
import type { KeyStore, NotedWrite } from '../../src/service-api/key-store.js';
import { prepareKeyed } from '../../src/service-api/keyed-calls.js';
import { useDatabase } from '../support/database.js';
import { absence, at, poll } from '../support/observations.js';
import { paidIntent, payin, payout } from '../support/records.js';
import { context, save } from '../support/saved.js';

const RUNS = process.env['TALLYHOOK_LONG'] ? 600 : 12;
const LIMITS = { leaseMs: 0, withinMs: 480_000 };
/** Two refunds of one payment, each under its key. */
const KEYS = ['a', 'b'] as const;
type Key = (typeof KEYS)[number];

/** What may happen, in any order: a process that crashes simply does nothing more. */
const steps = [
  ...(['begin', 'answer', 'answer taken in', 'unknown', 'unknown with id', 'refuse', 'never sent', 'lose'] as const),
  ...(['confirmed', 'failed', 'pending', 'absent', 'a person says not done'] as const),
] as const;
const parts = ['hold', 'take in', 'give up', 'read payment'] as const;
type Step = { step: (typeof steps)[number]; key: Key } | { step: (typeof parts)[number]; key: null };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ step: fc.constantFrom(...steps), key: fc.constantFrom(...KEYS) }),
  fc.record({ step: fc.constantFrom(...parts), key: fc.constant(null) }),
);

const database = useDatabase();
let log: KeyStore;
let worlds = 0;
beforeAll(async () => {
  log = createServiceWriteLog(database.db);
});

/** What is known of a call and of what it made, apart from what is tested. */
interface Call {
  state: 'none' | 'open' | 'free' | 'made';
  /** The newest word of the service's list. */
  shown: 'confirmed' | 'failed' | 'pending' | 'absent' | null;
  /** The order was derived, or the scheduler checked, since the call began. */
  seen: boolean;
}

class World {
  readonly pi = `pi_${(worlds += 1)}`;
  readonly calls: Record<Key, Call> = {
    a: { state: 'none', shown: null, seen: false },
    b: { state: 'none', shown: null, seen: false },
  };
  private second = 10;

  async open(): Promise<void> {
    await database.db('service_writes').delete();
    await this.readPayment();
    await save(database, [poll('payin', payin(`in_${this.pi}`, this.pi), 10)]);
  }

  async take({ step, key }: Step): Promise<void> {
    this.second += 10;
    if (key === null) await this.runPart(step);
    else await this.happen(step, key);
  }

  /** The law: who is safe has no refund in flight, made or denied. */
  async check(): Promise<void> {
    const { release } = (await getOrder(database.db, `order-${this.pi}`)) ?? {};
    const withholds = Object.values(this.calls).some(
      ({ state, shown, seen }) => seen && (state === 'open' || (state === 'made' && shown !== 'failed')),
    );
    if (withholds) expect(release, JSON.stringify(this.calls)).toMatchObject({ safe: false });
  }

  /** That it also ends: once no call made anything, the goods may go. */
  async settleAll(): Promise<void> {
    for (const key of KEYS) {
      await this.happen('refuse', key);
      await this.decide(key);
    }
    await this.runPart('hold');
    if (Object.values(this.calls).some(({ state }) => state === 'made')) return;
    expect(await getOrder(database.db, `order-${this.pi}`)).toMatchObject({ release: { safe: true } });
  }

  private async runPart(step: (typeof parts)[number]): Promise<void> {
    const { db } = database;
    if (step === 'hold')
      await db.transaction((trx) => holdOrders(trx, { limit: 50, rules: { adoptedAt: new Date(0) } }));
    if (step === 'take in') {
      await db.transaction((trx) => takeInCalls(trx, { limit: 50, serviceNow: at(this.second), context }));
    }
    if (step === 'give up') await log.giveUp(['createRefund'], { leaseMs: 0, withinMs: -1 });
    if (step === 'read payment') await this.readPayment();
    const isSeen = step === 'hold' || step === 'read payment';
    for (const call of Object.values(this.calls)) if (isSeen && call.state !== 'none') call.seen = true;
  }

  private async happen(step: (typeof steps)[number], key: Key): Promise<void> {
    const call = this.calls[key];
    const id = `po_${key}_${this.pi}`;
    if (step === 'begin') return this.begin(key);
    if (step === 'a person says not done') return this.decide(key);
    if (step === 'confirmed' || step === 'failed' || step === 'pending' || step === 'absent') {
      // The service's list shows what was made, also where no answer came.
      if (call.state !== 'made') return;
      call.shown = step;
      const said = step === 'absent' ? absence('payout', id, this.second) : this.payoutRead(id, step);
      await save(database, [said]);
      return;
    }
    if (call.state !== 'open') return;
    const isMade = ['answer', 'answer taken in', 'unknown with id'].includes(step);
    if (step === 'answer taken in') await this.takeAnswerIn(key, id);
    const outcomes = {
      refuse: 'refused',
      'never sent': 'unsent',
      lose: 'lost',
      unknown: 'unknown',
      'unknown with id': 'unknown',
    } as const;
    const outcome = step === 'answer' || step === 'answer taken in' ? 'done' : outcomes[step];
    await log.end(this.write(key), outcome, isMade ? id : null);
    if (isMade) call.state = 'made';
    else if (step === 'refuse' || step === 'never sent') call.state = (await this.isFree(key)) ? 'free' : call.state;
  }

  private async begin(key: Key): Promise<void> {
    const call = this.calls[key];
    const begun = await log.begin(this.write(key), LIMITS);
    if (begun.ok && call.state !== 'made')
      Object.assign(call, { state: 'open', seen: call.state === 'open' && call.seen });
  }

  /** Heard where a call is lost, or what it made is denied. */
  private async decide(key: Key): Promise<void> {
    const given = {
      operation: 'createRefund',
      key: this.write(key).key,
      objectId: null,
      by: { actor: 'ann', note: 'looked' },
    };
    const { outcome } = await database.db.transaction((trx) => settleCall(trx, given));
    if (outcome === 'settled') Object.assign(this.calls[key], { state: 'free', shown: null });
  }

  private async isFree(key: Key): Promise<boolean> {
    const row = await database
      .db('service_writes')
      .where({ key: this.write(key).key })
      .first('status');
    return row?.status === 'refused' || row?.status === 'unsent';
  }

  private async takeAnswerIn(key: Key, id: string): Promise<void> {
    const { write } = { write: this.write(key) };
    const source = { type: 'api_response', ref: 'createRefund' } as const;
    const fields = { ...payout(id), paymentIntentId: this.pi };
    const time = { from: at(this.second), to: at(this.second) };
    await database.db.transaction(async (trx) => {
      await noteTakenIn(trx, { operation: 'createRefund', key: write.key, objectId: id });
      await saveObservations(trx, [{ type: 'statement', kind: 'payout', id, ...time, source, fields }], context);
    });
  }

  private payoutRead(id: string, status: string) {
    return poll('payout', payout(id, { status }), this.second);
  }

  private write(key: Key): NotedWrite {
    const body = { paymentIntentId: this.pi, amount: '1', idempotencyKey: `${key} ${this.pi}` };
    return prepareKeyed('createRefund', { body }).write;
  }

  private async readPayment(): Promise<void> {
    const fields = { returnUrl: `https://shop.example.test/${this.second}` };
    await save(database, [poll('payment_intent', paidIntent(this.pi, `in_${this.pi}`, fields), this.second)]);
  }
}

test('an order is not safe between the beginning of a refund and what came of it, whatever else happens and whoever dies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { minLength: 4, maxLength: 14 }), async (taken) => {
      const world = new World();
      await world.open();
      for (const step of [{ step: 'begin', key: 'a' } as const, ...taken]) {
        await world.take(step);
        await world.check();
      }
      await world.settleAll();
    }),
    { numRuns: RUNS },
  );
}, 600_000);
