import type { Knex } from 'knex';
import { compareWithTruth, readTruth } from '../drills/fault/compare-truth.js';
import { countAnswers, loggedDeliveries } from '../support/deliveries.js';
import { differingStatuses, lostDeliveries, repeatedChanges } from '../support/reckoning.js';
import type { World } from './chaos-world.js';

/** What is wrong after a scenario, as texts; every list is empty where nothing is. */
export interface Verdict {
  /** Answered 200, and not in the inbox, or not applied. */
  lost: string[];
  /** Changes that happened twice, or that do not go on where the one before ended. */
  twice: string[];
  /** Records and orders that are not what the service shows. */
  differing: string[];
  /** What should have been refused and was answered 200, or left a trace in the records. */
  forged: string[];
  /** Answers that no contract knows. */
  answers: string[];
  /** Processes that ended other than by our kill. */
  died: string[];
  /** Alarms for which there was no reason. */
  alarms: string[];
  memory: string[];
}

/** Of the receiver, MB: bodies under way and bodies that wait to be stored are bounded at 64 MB each. */
const MOST_RECEIVER_MB = 256;

/** Status codes of the interface; a connection that ended without an answer is none. */
const CONTRACT = ['200', '400', '401', '405', '413', '415', '503', 'none'];
/** What an HTTP server answers whoever does not finish a request. */
const TO_SLOW_SENDERS = ['400 to a slow sender', '408 to a slow sender', '503 to a slow sender'];
/** Nothing in these worlds is a reason for them. */
const UNREASONABLE = ['phantom_delivery', 'record_not_at_service', 'id_collision'];

/** To be asked once all is healed, delivered, applied and read. */
export async function judge(world: World, peakMb: number): Promise<Verdict> {
  const { db, sandbox, strangers, installation, load, day } = world;
  const kinds = await compareWithTruth(db, await readTruth(sandbox));
  const orders = [
    ...[...day.orders].map(([reference, { status }]) => [reference, status] as const),
    ...[...load.payments.values()].map(({ reference, order }) => [reference, order] as const),
  ];
  const seen = [...Object.keys(countAnswers(await loggedDeliveries(sandbox))), ...strangers.answers.keys()];
  const known = [...CONTRACT, ...TO_SLOW_SENDERS];
  return {
    lost: [...(await lostDeliveries(db, sandbox)), ...(await lostPosts(world)), ...(await unapplied(db))],
    twice: await repeatedChanges(db),
    differing: [
      ...kinds.flatMap(({ kind, differences }) => differences.map((one) => `${kind} ${one}`)),
      ...(await differingStatuses(db, orders)),
      ...sandbox.control.ledgerProblems(),
    ],
    forged: [...strangers.wronglyAccepted, ...(await forgedRecords(db))],
    answers: seen.filter((status) => !known.includes(status)),
    died: installation.died(),
    alarms: await db('breaks')
      .whereIn('kind', UNREASONABLE)
      .whereNot({ status: 'auto_resolved' })
      .select(db.raw(`kind || ' ' || entity_id AS name`))
      .then((rows: { name: string }[]) => rows.map(({ name }) => name)),
    memory: peakMb > MOST_RECEIVER_MB ? [`the receiver held ${Math.round(peakMb)} MB`] : [],
  };
}

export const isClean = (verdict: Verdict): boolean => Object.values(verdict).every((found) => found.length === 0);

/** Answered 200 to us, and not in the inbox with that content. */
async function lostPosts({ db, strangers }: World): Promise<string[]> {
  const rows: { id: string; body: Buffer }[] = await db('inbox').select('id', 'body');
  const stored = new Map(rows.map(({ id, body }) => [id, JSON.stringify(JSON.parse(body.toString('utf8')))]));
  return strangers.acknowledged
    .filter(({ id, body }) => stored.get(id) !== body)
    .map(({ id }) => `a stranger's event, inbox ${id}`);
}

async function unapplied(db: Knex): Promise<string[]> {
  const rows: { id: string; status: string }[] = await db('inbox')
    .whereNot({ status: 'applied' })
    .select('id', 'status');
  return rows.map(({ id, status }) => `inbox ${id} is ${status}`);
}

async function forgedRecords(db: Knex): Promise<string[]> {
  const payments: string[] = await db('payment_intents').whereLike('id', 'pi_forged%').pluck('id');
  const orders: string[] = await db('orders').whereLike('reference', 'forged-%').pluck('reference');
  return [...payments, ...orders];
}
