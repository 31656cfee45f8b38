import type { Knex } from 'knex';
import type { AlertFacts, KindFacts } from '../../domain/alerts/facts.js';
import { waitingDecisions } from '../actions/decisions.js';
import { decidingSealCheck, oldestUnsealedSeconds, unverifiedSeconds } from '../audit/seal-checks.js';
import { balanceFacts } from '../balances/balance-proofs.js';
import { unclosedBreaks } from '../breaks/break-money.js';
import { callbackBacklog } from '../callbacks/list-callbacks.js';
import { raw, rowOf } from '../database/statements.js';
import { countAwaited, countMissed, countSwallowed } from '../deliveries/list-deliveries.js';
import { heldByRefund, lastCompleteRuns, lastEndedRuns, runOutage } from '../gauges.js';
import { canaryFacts } from '../inbox/canaries.js';
import { inboxBacklog } from '../inbox/inbox-work.js';
import { minuteCounts, SENT } from '../inbox/minute-counts.js';
import { countForgedSince, countRejections, rejectedSince } from '../inbox/rejections.js';
import { acceptsNoSecret, processHeartbeats, secretsFrom } from '../process-heartbeats.js';
import { coverage } from '../runs/coverage.js';
import { countUnsettledWrites, lostCalls } from '../service-writes.js';
import { failingChannels } from './alert-channels.js';
import { differingSettings, valuesText } from './process-settings.js';

export interface FactsAsked {
  now: Date;
  /** How far apart the runs of each kind are at most; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Those that are read; left out: those whose runs are on. */
  kinds?: readonly string[];
}

/** One after the other, on one connection. */
export async function loadAlertFacts(db: Knex, asked: FactsAsked): Promise<AlertFacts> {
  const { now } = asked;
  return {
    webhooks: await countWebhooks(db, now),
    invalidSignatures: await countForged(db, now),
    expiredTimestamps: await countExpired(db, now),
    noSecretAccepted: await acceptsNoSecret(db),
    secretsFrom: await secretsFrom(db),
    rejected: await rejectedSince(db, minutesBefore(now, 60)),
    canary: await canaryFacts(db),
    backlog: await waitingEvents(db),
    missed: await countMissed(db),
    swallowed: await countSwallowed(db, now),
    awaited: await countAwaited(db),
    breaks: await unclosedBreaks(db),
    balances: await balanceFacts(db, now),
    lostCalls: await lostCalls(db),
    openCalls: (await countUnsettledWrites(db)).open,
    heldByRefund: await heldByRefund(db),
    decisions: await waitingDecisions(db, now),
    callbacks: await callbackBacklog(db),
    seals: await sealFacts(db, now),
    channels: await failingChannels(db),
    parts: await processHeartbeats(db),
    settings: (await differingSettings(db)).map((found) => ({ setting: found.setting, values: valuesText(found) })),
    ageSeconds: await ageOf(db, now),
    kinds: await kindFacts(db, asked),
    outage: await runOutage(db, now),
  };
}

async function waitingEvents(db: Knex): Promise<AlertFacts['backlog']> {
  const { received, failed, dead, oldestSeconds } = await inboxBacklog(db);
  return { waiting: received + failed, failed, dead, oldestSeconds };
}

async function kindFacts(db: Knex, { now, runEverySeconds, kinds = Object.keys(runEverySeconds) }: FactsAsked) {
  const covered = await coverage(db, kinds, now);
  const proven = new Map((await lastCompleteRuns(db, kinds)).map(({ kind, at }) => [kind, at]));
  const ended = new Map((await lastEndedRuns(db, kinds)).map(({ kind, at }) => [kind, at]));
  const ago = (at: Date | undefined) => (at === undefined ? null : (now.getTime() - at.getTime()) / 1_000);
  return covered.map(
    ({ kind, completeUntil, ageSeconds, reason }): KindFacts => ({
      kind,
      everySeconds: runEverySeconds[kind] ?? null,
      provenSecondsAgo: ago(proven.get(kind)),
      completeUntil,
      ageSeconds,
      reason,
      endedSecondsAgo: ago(ended.get(kind)),
    }),
  );
}

const HALF_HOUR = 30;
const SIX_HOURS = 360;

/** The six hours are counted only where nothing came lately. */
async function countWebhooks(db: Knex, now: Date): Promise<AlertFacts['webhooks']> {
  const since = minutesBefore(now, HALF_HOUR);
  const { lately } = await rowOf<{ lately: boolean }>(db)`
    SELECT coalesce((SELECT received_at FROM inbox WHERE ${raw(SENT)} ORDER BY id DESC LIMIT 1) > ${since}, false)
        OR coalesce((SELECT rejected_at FROM rejections ORDER BY id DESC LIMIT 1) > ${since}, false) AS lately`;
  if (lately) return { halfHour: 1, before: 0 };
  const counts = await minuteCounts(db, now, HALF_HOUR + SIX_HOURS);
  return { halfHour: 0, before: sum(counts.map(requestsOf)) };
}

type Minute = Awaited<ReturnType<typeof minuteCounts>>[number];

function requestsOf({ applied, waiting, notApplied, rejected }: Minute): number {
  return applied + waiting + notApplied + rejected;
}

/**
 * What has the service's headers, apart from noise. Of rejected requests samples are kept, and the hour's number: whichever
 * shows the larger share counts.
 */
async function countForged(db: Knex, now: Date): Promise<AlertFacts['invalidSignatures']> {
  const hour = new Date(Math.floor(now.getTime() / 3_600_000) * 3_600_000);
  const intoHour = Math.max(1, Math.ceil((now.getTime() - hour.getTime()) / 60_000));
  const lastMatch = await db('secrets').max<{ at: Date | null }>('last_match_at as at').first();
  const since = Math.max(minutesBefore(now, HALF_HOUR).getTime(), lastMatch?.at?.getTime() ?? 0);
  const [sinceMatch, forged, hourly, minutes] = await Promise.all([
    countForgedSince(db, new Date(since)),
    countForgedSince(db, minutesBefore(now, 5)),
    rowOf<{ forged: number }>(db)`
      SELECT coalesce(sum(like_service), 0)::float8 AS forged FROM rejection_counts
      WHERE hour >= ${hour} AND reason = 'invalid_signature'`,
    minuteCounts(db, now, Math.max(intoHour, 6)),
  ]);
  const taken = (part: Minute[]) => sum(part.map((minute) => requestsOf(minute) - minute.rejected));
  const lately = shareOf(forged, forged + taken(minutes.slice(-6)));
  const ofHour = shareOf(hourly.forged, hourly.forged + taken(minutes.slice(-intoHour)));
  return { sinceMatch, fiveMinutes: forged, share: Math.max(lately, ofHour) };
}

/** Beside them only what came by webhook counts: what was recovered meanwhile says nothing of a clock. */
async function countExpired(db: Knex, now: Date): Promise<AlertFacts['expiredTimestamps']> {
  const since = minutesBefore(now, HALF_HOUR);
  const expired = await countRejections(db, 'expired_timestamp', since);
  if (expired === 0) return { halfHour: 0, share: 0 };
  const { taken } = await rowOf<{ taken: number }>(db)`
    SELECT count(*)::integer AS taken FROM (SELECT received_at FROM inbox WHERE ${raw(SENT)}
      ORDER BY id DESC LIMIT ${SAMPLED}) AS newest WHERE received_at > ${since}`;
  return { halfHour: expired, share: shareOf(expired, expired + taken) };
}

/** So many of the newest are read. */
const SAMPLED = 500;

function minutesBefore(now: Date, minutes: number): Date {
  return new Date(now.getTime() - minutes * 60_000);
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}

async function sealFacts(db: Knex, now: Date): Promise<AlertFacts['seals']> {
  const check = await decidingSealCheck(db);
  return {
    oldestUnsealedSeconds: await oldestUnsealedSeconds(db, now),
    unverifiedSeconds: await unverifiedSeconds(db, now),
    findings: check?.findings ?? null,
  };
}

async function ageOf(db: Knex, now: Date): Promise<number> {
  const row = await db<{ created_at: Date }>('installation').first('created_at');
  return row === undefined ? 0 : (now.getTime() - row.created_at.getTime()) / 1_000;
}
