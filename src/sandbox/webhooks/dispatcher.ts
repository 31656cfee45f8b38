import type { SandboxClock } from '../base/clock.js';
import type { Delivery } from './delivery.js';
import type { Endpoint } from './endpoints.js';

/** Runs attempts: bounded per endpoint, in order of their coming, retried by the schedule of the sandbox's clock. */
export interface Dispatcher {
  /** First attempt after so many seconds. */
  start(delivery: Delivery, delaySeconds: number): void;
  /** Resolves when no attempt is due or under way. Retries that lie ahead do not count. */
  idle(): Promise<void>;
  close(): void;
}

export interface DispatcherOptions {
  clock: SandboxClock;
  concurrency: number;
  retrySchedule: readonly number[];
  /** One attempt, noted in the delivery; true when it was answered with 2xx. */
  attempt: (delivery: Delivery) => Promise<boolean>;
}

interface Lane {
  waiting: Delivery[];
  taken: number;
  active: number;
}

export function createDispatcher({ clock, concurrency, retrySchedule, attempt }: DispatcherOptions): Dispatcher {
  const lanes = new Map<Endpoint, Lane>();
  const idlers: (() => void)[] = [];
  let open = 0;
  let closed = false;

  const finish = (delivery: Delivery, succeeded: boolean): void => {
    const wait = retrySchedule[delivery.attempts.length - 1];
    delivery.nextRetryAt = null;
    if (succeeded) delivery.status = 'succeeded';
    else if (wait === undefined || delivery.endpoint.isDeleted) delivery.status = 'failed';
    else retryAt(delivery, clock.now() + wait * 1000);
  };

  const retryAt = (delivery: Delivery, due: number): void => {
    delivery.nextRetryAt = due;
    clock.at(due, () => enqueue(delivery));
  };

  const run = async (lane: Lane, delivery: Delivery): Promise<void> => {
    lane.active += 1;
    const succeeded = await attempt(delivery);
    lane.active -= 1;
    open -= 1;
    if (closed) return;
    finish(delivery, succeeded);
    pump(lane);
    if (open === 0) for (const wake of idlers.splice(0)) wake();
  };

  const pump = (lane: Lane): void => {
    while (lane.active < concurrency) {
      const next = takeNext(lane);
      if (!next) break;
      void run(lane, next);
    }
  };

  const enqueue = (delivery: Delivery): void => {
    if (closed) return;
    const lane = lanes.get(delivery.endpoint) ?? { waiting: [], taken: 0, active: 0 };
    lanes.set(delivery.endpoint, lane);
    open += 1;
    lane.waiting.push(delivery);
    pump(lane);
  };

  return {
    start(delivery, delaySeconds) {
      if (delaySeconds <= 0) enqueue(delivery);
      else clock.at(clock.now() + delaySeconds * 1000, () => enqueue(delivery));
    },
    idle: () => (open === 0 ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve))),
    close() {
      closed = true;
      for (const wake of idlers.splice(0)) wake();
    },
  };
}

/** A queue without the cost of shifting a long array for each element. */
function takeNext(lane: Lane): Delivery | undefined {
  const next = lane.waiting[lane.taken];
  if (next) lane.taken += 1;
  if (lane.taken > 1000 && lane.taken * 2 > lane.waiting.length) {
    lane.waiting.splice(0, lane.taken);
    lane.taken = 0;
  }
  return next;
}
