import { snakeCase } from '../../domain/records.js';

/** Names that services give to the same thing; those of one list share none. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  status: ['state', 'statuses'],
  assetCode: ['asset', 'coin', 'crypto', 'cryptoAsset', 'requestedCoin', 'currency', 'code', 'assetId'],
  productId: ['product'],
  posTerminalId: ['posTerminal', 'terminalId', 'terminal', 'posId', 'pos'],
  invoiceId: ['invoice'],
  merchantReference: ['reference', 'ref', 'merchantRef', 'search', 'q'],
  search: ['q', 'query', 'term', 'keyword', 'text', 'filter'],
  cursor: ['after', 'startingAfter', 'starting_after', 'nextCursor', 'next', 'pageToken', 'lastId', 'before'],
  take: ['limit', 'pageSize', 'perPage', 'size', 'count', 'first', 'top'],
  from: ['createdFrom', 'dateFrom', 'fromDate', 'startDate', 'start', 'since', 'createdAfter', 'createdAtFrom', 'gte'],
  to: ['createdTo', 'dateTo', 'toDate', 'endDate', 'end', 'until', 'createdBefore', 'createdAtTo', 'lte'],
  page: ['pageNumber', 'pageNo', 'pageIndex', 'p'],
  paymentIntentId: ['paymentIntent', 'intentId', 'intent', 'paymentId', 'payment'],
  payoutId: ['payout', 'withdrawalId'],
  depositId: ['deposit', 'payinId', 'payin'],
  accountId: ['account', 'walletAccountId', 'walletId', 'subWalletId', 'wallet'],
  endpointId: ['endpoint', 'webhookEndpointId', 'webhookId'],
};

/** What a service may call a parameter, the likeliest first: the same word in other dress, then other words for it. */
export function otherNames(name: string, taken: ReadonlySet<string>): string[] {
  const words = [name, ...(synonyms[name] ?? [])];
  const bracketed = words.map((word) => `filter[${word}]`);
  return [...new Set([...words.flatMap(dressed), ...bracketed])].filter((other) => !taken.has(other));
}

/** The same word as others write it. */
export function dressed(word: string): string[] {
  return [word, snakeCase(word), snakeCase(word).replaceAll('_', '-')];
}
