import { expect } from 'vitest';
import type { Json, JsonObject } from '../../src/domain/json.js';
import { textField } from '../../src/domain/records.js';
import { createLog } from '../../src/log.js';
import type { ServiceReader } from '../../src/reconcile/service-reader.js';
import { listBreaks } from '../../src/records/breaks/list-breaks.js';
import type { Sandbox } from '../../src/sandbox/start-sandbox.js';
import { ServiceClient } from '../../src/service-api/client.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { secretsStatus } from '../../src/webhook/rotation.js';
import { createSecretMatchLog } from '../../src/webhook/secret-matches.js';
import type { DeliveryFlow } from './delivery-flow.js';
import { post } from './receiver.js';
import { signedHeaders } from './signed.js';

export const seconds = () => Math.floor(Date.now() / 1_000);

export type Forger = ReturnType<typeof forger>;

/** One who holds the secret of that label, of which two payments came and the history was read. */
export async function informedForger(flow: DeliveryFlow, label = 'live'): Promise<Forger> {
  const who = forger(flow);
  flow.addEndpoint(label);
  await flow.pay(2);
  await who.learn();
  return who;
}

/** Somebody who holds a secret of ours, and what is seen of it. */
export function forger(flow: DeliveryFlow) {
  let made = 0;
  const { db, secrets } = flow;

  /** Returns the id of its row in the inbox. */
  const send = async (label: string, envelope: object): Promise<string> => {
    const body = JSON.stringify(envelope);
    const secret = secrets.find((one) => one.label === label)?.secret;
    const { status, body: answer } = await post(flow.url, body, signedHeaders(body, secret));
    expect(status).toBe(200);
    return String(answer['id']);
  };

  /** Matches are written down once a second; what the receiver has in memory is not waited for. */
  const noteMatches = async (): Promise<void> => {
    const rows = await db('inbox_arrivals').select('secret_label').min('first_at as first').groupBy('secret_label');
    const log = createSecretMatchLog({ db, log: createLog('silent'), now: () => new Date() });
    for (const { secret_label } of rows) log.add(secret_label, secrets);
    await log.close();
    for (const { secret_label, first } of rows) {
      await db('secrets').where({ label: secret_label }).update({ first_match_at: first });
    }
  };

  const notSent = async (status = 'open') =>
    (await listBreaks(db, { kind: 'event_not_sent', status, take: 500 })).items;

  return {
    send,
    noteMatches,
    notSent,
    forge(label: string, more: object = {}): Promise<string> {
      made += 1;
      const id = `pi_forged_${made}`;
      const data = { id, status: 'completed', merchantReference: `F-${made}`, customerEmail: 'a@b.example' };
      return send(label, { event: 'payment_intent.completed', timestamp: seconds(), data, ...more });
    },
    /** Until it is known which secret belongs to which endpoint. */
    async learn(): Promise<void> {
      await noteMatches();
      await flow.run('endpoints');
      await flow.run('deliveries');
    },
    named: async () => (await notSent()).map(({ entity }) => entity.id).sort(),
    differing: async () => (await listBreaks(db, { kind: 'history_differs', status: 'open' })).items,
    secret: async (label: string) => (await secretsStatus(db, secrets)).items.find((one) => one.label === label),
    /** Payments until so many events are there. */
    async payUntil(events: number): Promise<void> {
      const count = async () => Number((await db('inbox').count('* as n').first())?.n);
      for (let there = await count(); there < events; there = await count()) {
        await flow.pay(Math.max(1, Math.ceil((events - there) / 4)));
      }
    },
  };
}

/** A refund that no client of ours made. Returns the payout's id. */
export async function refundAtDashboard({ sandbox }: DeliveryFlow, paymentIntentId: string): Promise<string> {
  const answer = await fetch(`${sandbox.url}/v1/payouts/refund`, {
    method: 'POST',
    headers: { Authorization: 'Bearer sandbox-session-token', 'Content-Type': 'application/json' },
    body: JSON.stringify({ paymentIntentId, destinationAddress: 'TXYZrefund', totpCode: '123456' }),
  });
  return ((await answer.json()) as { id: string }).id;
}

/** The service, with another delivery history than it has. */
export function otherHistory(sandbox: Sandbox, change: (page: JsonObject) => Json): ServiceReader {
  const client = new ServiceClient({ baseUrl: sandbox.url, apiKey: 'sandbox-api-key', contract: defaultContract });
  return {
    serviceNow: () => client.serviceNow(),
    reply: async (operation, request) => {
      const answer = await client.reply(operation, request);
      if (operation !== 'listWebhookDeliveries') return answer;
      return { ...answer, data: change(answer.data as JsonObject) };
    },
  };
}

export const itemsOf = (page: JsonObject) => page['items'] as JsonObject[];

/** The page without those deliveries. */
export function without(
  page: JsonObject,
  isLacking: (delivery: { id: string; createdAt: string }) => boolean,
): JsonObject {
  const read = (item: JsonObject) => ({
    id: textField(item, 'id') ?? '',
    createdAt: textField(item, 'createdAt') ?? '',
  });
  return { ...page, items: itemsOf(page).filter((item) => !isLacking(read(item))) };
}
