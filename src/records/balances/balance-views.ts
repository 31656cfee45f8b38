import type { Knex } from 'knex';
import type { Page, PageQuery } from '../database/paging.js';
import { getRecord, listRecords, type RecordView } from '../rows.js';
import { listAttributions } from './balance-attributions.js';
import { type BalanceProof, readProofs, withAge } from './balance-proofs.js';

/** A balance as the service showed it last, and how it was classified. */
export type BalanceView = RecordView & { proof: BalanceProofView | null };

/** `status`: whether opening + movements + what was attributed is the balance; `unproven` says why it is not known. */
export interface BalanceProofView extends Omit<BalanceProof, 'assetCode' | 'held' | 'balance' | 'frozen'> {
  status: 'agrees' | 'unexplained' | 'unproven';
  agreedBalance: string | null;
  agreedFrozen: string | null;
}

/** Balances with their proofs; filters and order are those of the records. Throws `CursorError`. */
export async function listBalances(
  db: Knex,
  query: PageQuery & { filters?: Readonly<Record<string, string>> },
  now = new Date(),
): Promise<Page<BalanceView>> {
  const { items, nextCursor } = await listRecords(db, 'balance', query);
  const proofs = await readProofs(
    db,
    items.map(({ id }) => id),
  );
  return { items: items.map((item) => withProof(item, proofs.get(item.id), now)), nextCursor };
}

/** One of them, with all that finance attributed. */
export async function getBalance(db: Knex, assetCode: string, now = new Date()): Promise<object | null> {
  const record = await getRecord(db, 'balance', assetCode);
  if (record === null) return null;
  const proof = (await readProofs(db, [assetCode])).get(assetCode);
  return { ...withProof(record, proof, now), attributions: await listAttributions(db, assetCode) };
}

function withProof(record: RecordView, proof: BalanceProof | undefined, now: Date): BalanceView {
  return { ...record, proof: proof === undefined ? null : viewOf(proof, now) } as BalanceView;
}

function viewOf(given: BalanceProof, now: Date): BalanceProofView {
  const proof = withAge(given, now);
  const status =
    proof.unexplained !== null && proof.unexplained !== '0'
      ? 'unexplained'
      : proof.unproven === null
        ? 'agrees'
        : 'unproven';
  const { assetCode: _, held: __, balance, frozen, ...rest } = proof;
  return { status, ...rest, agreedBalance: balance, agreedFrozen: frozen };
}
