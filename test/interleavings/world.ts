import * as fc from 'fast-check';
import type { Observation } from '../../src/domain/observation.js';
import { closeRecords } from '../domain/laws/close-worlds.js';
import { at } from '../records/observed.js';
import { signedHeaders } from '../support/signed.js';
import { randomOf } from './gate.js';
import { type Failure, failures } from './stage.js';

/** A webhook as it is sent. */
export interface Delivery {
  body: Buffer;
  headers: Record<string, string[]>;
  label: Label;
}

type Label = 'old' | 'new';

/** Who acts beside the two savers. */
const parts = ['events', 'sweeper', 'retirer', 'leaders', 'reader'] as const;

/** What the actors of one seed do, and what befalls them. */
export interface World {
  seed: number;
  cast: ReadonlySet<(typeof parts)[number]>;
  /** Is saved before they begin. */
  known: Observation[];
  /** Transactions of each of two savers. */
  savers: [Observation[][], Observation[][]];
  /** Pages of the list that whoever leads reads. */
  pages: Observation[][];
  /** Stored before: what a worker was told of, and what only the sweep finds. */
  told: Delivery[];
  stranded: Delivery[];
  /** Arrives meanwhile. */
  arriving: Delivery[];
  /** Which arrivals come after the receiver asked anew which secrets are retired. */
  asks: boolean[];
  /** After how many statements the leader loses its lock; whether it heeds that by itself. */
  lockLostAfter: number;
  heeds: boolean;
  /** How many changes the reader of the feed takes at once, and how often it looks while others write. */
  take: number;
  looks: number;
  failure: Failure | null;
  stay: number;
}

export const SECRETS = [
  { label: 'old', secret: 'whsec_old' },
  { label: 'new', secret: 'whsec_new' },
] as const;

/** A failure befalls one of so many statements. */
const STATEMENTS = 120;

export function worldOf(seed: number): World {
  const random = randomOf(seed);
  const [records] = fc.sample(closeRecords(at(0)), { seed, numRuns: 1 });
  const { proofs, reports } = records ?? { proofs: [], reports: [] };
  const isWhole = random(3) === 0;
  const shuffled = shuffle(proofs, random);
  const known = shuffled.splice(0, random(4));
  const deal = (share: number): Observation[] => shuffled.filter(() => random(10) < share);
  const [one, other, listed] = [deal(6), deal(6), deal(3).filter(({ source }) => source.type === 'poll')];
  const left = shuffled.filter((each) => ![...one, ...other, ...listed].includes(each));
  const said = [...reports, ...shuffled.filter(() => random(10) < 2)].flatMap((each) => deliveryOf(each, random));
  const deliveries = shuffle(said, random).slice(0, 6);
  return {
    seed,
    // In small companies the same few meet more often.
    cast: new Set(parts.filter(() => isWhole || random(2) === 0)),
    known,
    savers: [batches([...one, ...left], random), batches(other, random)],
    pages: batches(listed, random).slice(0, 2),
    told: deliveries.slice(0, 2),
    stranded: deliveries.slice(2, 4),
    arriving: deliveries.slice(4),
    asks: deliveries.slice(4).map(() => random(2) === 0),
    lockLostAfter: 1 + random(60),
    heeds: random(2) === 0,
    take: 1 + random(8),
    looks: random(6),
    failure: random(10) < 4 ? null : { kind: failures[random(failures.length)]!, at: random(STATEMENTS) },
    stay: [0, 5, 8, 9][random(4)]!,
  };
}

function batches(observations: Observation[], random: (below: number) => number): Observation[][] {
  if (observations.length === 0) return [];
  const cut = 1 + random(observations.length);
  return [observations.slice(0, cut), observations.slice(cut)].filter(({ length }) => length > 0);
}

function shuffle<T>(items: readonly T[], random: (below: number) => number): T[] {
  const left = [...items];
  return items.map(() => left.splice(random(left.length), 1)[0]!);
}

function deliveryOf(said: Observation, random: (below: number) => number): Delivery[] {
  if (said.type !== 'claim' && said.type !== 'reading') return [];
  const { label, secret } = SECRETS[random(2)]!;
  const timestamp = Math.floor(said.from / 1_000);
  const body = Buffer.from(JSON.stringify({ event: `${said.kind}.updated`, timestamp, data: said.fields }));
  const headers = Object.entries(signedHeaders(body, secret)).map(([name, value]) => [name, [value]]);
  return [{ body, headers: Object.fromEntries(headers) as Record<string, string[]>, label }];
}
