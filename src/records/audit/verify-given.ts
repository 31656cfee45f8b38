import type { Knex } from 'knex';
import { EVIDENCE_HASH, SAID_AT, SAID_STATUS } from '../breaks/said-state.js';
import { columnOf, raw, rowsOf } from '../database/statements.js';
import { findingOf, type ReportFinding } from './verify-head.js';

const NAMED = 100;
/** A mark of a settlement says what its action says. */
const MARKED =
  raw(`action = 'mark settlement' AND outcome = 'done' AND actions.at = said.at AND actions.actor = said.actor
  AND target = 'payout ' || left(payout_id, 200) AND reason = note AND details ->> 'amount' IS NOT DISTINCT FROM trim_scale(amount)::text
  AND (details ->> 'currency', details ->> 'on', details ->> 'reference', details ->> 'difference')
    IS NOT DISTINCT FROM (currency, arrived_on::text, bank_reference, difference)`);

/** Of what was said of one payout the newest counts: rows that are not in the order of their actions. */
const misplaced = (table: string, action: string) =>
  raw(`SELECT '${table}', id::text FROM (
    SELECT said.id, row_number() OVER (PARTITION BY payout_id ORDER BY said.id) AS place, row_number() OVER (PARTITION BY payout_id ORDER BY actions.id) AS done_as
    FROM ${table} AS said JOIN actions ON ${action}) AS placed WHERE place <> done_as`);

/** So does a rebooking. */
const REBOOKED =
  raw(`action = 'rebook attribution' AND outcome = 'done' AND actions.at = said.at AND actions.actor = said.actor AND reason = note
  AND details ->> 'attribution' = attribution_id::text AND details ->> 'rebooking' = said.id::text AND details ->> 'step' = step::text AND details ->> 'contra' = contra AND details ->> 'on' = booked_on::text`);

/** Whose refund a payout is has its sealed change; that a call of ours made nothing, the action that says so. */
const ASSIGNED_BY =
  raw(`SELECT FROM changes WHERE (entity_kind, entity_id, field) = ('payout', payout_id, 'assigned') AND changed_at = assigned_at
    AND (source_type, source_ref) = ('person', actor) AND to_value = '{"paymentIntentId":' || coalesce(to_json(payment_intent_id)::text, 'null') || '}'
  UNION ALL SELECT FROM actions WHERE action = 'settle call' AND outcome = 'done' AND at = assigned_at AND actions.actor = said.actor AND payment_intent_id IS NULL`);

/** Their actions, whichever they came with. */
const ASSIGNING = `action IN ('assign refund', 'settle call') AND outcome = 'done' AND actions.at = assigned_at AND actions.actor = said.actor`;

/**
 * What people give to the books comes with their action, in its transaction: rates, attributions, the files of a closing; and a posted entry is
 * valued anew only by rates that were given then. The database holds that for whoever has no right to disable its triggers.
 */
export async function verifyGiven(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<{ log: string; id: string }>(db)`
    SELECT 'given_rates' AS log, id::text AS id FROM given_rates AS given
    WHERE NOT EXISTS (SELECT FROM actions WHERE action = 'import rates' AND outcome = 'done' AND at = imported_at AND actor = given.actor)
    UNION ALL SELECT 'balance_attributions', max(id)::text FROM balance_attributions AS said
    GROUP BY asset_code, amount, actor, note, contra
    HAVING count(*) > (SELECT count(*) FROM actions WHERE action = 'attribute balance' AND outcome = 'done' AND actor = said.actor
      AND target = 'balance ' || asset_code AND reason = note AND details ->> 'amount' = trim_scale(amount)::text AND details ->> 'contra' IS NOT DISTINCT FROM contra)
    UNION ALL SELECT 'period_files', id::text FROM period_files
    WHERE NOT EXISTS (SELECT FROM actions WHERE action = 'close period' AND outcome = 'done' AND at = stored_at AND target = 'period ' || month)
    UNION ALL SELECT 'entry_rates', valued.id::text FROM entry_rates AS valued JOIN entries ON entries.id = entry_id
    WHERE valued_at <> posted_at AND NOT EXISTS (
      SELECT FROM given_rates WHERE given_rates.asset_code = valued.asset_code AND given_rates.currency = valued.currency
        AND given_rates.date = entries.day AND given_rates.rate = valued.rate AND imported_at = valued_at)
    UNION ALL SELECT 'settlement_arrivals', id::text FROM settlement_arrivals AS said
    WHERE NOT EXISTS (SELECT FROM actions WHERE ${MARKED})
    UNION ALL ${misplaced('settlement_arrivals', MARKED.text)}
    UNION ALL SELECT 'attribution_rebookings', id::text FROM attribution_rebookings AS said
    WHERE NOT EXISTS (SELECT FROM actions WHERE ${REBOOKED})
    UNION ALL SELECT 'refund_assignments', id::text FROM refund_assignments AS said WHERE NOT EXISTS (${ASSIGNED_BY})
    UNION ALL ${misplaced('refund_assignments', ASSIGNING)}
    UNION ALL SELECT 'actions', id::text FROM actions WHERE action = 'assign refund' AND outcome = 'done'
      AND NOT EXISTS (SELECT FROM refund_assignments AS said WHERE assigned_at = actions.at AND said.actor = actions.actor)
    UNION ALL SELECT 'actions', id::text FROM actions WHERE action = 'mark settlement' AND outcome = 'done'
      AND NOT EXISTS (SELECT FROM settlement_arrivals AS said WHERE ${MARKED})
    UNION ALL SELECT 'actions', id::text FROM actions WHERE action = 'rebook attribution' AND outcome = 'done'
      AND NOT EXISTS (SELECT FROM attribution_rebookings AS said WHERE ${REBOOKED})
    ORDER BY log, id LIMIT ${NAMED}`;
  await verifyDecisions(db, reportFinding);
  for (const { log, id } of rows) {
    const told =
      log === 'actions' ? `what action ${id} said is not there` : `row ${id} of ${log} has no action that it came with`;
    reportFinding(findingOf('action_missing', told, { log, from: id, rows: 1 }));
  }
}

/** What two people decide says the same as its actions, which are sealed. */
async function verifyDecisions(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const ids = await columnOf<string>(db)`
    SELECT id::text FROM decisions WHERE NOT decision_has_actions(decisions)
    UNION SELECT substr(target, 10) FROM actions AS done
    WHERE done.action = ANY (${DECIDING}::text[]) AND done.outcome <> 'refused' AND NOT EXISTS (
      SELECT FROM decisions WHERE 'decision ' || id = target AND (state <> 'waiting' OR done.action = ${ASKING}))
    ORDER BY 1 LIMIT ${NAMED}`;
  for (const id of ids) {
    const message = `decision ${id} is not what its actions say`;
    reportFinding(findingOf('decision_changed', message, { log: 'decisions', from: id, rows: 1 }));
  }
}

/** Who is at a break, by the newest action that says so. */
const OWNED = raw(`SELECT DISTINCT ON (target) target, details ->> 'owner' AS said FROM actions
  WHERE action IN ('acknowledge break', 'assign break', 'resolve break', 'write off break') AND outcome = 'done' AND jsonb_exists(details, 'owner')
  ORDER BY target, id DESC`);

/** A break is what its steps say, and what was written off is what the action says, which names both; all of these are sealed. */
export async function verifyBreaks(db: Knex, reportFinding: ReportFinding): Promise<void> {
  const rows = await rowsOf<{ id: string; told: string }>(db)`
    SELECT id::text, 'is ' || replace(status, '_', ' ') || ', and its steps say ' || coalesce(replace(said, '_', ' '), 'nothing') AS told
    FROM breaks CROSS JOIN LATERAL (SELECT ${SAID_STATUS} AS said, ${SAID_AT} AS said_at) AS steps
    WHERE status IS DISTINCT FROM said OR resolved_at IS DISTINCT FROM CASE WHEN status NOT IN ('open', 'acknowledged') THEN said_at END
    UNION ALL SELECT id::text, 'was opened when no step says' FROM breaks
    WHERE NOT EXISTS (SELECT FROM break_steps AS step WHERE break_id = breaks.id AND step.action = 'opened' AND at = opened_at)
    UNION ALL SELECT id::text, 'is not with whom it was given to' FROM breaks LEFT JOIN (${OWNED}) AS given ON target = 'break ' || id
    WHERE owner IS DISTINCT FROM given.said
    UNION ALL SELECT DISTINCT break_id::text, 'is not there, and its steps are' FROM break_steps
    WHERE NOT EXISTS (SELECT FROM breaks WHERE breaks.id = break_id)
    UNION ALL SELECT substr(target, 7), 'is not what was written off' FROM actions
    WHERE action = 'write off break' AND outcome = 'done' AND NOT EXISTS (
      SELECT FROM breaks WHERE target = 'break ' || id AND status = 'written_off' AND details ->> 'kind' = kind
        AND details ->> 'entity' = entity_kind || ' ' || entity_id AND coalesce(details ->> 'evidence', ${EVIDENCE_HASH}) = ${EVIDENCE_HASH})
    UNION ALL SELECT break_id::text, 'was written off without an action' FROM break_steps AS step
    WHERE step.action = 'written_off' AND NOT EXISTS (
      SELECT FROM actions WHERE target = 'break ' || break_id AND action = 'write off break' AND outcome = 'done' AND actor = step.actor)
    ORDER BY 1, 2 LIMIT ${NAMED}`;
  for (const { id, told } of rows)
    reportFinding(findingOf('break_changed', `break ${id} ${told}`, { log: 'breaks', from: id, rows: 1 }));
}

const ASKING = 'ask approval';
const DECIDING = [ASKING, ...['approve', 'refuse', 'withdraw', 'expire'].map((verb) => `${verb} decision`)];
