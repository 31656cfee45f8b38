import type { Knex } from 'knex';
import type { AlertFacts } from '../../domain/alerts/facts.js';
import { retiredLast } from '../../domain/deliveries/last-secret.js';
import { isOver, type OpenAlert, type State, stateOf } from '../../domain/state/state.js';
import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import { countUnclosed, type UnclosedCount } from '../breaks/list-breaks.js';
import { rowOf } from '../database/statements.js';
import { retiredLabels } from '../deliveries/secrets.js';
import { type MinuteCount, minuteCounts } from '../inbox/minute-counts.js';
import { adoptedAtOf } from '../installation.js';
import { paidAndHeld } from '../order-row.js';
import { type CausesKnown, type ReasonCount, rejectionsByReason } from './list-rejections.js';
import { type FactsAsked, loadAlertFacts } from './load-alert-facts.js';
import { type AlertRow, openAlerts } from './settle-alerts.js';

export interface StateAsked extends FactsAsked {
  /** The evidence of all secrets; read only where one was retired. Left out: receivers alone say whether they accept any. */
  secretsStatus?: (() => Promise<{ items: SecretStatus[] }>) | undefined;
}

export interface KnownState {
  state: State;
  facts: AlertFacts;
  /** Those that have not ended; `isOver`: they are to, within minutes. */
  alerts: readonly (AlertRow & OpenAlert & { isOver: boolean })[];
  figures: Figures;
}

/** How the whole is now: all of it as it was at one moment. */
export async function loadState(db: Knex, asked: StateAsked): Promise<KnownState> {
  const allRetired = await isEachRetired(db, asked);
  const { loaded, alerts, figures } = await db.transaction(
    async (trx) => {
      const read = await loadAlertFacts(trx, asked);
      const causes = { replaced: read.replacedEndpoints, from: read.secretsFrom };
      return { loaded: read, alerts: await openAlerts(trx), figures: await loadFigures(trx, asked.now, causes) };
    },
    { isolationLevel: 'repeatable read', readOnly: true },
  );
  const facts = { ...loaded, noSecretAccepted: loaded.noSecretAccepted === true || allRetired };
  const open = alerts.map((row) => ({ ...row, seenAt: row.seen_at, isFiring: row.fired_at !== null }));
  const known = open.map((row) => ({ ...row, isOver: isOver(row, facts, asked.now) }));
  return { facts, alerts: known, state: stateOf(facts, open, asked.now), figures };
}

/** Null: it could not be read. */
async function isEachRetired(db: Knex, { secretsStatus }: StateAsked): Promise<boolean | null> {
  if (secretsStatus === undefined || (await retiredLabels(db)).length === 0) return false;
  return secretsStatus().then(
    ({ items }) => items.length > 0 && retiredLast(items) !== null,
    () => null,
  );
}

/** Numbers of the whole, beside what is wrong. */
export interface Figures {
  /** The last 60. */
  minutes: readonly MinuteCount[];
  /** Of these, all of them. */
  received: number;
  rejected: number;
  /** Orders since the adoption that are paid, or said to be, and are not released. */
  ordersHeld: number;
  /** Those of them that only webhooks say to be paid. */
  ordersReported: number;
  /** Of seven days. */
  reasons: readonly ReasonCount[];
  unclosed: readonly UnclosedCount[];
}

export async function loadFigures(db: Knex, now: Date, causes?: CausesKnown): Promise<Figures> {
  const adoptedAt = await adoptedAtOf(db);
  const [minutes, { held, reported }] = await Promise.all([
    minuteCounts(db, now, 60),
    rowOf<{ held: number; reported: number }>(db)`
      SELECT count(*)::integer AS held, (count(*) FILTER (WHERE status = 'paid_unverified'))::integer AS reported FROM orders WHERE ${paidAndHeld(adoptedAt)}`,
  ]);
  const sum = (of: (minute: MinuteCount) => number) => minutes.reduce((all, one) => all + of(one), 0);
  return {
    minutes,
    received: sum(({ applied, waiting, notApplied }) => applied + waiting + notApplied),
    rejected: sum(({ rejected }) => rejected),
    ordersHeld: held,
    ordersReported: reported,
    reasons: await rejectionsByReason(db, now, causes),
    unclosed: await countUnclosed(db, now),
  };
}
