import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Account } from './account.js';
import { ASSETS } from './assets/assets.js';
import { balanceRecord } from './assets/balance-record.js';
import { iso } from './base/iso-time.js';
import { formatAmount } from './base/money.js';
import type { Records } from './base/records.js';
import { viewOf } from './invoices/end-invoice.js';
import { invoiceJson } from './invoices/invoice.js';
import type { Entry } from './ledger/ledger.js';
import type { Intent } from './payments/intent.js';
import { listedIntentJson, payinRecord } from './payments/intent-record.js';
import { payoutRecord } from './payouts/payout.js';
import { productRecord } from './products/product.js';
import { productStats } from './products/product-stats.js';
import type { Merchant, Service } from './service.js';
import { settlementRecord } from './settlements/settlement.js';
import { settlementAccountRecord } from './settlements/settlement-account.js';
import { depositRecord } from './wallets/deposit.js';
import { transactionRecord } from './wallets/transaction.js';
import { transferRecord } from './wallets/transfer.js';
import { walletRecord } from './wallets/wallet-record.js';
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
      for (const payin of intent.payins) yield JSON.stringify(payinRecord(payin, intent.id, service, now));
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

function entryRecord({ number, at, type, assetCode, recordId, lines }: Entry) {
  const shown = lines.map(({ account, amount }) => ({ account, amount: formatAmount(amount) }));
  return { number, type, assetCode, recordId, createdAt: iso(at), lines: shown };
}

/** Lists of JSON texts by their names in the truth. */
function* otherRecords(merchant: Merchant, now: number): Generator<[string, Iterable<string>]> {
  const { service } = merchant;
  const list = <T>(records: Records<T>, show: (record: T) => object): Iterable<string> =>
    mapped(records.newestFirst(), (record) => JSON.stringify(show(record)));
  yield ['invoices', mapped(merchant.invoices.newestFirst(), (invoice) => invoiceJson(invoice, viewOf(merchant)))];
  yield ['payouts', list(merchant.payouts, (payout) => payoutRecord(payout, service.faults.links))];
  yield ['accounts', list(merchant.wallets, (wallet) => walletRecord(merchant, wallet))];
  yield ['transactions', list(merchant.transactions, transactionRecord)];
  yield ['deposits', list(merchant.deposits, (deposit) => depositRecord(deposit, service.faults))];
  yield ['transfers', list(merchant.transfers, transferRecord)];
  yield ['settlements', list(merchant.settlements, settlementRecord)];
  yield ['settlementAccounts', list(merchant.settlementAccounts, (one) => settlementAccountRecord(one, now))];
  yield [
    'products',
    list(merchant.products, (one) => productRecord(one, productStats(merchant, one.id), service.baseUrl)),
  ];
  yield ['balances', mapped(ASSETS, (asset) => JSON.stringify(balanceRecord(merchant, asset)))];
  yield [
    'merchantAssets',
    mapped(ASSETS, ({ assetCode }) => JSON.stringify({ assetCode, isActive: !merchant.inactiveAssets.has(assetCode) })),
  ];
  yield ['ledger', mapped(merchant.ledger.entries(), (entry) => JSON.stringify(entryRecord(entry)))];
}

function* mapped<T>(items: Iterable<T>, show: (item: T) => string): Generator<string> {
  for (const item of items) yield show(item);
}
