import type { z } from 'zod';
import { canonicalHash, canonicalJson } from '../../domain/canonical-json.js';
import { fromJsonText } from '../../domain/json.js';
import {
  type GatedAction,
  type Person,
  stateAfter,
  type Verdict,
  whatDiffers,
  whyNotAsk,
  whyNotDecide,
} from '../../domain/two-people.js';
import type { DecisionView } from '../../domain/views/operation-shapes.js';
import {
  type DecisionRow,
  decisionOf,
  insertDecision,
  lockDecision,
  saveDecided,
  waitingFor,
} from '../../records/actions/decisions.js';
import { recordAction } from '../../records/actions/record-action.js';
import { lockBooks } from '../../records/books/posting-progress.js';
import { isRowId } from '../../records/database/paging.js';
import { inTransaction, type Trx } from '../../records/database/statements.js';
import type { ClosingDeps } from '../periods/close-period.js';
import { oneMoment } from '../posting-deps.js';
import { attributing } from './attributing.js';
import type { DecisionKind, Request } from './decision-kind.js';
import { importing, marking, writingOff } from './money-decisions.js';
import { closing, reopening } from './period-decisions.js';
import { rebooking } from './rebooking.js';

/** What two people decide, each as the audit names it. */
const decisionKinds = {
  'attribute balance': attributing,
  'rebook attribution': rebooking,
  'write off break': writingOff,
  'import rates': importing,
  'mark settlement': marking,
  'close period': closing,
  'reopen period': reopening,
} as const satisfies Readonly<Record<GatedAction, unknown>>;

export type AskResult =
  /** Kept, or it waited before: nothing is done until another person approves it. */
  | { outcome: 'waits'; decision: DecisionView; message: string }
  /** In a sentence; nothing is kept to be approved. */
  | { outcome: 'refused'; why: string };

/** One shape for all: what `input` and `look` of one are made for never meets another. */
const kindOf = (action: GatedAction) => decisionKinds[action] as unknown as DecisionKind<unknown, unknown>;

/** What it would come to if it were done or asked for now, line by line, as a second person is shown it; keeps nothing. `why`: it can't be. */
export async function wouldDecide(
  deps: ClosingDeps,
  { action, input, reason }: Request,
): Promise<{ preview: readonly string[] } | { why: string }> {
  const kind = kindOf(action);
  const parsed = kind.input.safeParse(input);
  if (!parsed.success) return { why: notUnderstood(parsed.error) };
  const ready = await kind.prepare(deps);
  const look = async (trx: Trx) => {
    await lockBooks(trx);
    return kind.look(trx, parsed.data, { ready, reason });
  };
  return inTransaction(deps.db, true, look, oneMoment);
}

/** The gate of FOUR_EYES: keeps what is asked for, with what it would come to, and does nothing of it. */
export async function askDecision(deps: ClosingDeps, request: Request, person: Person): Promise<AskResult> {
  const { action } = request;
  const kind = kindOf(action);
  const reason = request.reason.trim();
  const parsed = kind.input.safeParse(request.input);
  if (!parsed.success) return { outcome: 'refused', why: notUnderstood(parsed.error) };
  const input = kind.complete?.(parsed.data, deps) ?? parsed.data;
  const about = { actor: person.name, reason };
  const subject = kind.subject(input);
  const mayNot = reason === '' ? 'a reason is needed' : whyNotAsk(person, action);
  const ready = mayNot === null ? await kind.prepare(deps) : null;
  return deps.db.transaction(async (trx): Promise<AskResult> => {
    await lockBooks(trx);
    const look = mayNot === null ? await kind.look(trx, input, { ready, reason }) : { why: mayNot };
    if ('why' in look) {
      await recordAction(trx, { ...about, action, target: subject, details: { why: look.why }, outcome: 'refused' });
      return { outcome: 'refused', why: look.why };
    }
    const asked = { action, subject, input: canonicalJson(asJson(input)), seen: canonicalHash(asJson(look.facts)) };
    const before = await waitingFor(trx, asked);
    if (before !== undefined && before.seen === asked.seen) return waits(before);
    if (before !== undefined)
      await expire(trx, before, {
        by: person.name,
        why: `it was asked again, as it would come to something else now: ${differsFrom(before, look)}`,
      });
    const { row, sha256 } = await insertDecision(trx, {
      ...asked,
      preview: look.preview.join('\n'),
      reason,
      asked_by: person.name,
    });
    const details = { of: action, subject, sha256, told: waits(row).message };
    await recordAction(trx, {
      ...about,
      action: 'ask approval',
      target: `decision ${row.id}`,
      details,
      outcome: 'asked',
    });
    return waits(row);
  }, oneMoment);
}

const differsFrom = ({ preview }: DecisionRow, now: { preview: readonly string[] }) =>
  whatDiffers(preview.split('\n'), now.preview);

const notUnderstood = ({ issues }: z.ZodError) => issues.map(({ message }) => message).join('; ');

function waits(row: DecisionRow): AskResult & { outcome: 'waits' } {
  const message = `Nothing was done yet: ${row.action}, ${row.subject}, waits for another person’s approval as decision ${row.id}, asked by ${row.asked_by}.`;
  return { outcome: 'waits', decision: decisionOf(row), message };
}

export type DecideResult =
  | { outcome: 'not_found' }
  /** In a sentence; the decision is as it was. */
  | { outcome: 'refused'; why: string }
  /** `expired`: what it is about has changed, so that nothing was done. */
  | { outcome: 'done'; decision: DecisionView; message: string };

interface Given {
  id: string;
  verdict: Verdict;
  note: string | null;
}

/** Approves, refuses or withdraws. What is approved is done in the same transaction, with the input and in the name of who asked. */
export async function decide(deps: ClosingDeps, given: Given, person: Person): Promise<DecideResult> {
  const { id, verdict } = given;
  const found = isRowId(id) ? await deps.db<DecisionRow>('decisions').where({ id }).first() : undefined;
  if (found === undefined) return { outcome: 'not_found' };
  const kind = kindOf(found.action);
  const isApproved = verdict === 'approve' && whyNotDecide(verdict, person, askedOf(found)) === null;
  const ready = isApproved ? await kind.prepare(deps) : null;
  const result = await deps.db.transaction(async (trx) => {
    await lockBooks(trx);
    return decideIn(trx, { ...given, person, ready });
  }, oneMoment);
  if (result.outcome !== 'done' || result.decision.state !== 'approved') return result;
  return { ...result, message: result.message + ((await kind.afterwards?.(deps)) ?? '') };
}

const askedOf = (row: DecisionRow) => ({ ...row, askedBy: row.asked_by });
const asJson = (value: unknown) => fromJsonText(JSON.stringify(value));

/** One after the other: whoever comes second sees what the first did. */
async function decideIn(
  trx: Trx,
  { id, verdict, note, person, ready }: Given & { person: Person; ready: unknown },
): Promise<DecideResult> {
  const row = await lockDecision(trx, id);
  if (row === undefined) return { outcome: 'not_found' };
  const about = { actor: person.name, action: `${verdict} decision`, target: `decision ${id}`, reason: note };
  const of = { of: row.action, subject: row.subject, askedBy: row.asked_by };
  const why = whyNotDecide(verdict, person, askedOf(row));
  if (why !== null) {
    await recordAction(trx, { ...about, details: { ...of, told: `${why}.` }, outcome: 'refused' });
    return { outcome: 'refused', why };
  }
  const applied = verdict === 'approve' ? await apply(trx, row, { ready, approvedBy: person.name }) : null;
  if (applied?.done === false) {
    const decision = await expire(trx, row, { by: person.name, why: applied.message, note });
    return { outcome: 'done', decision, message: decision.outcome ?? '' };
  }
  const message = applied?.message ?? `${row.action}, ${row.subject}: not done.`;
  const state = stateAfter(verdict, askedOf(row), row.seen);
  const decided = await saveDecided(trx, id, { state, note, outcome: message, decided_by: person.name });
  await recordAction(trx, { ...about, details: { ...of, told: message }, outcome: 'done' });
  return { outcome: 'done', decision: decisionOf(decided), message };
}

/** Only what the asker was shown; otherwise nothing of it is kept. */
async function apply(
  trx: Trx,
  row: DecisionRow,
  { ready, approvedBy }: { ready: unknown; approvedBy: string },
): Promise<{ done: boolean; message: string }> {
  const kind = kindOf(row.action);
  const { reason, asked_by: actor } = row;
  const look = await kind.look(trx, kind.input.parse(JSON.parse(row.input)), { ready, reason });
  if ('why' in look) return { done: false, message: look.why };
  if (stateAfter('approve', askedOf(row), canonicalHash(asJson(look.facts))) === 'expired')
    return {
      done: false,
      message: `it would come to something else now than was shown when it was asked: ${differsFrom(row, look)}`,
    };
  const nested = await trx.transaction();
  const result = await look.apply(nested, { actor, reason, approval: { decision: row.id, approvedBy } });
  await (result.done ? nested.commit() : nested.rollback());
  return result;
}

async function expire(
  trx: Trx,
  { id, action, subject, asked_by }: DecisionRow,
  { by, why, note = null }: { by: string; why: string; note?: string | null },
): Promise<DecisionView> {
  const message = `Nothing was done: ${why}. To have it done, ask again.`;
  const row = await saveDecided(trx, id, { state: 'expired', note, outcome: message, decided_by: by });
  const details = { of: action, subject, askedBy: asked_by, told: message };
  const about = { actor: by, action: 'expire decision', target: `decision ${id}`, reason: note };
  await recordAction(trx, { ...about, details, outcome: 'done' });
  return decisionOf(row);
}
