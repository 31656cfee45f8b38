import type { SandboxControl } from '../../src/sandbox/control.js';
import { Random } from '../reconcile/random.js';

const faultNames = [
  'kill serve',
  'kill work',
  'kill schedule',
  'kill all',
  'postgres restarts, fast',
  'postgres restarts, immediate',
  'postgres fails over',
  'postgres disk full',
  'postgres slow',
  'postgres refuses',
  'postgres hangs',
  'postgres half open',
  'postgres resets',
  'redis killed',
  'redis flushed',
  'redis slow',
  'redis refuses',
  'redis hangs',
  'redis half open',
  'redis resets',
  'clock ahead',
  'clock behind',
  'storm of duplicates',
  'storm of bodies',
  'slowloris',
  'idle connections',
  'forged flood',
  'bad bodies',
] as const;

export type FaultName = (typeof faultNames)[number];

/** All that a scenario does, by its seed alone. */
export interface Plan {
  seed: number;
  queue: 'postgres' | 'redis';
  faults: FaultName[];
  /** Payments that are made at once at the beginning of each fault. */
  burst: number;
  day: { payments: number; invoices: number; payouts: number; movements: number };
  /** What the service does wrong meanwhile, and how it sends. */
  service: Parameters<SandboxControl['setFaults']>[0];
}

/** What a scenario may not be given here. */
export interface Means {
  redis: boolean;
  disk: boolean;
}

/** Seeds that follow each other have nothing in common. */
const SCATTER = 0x9e3779b1;

/** The first fault goes through all of them as the seed goes up; the others are drawn. */
export function planOf(seed: number, means: Means, faults: number): Plan {
  const random = new Random(Math.imul(seed, SCATTER));
  const possible = faultNames.filter((name) => isPossible(name, means));
  const chosen: FaultName[] = [possible[(seed - 1) % possible.length] ?? 'kill all'];
  while (chosen.length < faults) {
    const next = random.pick(possible);
    if (!chosen.includes(next)) chosen.push(next);
  }
  const needsRedis = chosen.some((name) => name.startsWith('redis'));
  return {
    seed,
    queue: needsRedis || (means.redis && random.below(3) === 0) ? 'redis' : 'postgres',
    faults: chosen,
    burst: 10 + random.below(30),
    day: {
      payments: 10 + random.below(20),
      invoices: random.below(5),
      payouts: 1 + random.below(5),
      movements: random.below(10),
    },
    service: {
      duplicate: random.below(3) * 0.1,
      reorder: random.below(2) * 0.2,
      reorderSeconds: 2,
      corrupt: random.below(2) * 0.03,
      forge: random.below(2) * 0.1,
      restamp: random.below(3) === 0,
      eventId: random.pick(['none', 'envelope', 'header']),
      shape: random.pick(['full', 'full', 'full', 'partial', 'wrapped']),
      rateLimit: random.below(3) * 0.02,
      serverError: random.below(3) * 0.02,
      cut: random.below(2) * 0.02,
      cursor: random.pick(['orm', 'key']),
    },
  };
}

function isPossible(name: FaultName, { redis, disk }: Means): boolean {
  if (name.startsWith('redis')) return redis;
  return name !== 'postgres disk full' || disk;
}
