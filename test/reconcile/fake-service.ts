import { pino } from 'pino';
import type { Json, JsonObject } from '../../src/domain/json.js';
import type { ReconcileDeps, ReconcileSettings } from '../../src/reconcile/deps.js';
import type { ServiceReader } from '../../src/reconcile/service-reader.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { NotFoundError, RateLimitedError, UnauthorizedError } from '../../src/service-api/service-errors.js';
import type { TestDatabase } from '../support/database.js';
import { MovingList } from './moving-list.js';
import { Random } from './random.js';

export const DAY = 86_400_000;

const refusal = { operation: 'listPaymentIntents', serviceCode: null, serviceMessage: null, isOwnWord: false };
export const unauthorized = () => new UnauthorizedError('the API key is not accepted', { ...refusal, status: 401 });
export const rateLimited = () => new RateLimitedError({ ...refusal, status: 429 }, 1_000);
const notFound = () => new NotFoundError('not found', { ...refusal, operation: 'getPayin', status: 404 });

/** The service as the reconcilers meet it: one moving list, by default of payment intents, and payins by id. */
export class FakeService implements ServiceReader {
  readonly list: MovingList;
  readonly payins = new Map<string, JsonObject>();
  asked: { operation: string; cursor: unknown; status: unknown }[] = [];

  constructor(list: MovingList) {
    this.list = list;
  }

  async reply(
    operation: string,
    request: { path?: Record<string, string>; query?: Record<string, string | number>; signal?: AbortSignal },
  ): Promise<{ data: Json; from: number; to: number }> {
    request.signal?.throwIfAborted();
    const { cursor, status, take } = request.query ?? {};
    this.asked.push({ operation, cursor, status });
    if (operation === 'getPayin') {
      const data = this.payins.get(request.path?.['id'] ?? '');
      if (!data) throw notFound();
      return { data, from: this.list.clock, to: this.list.clock + 50 };
    }
    return this.list.read({
      take: Number(take),
      ...(cursor === undefined ? {} : { cursor: String(cursor) }),
      ...(status === undefined ? {} : { status: String(status) }),
    });
  }

  serviceNow(): number {
    return this.list.clock;
  }
}

export const testSettings: ReconcileSettings = {
  missedGraceMs: 900_000,
  payoutGraceMs: DAY,
  publicUrl: null,
  webhookPath: '/webhooks',
  eventIdPointer: 'auto',
};

/** Time is the list's own, so that a test decides what is an hour. */
export function depsOf(database: TestDatabase, service: FakeService): ReconcileDeps {
  return {
    db: database.db,
    databaseUrl: database.url,
    log: pino({ level: process.env.TEST_LOG ?? 'silent' }),
    now: () => new Date(service.list.clock),
    client: service,
    contract: defaultContract,
    settings: testSettings,
    adoptedAt: new Date('2026-01-01T00:00:00Z'),
  };
}

/** A list that holds still, of payments of the last twenty days. */
export function serviceWith(payments: number): FakeService {
  const list = new MovingList(new Random(7), { semantics: 'orm', pageCap: 100, deletes: false, grainMs: 1 });
  list.restlessness = 0;
  list.grow(payments, 20 * DAY);
  list.clock += 60_000;
  return new FakeService(list);
}
