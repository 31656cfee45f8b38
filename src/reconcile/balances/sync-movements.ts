import { workInMovements } from '../../records/balances/balance-movements.js';
import { describeError } from '../../records/database/database-errors.js';
import { countUnreadPayins } from '../../records/runs/marks.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { payoutsListedUntil } from '../payouts.js';

/** The kinds whose records move balances. Payouts before payments, which name the refunds of disputes, and movements last. */
const kinds = ['payouts', 'payment-intents', 'transactions'] as const;

export interface Synced {
  /** Why the records are not known to be whole; then nothing is judged. */
  reason: string | null;
  /** What the service does not offer to read, and what follows from it. */
  caveats: string[];
  /** Up to when the list of payouts was read, in ms of the service's clock; infinite: until now. 0: there is none. */
  payoutsListedUntil: number;
}

/**
 * Brings the records that move balances up to date with the service's lists, each by a run of its own, and works them into
 * the movements.
 */
export async function syncMovements(run: RunContext): Promise<Synced> {
  const synced: Synced = { reason: null, caveats: [], payoutsListedUntil: Number.POSITIVE_INFINITY };
  for (const kind of kinds) {
    const reason = await readKind(run, kind);
    if (reason === null) continue;
    if (reason.startsWith('degraded: ')) synced.caveats.push(`${kind}: ${reason}`);
    else synced.reason ??= `${kind}: ${reason}`;
  }
  if (synced.caveats.some((caveat) => caveat.startsWith('payouts: '))) {
    synced.payoutsListedUntil = payoutsListedUntil(await readWatermarks(run.deps.db, 'payouts'));
  }
  const { movements } = run.deps.contract;
  const unread = movements.choices.payments === 'payins' ? await countUnreadPayins(run.deps.db) : 0;
  if (unread > 0) synced.reason ??= `${unread} deposits of payments are not read yet`;
  await workInMovements(run.deps.db, movements);
  return synced;
}

/** Null: read, and proven. */
async function readKind(run: RunContext, kind: (typeof kinds)[number]): Promise<string | null> {
  if (run.alongside === undefined) return 'a dry run reads no other list';
  try {
    const { status, complete, proof, error } = await run.alongside(kind);
    if (status === 'succeeded' && complete) return null;
    const reason = proof['reason'];
    return error ?? (typeof reason === 'string' ? reason : 'not proven');
  } catch (error) {
    run.signal?.throwIfAborted();
    return describeError(error);
  }
}
