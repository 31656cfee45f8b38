// Pre-signed request bodies, so that signing costs nothing while the load runs.
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';

export const SECRET = 'whsec_bench_3d1c5c9a2b';

const PAD = 'x'.repeat(200);

/** A payment intent event of about 1 KB, as the payment service signs it. */
export function ourRequest(index, now) {
  const id = `pi_${now.toString(36)}_${index.toString(36)}_${randomBytes(4).toString('hex')}`;
  const at = new Date(now).toISOString();
  const body = JSON.stringify({
    event: 'payment_intent.completed',
    timestamp: Math.floor(now / 1000),
    data: {
      id,
      status: 'completed',
      amountRequested: '125.50',
      currencyRequested: 'USDT.TRC20',
      requestedCurrencyType: 'crypto',
      amountCryptoExpected: null,
      assetCode: 'USDT.TRC20',
      acceptedCoins: ['USDT.TRC20', 'BTC'],
      totalAmountReceived: '125.50',
      amountNetMerchant: '124.245',
      feeAmountTotal: '1.255',
      source: 'api',
      merchantReference: `order-${now.toString(36)}-${index}`,
      irregularStatus: 'none',
      createdAt: at,
      expiresAt: at,
      payins: [
        {
          id: `pa_${id}`,
          amountGross: '125.50',
          amountNet: '124.245',
          feeAmount: '1.255',
          assetCode: 'USDT.TRC20',
          status: 'confirmed',
          txid: PAD.slice(0, 64),
          createdAt: at,
        },
      ],
      metadata: { note: PAD.slice(0, 120) },
    },
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  return {
    headers: { 'X-Service-Signature': `sha256=${signature}`, 'X-Service-Timestamp': String(Math.floor(now / 1000)) },
    body,
  };
}

/** The same weight in the peer's form: payment_intent.succeeded, signed as Stripe signs. */
export function stripeRequest(index, now) {
  const id = `pi_${now.toString(36)}${index.toString(36)}${randomBytes(4).toString('hex')}`;
  const seconds = Math.floor(now / 1000);
  const body = JSON.stringify({
    id: `evt_${id}`,
    object: 'event',
    api_version: '2020-08-27',
    created: seconds,
    type: 'payment_intent.succeeded',
    data: {
      object: {
        id,
        object: 'payment_intent',
        amount: 12550,
        amount_capturable: 0,
        amount_details: { tip: {} },
        amount_received: 12550,
        capture_method: 'automatic',
        client_secret: `${id}_secret`,
        confirmation_method: 'automatic',
        created: seconds,
        currency: 'usd',
        customer: null,
        description: PAD.slice(0, 120),
        livemode: false,
        metadata: { order: `order-${index}`, note: PAD.slice(0, 120) },
        payment_method_types: ['card'],
        status: 'succeeded',
      },
    },
  });
  const signature = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex');
  return { headers: { 'Stripe-Signature': `t=${seconds},v1=${signature}` }, body };
}

/** Writes `count` whole HTTP requests, each as a length line and its bytes, for the load's script to replay. */
export function writeRequests(file, count, make) {
  const handle = openSync(file, 'w');
  const now = Date.now();
  let buffered = '';
  for (let index = 0; index < count; index += 1) {
    const { headers, body } = make(index, now);
    const lines = Object.entries({
      Host: '127.0.0.1',
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
      ...headers,
    });
    const request = `POST /webhooks HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${body}`;
    buffered += `${Buffer.byteLength(request)}\n${request}`;
    if (buffered.length > 1 << 20) {
      writeSync(handle, buffered);
      buffered = '';
    }
  }
  writeSync(handle, buffered);
  closeSync(handle);
}
