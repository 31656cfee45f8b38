import { transactionFields } from '../../domain/balances/transaction-row.js';
import { canonicalJson } from '../../domain/canonical-json.js';
import type { Json, JsonObject } from '../../domain/json.js';
import { isSignedAmount, normalizeAmount } from '../../domain/money.js';
import type { Observation, ObservationSource } from '../../domain/observation.js';
import { transactionsRead } from '../../records/balances/transaction-rows.js';
import { autoResolveBreaks, type NewBreak, openBreaks } from '../../records/breaks/breaks.js';
import { openEvidence } from '../../records/breaks/list-breaks.js';
import { instantText } from '../../records/database/database-text.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { RunContext } from '../deps.js';
import { saveContext, writeFenced } from '../write-fenced.js';
import type { FeedRow } from './feed.js';

interface ReadRows {
  rows: readonly FeedRow[];
  from: number;
  to: number;
}

/** A booked transaction that is shown with other content is taken as it is now, and a break until it is as it was. */
export async function saveTransactions(run: RunContext, { rows, from, to }: ReadRows): Promise<void> {
  const { deps, source } = run;
  if (rows.length === 0) return;
  const polls = rows.map(({ id, fields }): Observation => {
    return { type: 'poll', kind: 'transaction', id, from, to, source, fields };
  });
  await writeFenced({ ...deps, ...run }, async (trx) => {
    const before = await transactionsRead(
      trx,
      rows.map(({ id }) => id),
    );
    const saved = await saveObservations(trx, polls, saveContext(deps));
    const shown = new Map(rows.map(({ id, fields }) => [id, fields]));
    const recent = before.filter(({ createdAt }) => createdAt === null || createdAt >= deps.adoptedAt.getTime());
    const mismatches = recent.flatMap(({ id, fields }) =>
      mismatchOf({ id, ours: fields, theirs: shown.get(id) ?? {} }, source),
    );
    const open = await openEvidence(trx, 'transaction_mismatch', 'transaction', [...shown.keys()]);
    const back = [...open].filter(([id, evidence]) => isAsItWas(evidence, shown.get(id) ?? {}));
    await autoResolveBreaks(
      trx,
      back.map(([id]) => ({ kind: 'transaction_mismatch', entity: { kind: 'transaction', id } })),
    );
    const isBack = new Set(back.map(([id]) => id));
    const opened = await openBreaks(
      trx,
      mismatches.filter(({ entity }) => !isBack.has(entity.id)),
    );
    return { changed: saved.changed, breaksOpened: saved.breaksOpened + opened };
  });
}

function mismatchOf(
  { id, ours, theirs }: { id: string; ours: JsonObject; theirs: JsonObject },
  source: ObservationSource,
): NewBreak[] {
  const names = transactionFields.filter((name) => plain(name, ours[name]) !== plain(name, theirs[name]));
  if (names.length === 0) return [];
  const of = (fields: JsonObject): JsonObject => Object.fromEntries(names.map((name) => [name, fields[name] ?? null]));
  return [
    {
      kind: 'transaction_mismatch',
      entity: { kind: 'transaction', id },
      evidence: {
        rule: 'a booked transaction does not change',
        ours: { ...of(ours), source: 'read before' },
        theirs: { ...of(theirs), source: { ...source } },
      },
    },
  ];
}

function isAsItWas(evidence: JsonObject, shown: JsonObject): boolean {
  const ours = evidence['ours'];
  if (typeof ours !== 'object' || ours === null || Array.isArray(ours)) return false;
  const before = ours as JsonObject;
  const names = transactionFields.filter((name) => Object.hasOwn(before, name));
  return names.every((name) => plain(name, before[name]) === plain(name, shown[name]));
}

/** One text for one meaning: "1.50" is "1.5", and a time with or without its zone is the same. */
function plain(name: string, value: Json | undefined): string {
  if (value === undefined || value === null) return 'null';
  if (name === 'createdAt') return instantText(value) ?? canonicalJson(value);
  return isSignedAmount(value) ? normalizeAmount(value) : canonicalJson(value);
}
