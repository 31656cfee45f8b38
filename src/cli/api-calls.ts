import type { Json } from '../domain/json.js';
import type { CreateOptions, MerchantClient, Reply } from '../service-api/client.js';
import type { OperationName } from '../service-api/operations.js';

/** What the words of the command line gave, not yet checked: the client does that. */
export interface CallWords {
  path: Record<string, string>;
  query: Record<string, string | number>;
  body: unknown;
}

type Call = (client: MerchantClient, words: CallWords, options: CreateOptions) => Promise<Reply<object | Json>>;

/** The client says what is wrong with what it is given, whatever it is. */
const untyped = (value: unknown) => value as never;
const idOf = ({ path }: CallWords) => path['id'] ?? '';
const assetOf = ({ path }: CallWords) => path['assetCode'] ?? '';

/** How each operation is called (interface: "CLI"). */
export const apiCalls: Readonly<Record<OperationName, Call>> = {
  createDirectPayment: (client, { body }, options) => client.createDirectPayment(untyped(body), options),
  createInvoice: (client, { body }, options) => client.createInvoice(untyped(body), options),
  listInvoices: (client, { query }, options) => client.listInvoices(untyped(query), options),
  createPayout: (client, words, options) => client.createPayout(idOf(words), untyped(words.body), options),
  createRefund: (client, { body }, options) => client.createRefund(untyped(body), options),
  createTransfer: (client, words, options) => client.createTransfer(idOf(words), untyped(words.body), options),
  updateAccount: (client, words, options) => client.updateAccount(idOf(words), untyped(words.body), options),
  closeAccount: (client, words, options) => client.closeAccount(idOf(words), options),
  archiveAccount: (client, words, options) => client.archiveAccount(idOf(words), options),
  listAccounts: (client, { query }, options) => client.listAccounts(untyped(query), options),
  listAccountTransactions: (client, words, options) =>
    client.listAccountTransactions(idOf(words), untyped(words.query), options),
  listTransactions: (client, { query }, options) => client.listTransactions(untyped(query), options),
  updateMerchantAsset: (client, words, options) =>
    client.updateMerchantAsset(assetOf(words), untyped(words.body), options),
  listPaymentIntents: (client, { query }, options) => client.listPaymentIntents(untyped(query), options),
  getPayin: (client, words, options) => client.getPayin(idOf(words), options),
  listSettlementAccounts: (client, _, options) => client.listSettlementAccounts(options),
  listSettlementPaymentMethods: (client, { query }, options) =>
    client.listSettlementPaymentMethods(untyped(query), options),
  getBalance: (client, words, options) => client.getBalance(assetOf(words), options),
  getProduct: (client, words, options) => client.getProduct(idOf(words), options),
  listPublicAssets: (client, _, options) => client.listPublicAssets(options),
  listWebhookEndpoints: (client, _, options) => client.listWebhookEndpoints(options),
  listWebhookDeliveries: (client, { query }, options) => client.listWebhookDeliveries(untyped(query), options),
  listPayouts: (client, { query }, options) => client.listPayouts(untyped(query), options),
};
