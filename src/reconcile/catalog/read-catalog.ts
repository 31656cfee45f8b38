import { isJsonObject, type Json, type JsonObject } from '../../domain/json.js';
import type { Observation } from '../../domain/observation.js';
import { type RecordKind, textField } from '../../domain/records.js';
import { listedIds } from '../../records/runs/record-places.js';
import { saveObservations } from '../../records/saving/save-observations.js';
import type { ReadOperation } from '../../service-api/operations.js';
import type { RunContext } from '../deps.js';
import { writeFenced } from '../write-fenced.js';

interface Row {
  id: string;
  fields: JsonObject;
}

/** The public catalog (specification 4.20). Returns the codes of its assets. */
export async function readCatalog(run: RunContext): Promise<string[]> {
  return readWhole(run, 'listPublicAssets', 'asset', 'assetCode');
}

/** Settlement accounts (specification 4.16): which are the default, matured, revoked. */
export async function readSettlementAccounts(run: RunContext): Promise<string[]> {
  return readWhole(run, 'listSettlementAccounts', 'settlement_account', 'id');
}

/** A list that one answer holds whole: what it shows, and what it no longer does. */
async function readWhole(
  run: RunContext,
  operation: ReadOperation,
  kind: Extract<RecordKind, 'asset' | 'settlement_account'>,
  idField: string,
): Promise<string[]> {
  const { deps, tally, signal, source, fence } = run;
  const { db, now, adoptedAt } = deps;
  signal?.throwIfAborted();
  tally.calls += 1;
  const { data, from, to } = await deps.client.reply(operation, signal ? { signal } : {});
  const items = Array.isArray(data) ? data : [];
  const rows = items.flatMap((item) => rowOf(item, idField));
  tally.seen += rows.length;
  await writeFenced({ db, now, tally, fence }, async (trx) => {
    const shown = new Set(rows.map(({ id }) => id));
    // An answer with a row that can't be distinguished, or with none at all, says nothing of what is gone.
    const isWhole = rows.length === items.length && rows.length > 0;
    const gone = isWhole ? (await listedIds(trx, kind)).filter((id) => !shown.has(id)) : [];
    const about = { kind, from, to, source };
    const observations: Observation[] = [
      ...rows.map(({ id, fields }): Observation => ({ type: 'poll', id, fields, ...about })),
      ...gone.map((id): Observation => ({ type: 'absence', id, ...about })),
    ];
    const { changed, breaksOpened } = await saveObservations(trx, observations, { now: now(), adoptedAt });
    return { changed, breaksOpened };
  });
  return rows.map(({ id }) => id);
}

function rowOf(item: Json, idField: string): Row[] {
  const id = isJsonObject(item) ? textField(item, idField) : null;
  return id === null || id === '' || !isJsonObject(item) ? [] : [{ id, fields: { ...item, id } }];
}
