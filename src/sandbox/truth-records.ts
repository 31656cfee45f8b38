import { ASSETS } from './assets/assets.js';
import { balanceRecord } from './assets/balance-record.js';
import type { Records } from './base/records.js';
import { invoiceJson } from './invoices/invoice-record.js';
import { viewOf } from './invoices/mark-invoice-paid.js';
import { entryRecord } from './ledger/entry-record.js';
import { payoutRecord } from './payouts/payout-record.js';
import { productRecord } from './products/product.js';
import { productStats } from './products/product-stats.js';
import type { Merchant } from './service.js';
import { settlementRecord } from './settlements/settlement.js';
import { settlementAccountRecord } from './settlements/settlement-account.js';
import { depositRecord } from './wallets/deposit.js';
import { transactionRecord } from './wallets/transaction.js';
import { transferRecord } from './wallets/transfer.js';
import { walletRecord } from './wallets/wallet-record.js';

/** Lists of JSON texts by their names in the truth. */
export function* otherRecords(merchant: Merchant, now: number): Generator<[string, Iterable<string>]> {
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

export function* mapped<T>(items: Iterable<T>, show: (item: T) => string): Generator<string> {
  for (const item of items) yield show(item);
}
