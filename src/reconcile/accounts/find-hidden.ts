import { isJsonObject } from '../../domain/json.js';
import { ForbiddenError, NotFoundError, RefusedError } from '../../service-api/service-errors.js';
import type { RunContext } from '../deps.js';

const operation = 'listAccountTransactions';
/** No sub-wallet has this id: shows whether the service refuses to show the transactions of one that it does not know. */
const NOBODY = 'tallyhook-no-such-account';
/** Calls of one run; the others have their turn in the next. */
const MOST = 60;

export interface HiddenAccounts {
  /** The service knows them by their own transactions: hidden from the lists, which only an archived one is. */
  known: string[];
  /** The service denies them. */
  denied: string[];
  /** The service refuses to answer, or shows nothing of a sub-wallet that it does not know either. */
  undecided: string[];
  /** Not asked for by this run. */
  left: string[];
}

/**
 * Sub-wallets that none of the lists shows, asked for one by one through their own transactions (specification 4.11): there is
 * no call for one sub-wallet. One that was closed and archived between two runs was never seen closed, and is still known.
 * `listed`: one that the lists show.
 */
export async function findHidden(
  run: RunContext,
  ids: readonly string[],
  listed: string | undefined,
): Promise<HiddenAccounts> {
  const found: HiddenAccounts = { known: [], denied: [], undecided: [], left: ids.slice(MOST) };
  const silent: string[] = [];
  const denied: string[] = [];
  for (const id of ids.slice(0, MOST)) {
    const answer = await ask(run, id);
    if (answer === 'nothing') silent.push(id);
    else (answer === 'denied' ? denied : found[answer]).push(id);
  }
  // Where it denies one that it lists as well, it does not offer the call.
  const isOffered = denied.length === 0 || listed === undefined || (await ask(run, listed)) !== 'denied';
  found[isOffered ? 'denied' : 'undecided'].push(...denied);
  const isDenying = silent.length > 0 && (await ask(run, NOBODY)) === 'denied';
  found[isDenying ? 'known' : 'undecided'].push(...silent);
  return found;
}

/** `nothing`: an empty list, which may be that of a sub-wallet that never moved. */
async function ask(
  { deps, tally, signal }: RunContext,
  id: string,
): Promise<'known' | 'denied' | 'undecided' | 'nothing'> {
  signal?.throwIfAborted();
  tally.calls += 1;
  try {
    const request = { path: { id }, query: { take: 1 }, ...(signal ? { signal } : {}) };
    const { data } = await deps.client.reply(operation, request);
    const items = isJsonObject(data) ? data['items'] : data;
    if (!Array.isArray(items)) return 'undecided';
    return items.length > 0 ? 'known' : 'nothing';
  } catch (error) {
    if (error instanceof NotFoundError) return 'denied';
    if (error instanceof ForbiddenError || error instanceof RefusedError) return 'undecided';
    throw error;
  }
}
