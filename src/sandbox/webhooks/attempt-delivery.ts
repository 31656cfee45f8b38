import { createHmac } from 'node:crypto';
import { createDraw } from '../base/random.js';
import type { Faults } from '../faults.js';
import type { Service } from '../service.js';
import { type Delivery, envelopeText } from './delivery.js';
import type { Answer, Poster } from './poster.js';

export interface AttemptDeps {
  service: Service;
  seed: number;
  poster: Poster;
}

/** A draw that depends on the delivery and, where given, on which attempt it is. */
function struck({ seed }: AttemptDeps, chance: number, stream: string, delivery: Delivery, attempt = 0): boolean {
  return chance > 0 && createDraw(seed, stream)(delivery.number * 16 + attempt) < chance;
}

/** One attempt with all its faults; notes it in the delivery. True when it was answered with 2xx. */
export async function attemptDelivery(deps: AttemptDeps, delivery: Delivery): Promise<boolean> {
  const { faults, clock } = deps.service;
  const number = delivery.attempts.length + 1;
  const at = clock.now();
  if (number > 1 && faults.restamp) delivery.timestamp = Math.floor(at / 1000);
  const began = performance.now();
  const answer = await carry(deps, delivery, number);
  delivery.attempts.push({
    at,
    httpStatus: answer.httpStatus,
    error: answer.error,
    durationMs: Math.round(performance.now() - began),
  });
  delivery.responseBody = answer.body;
  delivery.responseHeaders = answer.headers;
  return answer.httpStatus !== null && answer.httpStatus >= 200 && answer.httpStatus < 300;
}

const nothing = (error: string): Answer => ({ httpStatus: null, body: null, headers: null, error });

async function carry(deps: AttemptDeps, delivery: Delivery, number: number): Promise<Answer> {
  const { faults } = deps.service;
  if (!delivery.endpoint.isActive) return nothing('the endpoint is not active');
  if (number === 1 && struck(deps, faults.phantom, 'phantom', delivery))
    return { httpStatus: 200, body: '{"received":true}', headers: '{"content-type":"application/json"}', error: null };
  if (struck(deps, faults.drop, 'drop', delivery)) return nothing('connect ETIMEDOUT');
  if (struck(deps, faults.flaky, 'flaky', delivery, number)) return nothing('socket hang up');
  const body = Buffer.from(envelopeText(delivery.event, delivery.timestamp));
  const headers = headersOf(delivery, signatureOf(body, delivery.endpoint.secret), faults);
  const { url } = delivery.endpoint;
  if (number === 1 && struck(deps, faults.forge, 'forge', delivery)) await forge(deps, delivery);
  if (struck(deps, faults.corrupt, 'corrupt', delivery, number)) spoil(deps, delivery, body);
  const answer = await deps.poster.post(url, headers, body);
  if (struck(deps, faults.duplicate, 'duplicate', delivery, number)) await deps.poster.post(url, headers, body);
  return answer;
}

function headersOf(delivery: Delivery, signature: string, { eventIdHeader }: Faults): Record<string, string> {
  const { event } = delivery;
  return {
    'X-Service-Signature': signature,
    'X-Service-Timestamp': String(delivery.timestamp),
    'Content-Type': 'application/json',
    'User-Agent': 'payment-service-webhooks/1',
    ...(event.idPlace === 'header' ? { [eventIdHeader]: event.id } : {}),
  };
}

/** Somebody who does not know the secret says that the payment is completed. */
async function forge({ poster, service }: AttemptDeps, delivery: Delivery): Promise<void> {
  const data = delivery.event.data.replace(/"status":"[a-z_]+"/, '"status":"completed"');
  const forged = { ...delivery.event, type: 'payment_intent.completed', data };
  const body = Buffer.from(envelopeText(forged, delivery.timestamp));
  await poster.post(
    delivery.endpoint.url,
    headersOf(delivery, signatureOf(body, 'whsec_guessed'), service.faults),
    body,
  );
}

/** One bit of one byte changes on the way. */
function spoil({ seed }: AttemptDeps, delivery: Delivery, body: Buffer): void {
  const at = Math.floor(createDraw(seed, 'corrupt-at')(delivery.number) * body.length);
  body[at] = (body[at] ?? 0) ^ 1;
}

/** The value of X-Service-Signature over the raw body; the whole secret, prefix included, is the key (specification 6.3). */
export function signatureOf(body: Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}
