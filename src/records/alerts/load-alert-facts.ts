import type { Knex } from 'knex';
import type { AlertFacts, KindFacts } from '../../domain/alerts/facts.js';
import { waitingDecisions } from '../actions/decisions.js';
import { decidingSealCheck, oldestUnsealedSeconds, unverifiedSeconds } from '../audit/seal-checks.js';
import { balanceFacts } from '../balances/balance-proofs.js';
import { newPayoutFacts } from '../balances/new-payouts.js';
import { unclosedBreaks } from '../breaks/break-money.js';
import { callbackBacklog } from '../callbacks/list-callbacks.js';
import { countAwaited, countMissed, countSwallowed } from '../deliveries/list-deliveries.js';
import { replacedEndpoints } from '../deliveries/secret-endpoints.js';
import { heldByRefund, lastCompleteRuns, serviceOutage, serviceReturn } from '../gauges.js';
import { canaryFacts } from '../inbox/canaries.js';
import { inboxBacklog } from '../inbox/inbox-work.js';
import { rejectedSince } from '../inbox/rejections.js';
import { acceptsNoSecret, processHeartbeats, secretsFrom } from '../process-heartbeats.js';
import { coverage } from '../runs/coverage.js';
import { lastCalls } from '../service-notes.js';
import { countUnsettledWrites, lostCalls } from '../service-writes.js';
import { failingChannels } from './alert-channels.js';
import { differingSettings, valuesText } from './process-settings.js';
import { webhookFacts } from './webhook-facts.js';

export interface FactsAsked {
  now: Date;
  /** How far apart the runs of each kind are at most; a kind that is switched off is left out. */
  runEverySeconds: Readonly<Record<string, number>>;
  /** Those that are read; left out: those whose runs are on. */
  kinds?: readonly string[];
}

const HOUR_MS = 3_600_000;

/** One after the other, on one connection. */
export async function loadAlertFacts(db: Knex, asked: FactsAsked): Promise<AlertFacts> {
  const { now } = asked;
  const { taken, ...newPayouts } = await newPayoutFacts(db);
  const outage = await serviceOutage(db, now);
  return {
    ...(await webhookFacts(db, now)),
    noSecretAccepted: await acceptsNoSecret(db),
    secretsFrom: await secretsFrom(db),
    replacedEndpoints: await replacedEndpoints(db),
    rejected: await rejectedSince(db, new Date(now.getTime() - HOUR_MS), now),
    canary: await canaryFacts(db),
    backlog: await waitingEvents(db),
    missed: await countMissed(db),
    swallowed: await countSwallowed(db, now),
    awaited: await countAwaited(db, now),
    breaks: await unclosedBreaks(db, now),
    balances: await balanceFacts(db, now, taken),
    ...newPayouts,
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
    outage,
    ...(await serviceReturn(db, now, outage)),
    answeredSeconds: await answeredSeconds(db, now),
  };
}

async function answeredSeconds(db: Knex, now: Date): Promise<number | null> {
  const { answeredAt } = await lastCalls(db);
  return answeredAt === null ? null : Math.max(0, (now.getTime() - answeredAt) / 1_000);
}

async function waitingEvents(db: Knex): Promise<AlertFacts['backlog']> {
  const { received, failed, dead, oldestSeconds } = await inboxBacklog(db);
  return { waiting: received + failed, failed, dead, oldestSeconds };
}

async function kindFacts(db: Knex, { now, runEverySeconds, kinds = Object.keys(runEverySeconds) }: FactsAsked) {
  const covered = await coverage(db, kinds, now);
  const proven = new Map((await lastCompleteRuns(db, kinds)).map(({ kind, at }) => [kind, at]));
  const ago = (at: Date | undefined) => (at === undefined ? null : (now.getTime() - at.getTime()) / 1_000);
  return covered.map(
    ({ kind, completeUntil, ageSeconds, reason }): KindFacts => ({
      kind,
      everySeconds: runEverySeconds[kind] ?? null,
      provenSecondsAgo: ago(proven.get(kind)),
      completeUntil,
      ageSeconds,
      reason,
    }),
  );
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
