import { type Plain, plain } from './domain/json.js';
import { USUAL_RATE } from './domain/own-calls.js';
import { AppError, ConfigError } from './errors.js';
import type { SharedCalls, SharedCallsOptions } from './own-calls/share-calls.js';
import type * as records from './service-api/answer-records.js';
import { ServiceClient, type ServiceClientOptions } from './service-api/client.js';
import { defaultContract } from './service-api/contract.js';
import type { KeyStore, SettledWrite } from './service-api/key-store.js';
import { type OperationName, operationNames } from './service-api/operations.js';
import { NotSentError } from './service-api/service-errors.js';
import type { Answered as AnsweredCall } from './service-api/service-writes.js';

export type { PlainJson as Json } from './domain/json.js';
export { ConfigError } from './errors.js';
export type { CallOptions, CreateOptions, Reply } from './service-api/client.js';
export { type Contract, defaultContract, loadContract } from './service-api/contract.js';
export type { KeyStore, SettledWrite } from './service-api/key-store.js';
export { items, type Page, pages } from './service-api/pages.js';
export type {
  AccountUpdateRequest,
  DirectPaymentRequest,
  InvoiceRequest,
  MerchantAssetUpdateRequest,
  PayoutRequest,
  RefundRequest,
  TransferRequest,
} from './service-api/request-schemas.js';
export {
  CircuitOpenError,
  ContractViolationError,
  ForbiddenError,
  ForeignAnswerError,
  InvalidRequestError,
  NotFoundError,
  NotSentError,
  OutcomeUnknownError,
  RateLimitedError,
  RefusalError,
  RefusedError,
  ServiceError,
  TooLateError,
  UnauthorizedError,
  UnavailableError,
} from './service-api/service-errors.js';

export type Answered = Plain<AnsweredCall>;
export type Balance = Plain<records.Balance>;
export type DeliveryPage = Plain<records.DeliveryPage>;
export type DirectPayment = Plain<records.DirectPayment>;
export type Invoice = Plain<records.Invoice>;
export type Payin = Plain<records.Payin>;
export type PaymentIntent = Plain<records.PaymentIntent>;
export type Payout = Plain<records.Payout>;
export type Product = Plain<records.Product>;
export type PublicAsset = Plain<records.PublicAsset>;
export type SettlementAccount = Plain<records.SettlementAccount>;
export type SubWallet = Plain<records.SubWallet>;
export type Transaction = Plain<records.Transaction>;
export type WebhookEndpoint = Plain<records.WebhookEndpoint>;

export interface MerchantClientOptions extends Omit<ServiceClientOptions, 'onAnswer'> {
  /**
   * The database of Tallyhook. With it the client keeps to SERVICE_RATE together with all other processes; creating calls are
   * written down there before they are sent, so that they outlive the process; and Tallyhook learns of all that it changes.
   * The driver is loaded by the first call; `close` the client after the last. Without it, and without a `keyStore`, Tallyhook
   * learns of a refund only from polls and the delivery history, and can't see from them which payment it was for.
   */
  databaseUrl?: string;
  /** SERVICE_RATE: calls per second of all processes on the database together; 5 unless given. */
  callsPerSecond?: number;
  /**
   * After every call that changed something, before it resolves. What it throws is logged; a creating call is then handed
   * over again when it is settled.
   */
  onAnswer?: (answered: Answered) => Promise<void>;
}

/** The methods of the inner client, their answers in plain JSON. */
type PlainCalls<Client> = {
  [Name in keyof Client]: Client[Name] extends (...given: infer Given) => Promise<infer Answer>
    ? (...given: Given) => Promise<Plain<Answer>>
    : never;
};

/**
 * The payment service's Merchant API for the program of a store: one method per endpoint, as ServiceClient describes them.
 * An answer is JSON as JavaScript has it; a number that a double would change (12345678901234567890) is its text, a string.
 *
 * With `databaseUrl` a call rejects with a NotSentError where the database can't be reached, and with a ConfigError or
 * SchemaError where it is of another service or version. Nothing was sent then.
 */
export interface MerchantClient extends PlainCalls<Pick<ServiceClient, OperationName>> {
  /**
   * Asks once more, under the same key, for what creating calls that began in the last ten minutes left unknown, and gives
   * up what is older; searches for invoices of unknown outcome, and sends none. Of each how it ended. With `databaseUrl` the
   * scheduler does so too.
   */
  settleWrites(signal?: AbortSignal): Promise<SettledWrite[]>;
  /** After the last call: closes the connections to the database. */
  close(): Promise<void>;
}

class PlainClient {
  readonly #inner: ServiceClient;
  readonly #shared: ReturnType<typeof shareWhenCalled> | null;

  constructor({ databaseUrl, callsPerSecond = USUAL_RATE, onAnswer, ...given }: MerchantClientOptions) {
    if (databaseUrl === '' || (databaseUrl !== undefined && given.keyStore !== undefined))
      throw new ConfigError('databaseUrl: accepted is the address of a Postgres, without a keyStore beside it');
    const { baseUrl, contract = defaultContract } = given;
    this.#shared =
      databaseUrl === undefined ? null : shareWhenCalled({ databaseUrl, baseUrl, contract, perSecond: callsPerSecond });
    const { keyStore, takeSlot } = this.#shared ?? given;
    this.#inner = new ServiceClient({
      ...given,
      ...(keyStore && { keyStore }),
      ...(takeSlot && { takeSlot }),
      onAnswer: async (answered) => {
        await this.#shared?.observe(answered);
        await onAnswer?.(plain(answered));
      },
    });
  }

  async settleWrites(signal?: AbortSignal): Promise<SettledWrite[]> {
    await this.#shared?.ready('settleWrites');
    return this.#inner.settleWrites(signal);
  }

  async close(): Promise<void> {
    await this.#shared?.close();
  }

  static {
    for (const name of operationNames) {
      const call = async function call(this: PlainClient, ...given: unknown[]): Promise<unknown> {
        await this.#shared?.ready(name);
        const method = this.#inner[name] as (...given: unknown[]) => Promise<object>;
        return plain(await method.apply(this.#inner, given));
      };
      Object.defineProperty(this.prototype, name, { value: call, writable: true, configurable: true });
    }
  }
}

export const MerchantClient = PlainClient as unknown as new (options: MerchantClientOptions) => MerchantClient;

const METHODS = ['begin', 'end', 'claim', 'giveUp', 'rivals', 'made'] as const satisfies (keyof KeyStore)[];

/**
 * The same as shareCalls, before the database is open: the driver is loaded, and the database connected to, by the first call.
 * `ready` rejects with a NotSentError, a ConfigError or a SchemaError; the next call then tries anew.
 */
function shareWhenCalled(options: SharedCallsOptions): SharedCalls & { ready(operation: string): Promise<void> } {
  let opened: Promise<SharedCalls> | null = null;
  const open = () => {
    opened ??= import('./own-calls/share-calls.js')
      .then(({ shareCalls }) => shareCalls(options))
      .catch((error: unknown) => {
        opened = null;
        throw error;
      });
    return opened;
  };
  const store = METHODS.map((name) => [
    name,
    async (...given: unknown[]) => {
      const { keyStore } = await open();
      return (keyStore[name] as ((...given: unknown[]) => unknown) | undefined)?.(...given);
    },
  ]);
  return {
    ready: async (operation) => {
      try {
        await open();
      } catch (error) {
        throw error instanceof AppError ? error : new NotSentError(operation, error);
      }
    },
    keyStore: Object.fromEntries(store) as KeyStore,
    takeSlot: async (signal, operation) => {
      try {
        await (await open()).takeSlot(signal, operation);
      } catch (error) {
        signal.throwIfAborted();
        throw new NotSentError(operation, error);
      }
    },
    observe: async (answered) => (await open()).observe(answered),
    close: async () => {
      const open = await opened?.catch(() => null);
      opened = null;
      await open?.close();
    },
  };
}
