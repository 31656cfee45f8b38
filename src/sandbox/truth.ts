import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Account } from './account.js';
import type { Intent } from './payments/intent.js';
import { confirmationsAt, listedIntentJson, payinRecord } from './payments/intent-record.js';
import type { Service } from './service.js';
import { mapped, otherRecords } from './truth-records.js';
import { deliveryJson } from './webhooks/delivery.js';
import { endpointRecord } from './webhooks/endpoints.js';

/** Payments of the past are made anew whenever they are asked for: up to so many are made once for all that is written of them. */
const MOST_KEPT = 5_000;

/**
 * Writes everything there is as one JSON object, newest first, of intents those that last changed before the given
 * moment: `{now, updatedAt: {intentId: time}, paymentIntents, payins, webhookEndpoints, invoices, payouts, accounts, …,
 * deliveries}`. The records are the very texts that the API answers.
 */
export async function writeTruth(service: Service, account: Account, before: number, out: Writable): Promise<void> {
  const { merchant, webhooks } = account;
  const now = service.clock.now();
  const confirmationMs = service.settings.confirmationSeconds * 1000;
  const made = function* (): Generator<Intent> {
    for (let position = merchant.intents.size() - 1; position >= 0; position -= 1) {
      const intent = merchant.intents.at(position);
      if (intent && intent.updatedAt < before) yield intent;
    }
  };
  const few = merchant.intents.size() <= MOST_KEPT ? [...made()] : null;
  const intents = (): Iterable<Intent> => few ?? made();
  const payins = function* (): Generator<string> {
    for (const intent of intents()) {
      for (const payin of intent.payins) {
        yield JSON.stringify(payinRecord(payin, intent.id, confirmationsAt(payin, now, confirmationMs)));
      }
    }
  };
  const text = (value: unknown): string => JSON.stringify(value);
  out.write(`{"now":${text(new Date(now).toISOString())},"updatedAt":{`);
  await writeAll(
    out,
    mapped(intents(), ({ id, updatedAt }) => `"${id}":"${new Date(updatedAt).toISOString()}"`),
  );
  out.write('},"paymentIntents":[');
  await writeAll(
    out,
    mapped(intents(), (intent) => listedIntentJson(intent, service)),
  );
  out.write('],"payins":[');
  await writeAll(out, payins());
  out.write(`],"webhookEndpoints":${text(webhooks.endpoints.list().map(endpointRecord))}`);
  for (const [name, records] of otherRecords(merchant, now)) {
    out.write(`,${text(name)}:[`);
    await writeAll(out, records);
    out.write(']');
  }
  out.write(',"deliveries":[');
  await writeAll(out, mapped(webhooks.log.all(), deliveryJson));
  out.write(']}');
}

const CHUNK = 500;

async function writeAll(out: Writable, texts: Iterable<string>): Promise<void> {
  let chunk: string[] = [];
  let separator = '';
  const flush = async (): Promise<void> => {
    if (chunk.length === 0) return;
    const room = out.write(separator + chunk.join(','));
    separator = ',';
    chunk = [];
    if (!room && !out.destroyed) await drained(out);
  };
  for (const text of texts) {
    chunk.push(text);
    if (chunk.length >= CHUNK) await flush();
    if (out.destroyed) return;
  }
  await flush();
}

/** Waits for room, or for the end of the reader. */
async function drained(out: Writable): Promise<void> {
  const either = new AbortController();
  const { signal } = either;
  await Promise.race([once(out, 'drain', { signal }), once(out, 'close', { signal })]);
  either.abort();
}
