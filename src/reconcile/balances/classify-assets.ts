import { findAtOpening } from '../../domain/balances/at-opening.js';
import { classifyBalance } from '../../domain/balances/balance-proof.js';
import {
  changesBetween,
  type Narrowed,
  narrowed,
  onlyResidual,
  possibleResiduals,
} from '../../domain/balances/moving-balance.js';
import { classifiedResidual, holdResidual } from '../../domain/balances/unnamed-payouts.js';
import { counted } from '../../domain/in-words.js';
import { addAmounts, isZero, subtractAmounts, sumAmounts } from '../../domain/money.js';
import { isNotOffered, MOVED, reasonOf } from '../../domain/run-kinds.js';
import { workInMovements } from '../../records/balances/balance-movements.js';
import {
  type BalanceProof,
  isKnownResidual,
  type OpeningPosition,
  openingSinceBooks,
  readProofs,
} from '../../records/balances/balance-proofs.js';
import { type AssetSums, effectsSince, sumMovements } from '../../records/balances/balance-sums.js';
import { describeError } from '../../records/database/database-errors.js';
import { countUnreadPayins } from '../../records/runs/refresh-requests.js';
import { readWatermarks } from '../../records/runs/watermarks.js';
import type { RunContext } from '../deps.js';
import { payoutsListedUntil } from '../lists/payouts.js';
import { isSameBalance, type ReadBalance, readBalance, type Verdict } from './save-balance.js';

/** Rounds of read, sync, read again: what they do not decide is left to the next run. */
const ROUNDS = 6;

const NO_BALANCE = 'the service shows no balance of it';
const UNDER_WAY = 'payouts are under way: whose they are is not known yet';
const MISSING = 'it moved each time that it was read, and not all of it is explained: how much is not known yet';

export interface Sandwiched {
  read: ReadBalance | null;
  /** The poll before it, of the same balance; null: there was none such. */
  earlier: ReadBalance | null;
  verdict: Verdict;
}

interface Open {
  before: ReadBalance;
  /** A new unexplained part, seen once: it counts when the next round sees the same. */
  unconfirmed: string | null;
  /** What the lists showed before the poll `before`, where it moved; null: not known, or of no use. */
  listed: Listed | null;
  narrowed: Narrowed | null;
}

interface Listed {
  sums: AssetSums;
  effects: ReadonlyMap<string, string>;
}

type Save = (assetCode: string, sandwiched: Sandwiched) => Promise<void>;

/**
 * Reads each balance, brings the records up to date, reads it again. Compared only where both polls agree and no record
 * that moves the balance was read after the second began; a new unexplained part only when two such rounds say the same:
 * of two movements between the polls that cancel out, the records may show but one. A balance that never stands still is
 * compared with the lists before and after a poll: each movement that only the later ones show was in it or was not. `save`
 * is called once for each asset: for one that is classified before more records are worked in, which its opening position
 * would take for its own.
 */
export async function classifyAssets(
  run: RunContext,
  assets: readonly string[],
  save: Save,
): Promise<Map<string, Sandwiched>> {
  const { db, contract } = run.deps;
  const done = new Map<string, Sandwiched>();
  const open = new Map<string, Open>();
  const settle = async (asset: string, sandwiched: Sandwiched): Promise<void> => {
    open.delete(asset);
    done.set(asset, sandwiched);
    await save(asset, sandwiched);
  };
  for (const asset of assets) {
    const before = await readBalance(run, asset);
    if (before?.balance == null) await settle(asset, unproven(before, NO_BALANCE));
    else open.set(asset, { before, unconfirmed: null, listed: null, narrowed: null });
  }
  const since = Math.min(...[...open.values()].map(({ before }) => before.from));
  for (let round = 1; round <= ROUNDS && open.size > 0; round += 1) {
    const synced = await syncMovements(run);
    const again = new Map<string, ReadBalance | null>();
    for (const asset of open.keys()) again.set(asset, await readBalance(run, asset));
    if (synced.reason !== null) {
      const reason = `not all records are read: ${synced.reason}`;
      for (const [asset, read] of again) await settle(asset, unproven(read, reason, open.get(asset)?.before));
      return done;
    }
    const asked = [...open];
    const sums = await sumMovements(db, [...open.keys()], { ...synced, table: contract.movements });
    const proofs = await readProofs(db, [...open.keys()]);
    for (const [asset, waiting] of asked) {
      const read = again.get(asset) ?? null;
      const known = { read, sums: sums.get(asset), proof: proofs.get(asset), caveats: synced.caveats, since };
      const outcome = await closeRound(run, asset, waiting, known);
      if ('verdict' in outcome) await settle(asset, outcome);
      else open.set(asset, outcome);
    }
  }
  for (const [asset, { before, narrowed }] of open) {
    const isMissing = narrowed !== null && narrowed.polls > 1 && !narrowed.possible.has('0');
    await settle(asset, unproven(before, isMissing ? MISSING : MOVED));
  }
  return done;
}

/** What came of it, or what the next round begins with. */
async function closeRound(
  { deps }: RunContext,
  asset: string,
  waiting: Open,
  known: Known,
): Promise<Sandwiched | Open> {
  const { before, unconfirmed } = waiting;
  const { read, sums, proof, caveats } = known;
  if (read?.balance == null || sums === undefined) return unproven(read, NO_BALANCE);
  if (!isSameBalance(before, read) || sums.movedFrom >= read.from)
    return closeMoving({ deps }, asset, waiting, { ...known, read, sums });
  const { balance } = read;
  const sinceBooks =
    proof?.opening || caveats.length > 0 || sums.unclear !== null
      ? null
      : await openingSinceBooks(deps.db, asset, balance);
  const verdict = verdictOf(asset, { read, sums, proof, caveats, sinceBooks });
  const { unexplained } = verdict.classified.verdict;
  const held = sums.unnamed && holdResidual(unexplained, sums.unnamed, proof?.held ?? null);
  if (held) return { read, earlier: before, verdict: { type: 'unproven', reason: UNDER_WAY, held } };
  const isNew = unexplained !== '0' && unexplained !== unconfirmed;
  const stood = proof?.unexplained === unexplained;
  if (isNew && !(stood && (await isKnownResidual(deps.db, asset, unexplained))))
    return { before: read, unconfirmed: unexplained, listed: null, narrowed: null };
  return { read, earlier: before, verdict };
}

/** The poll of the round before, between what the lists showed then and what they show now. */
async function closeMoving(
  { deps }: Pick<RunContext, 'deps'>,
  asset: string,
  { before, listed, narrowed: so }: Open,
  known: Known & { read: ReadBalance; sums: AssetSums },
): Promise<Sandwiched | Open> {
  const { read, sums, proof } = known;
  const isUnderWay = sums.unnamed !== null && sums.unnamed.underWay.ids.length > 0;
  const isTold = sums.unclear === null && !isUnderWay && isZero(sums.limit) && !sums.before;
  // What was read after the poll began may be of after it.
  const now =
    isTold && sums.movedFrom < read.from ? { sums, effects: await effectsSince(deps.db, asset, known.since) } : null;
  const changes = listed === null || now === null ? null : changesBetween(listed.effects, now.effects);
  const open: Open = { before: read, unconfirmed: null, listed: now, narrowed: so };
  // What changed otherwise is not told apart.
  if (listed === null || changes === null || sumAmounts(changes) !== subtractAmounts(shown(sums), shown(listed.sums)))
    return open;
  const about = { ...known, read: before, sinceBooks: null };
  const left = proof?.opening
    ? verdictOf(asset, { ...about, sums: listed.sums }).classified.verdict.unexplained
    : subtractAmounts(before.balance ?? '0', shown(listed.sums));
  const found = narrowed(so, possibleResiduals(left, changes));
  const residual = found === null ? null : onlyResidual(found, proof?.unexplained ?? null);
  if (residual === null) return { ...open, narrowed: found };
  if (!proof?.opening) return opensMoving(deps, asset, known, addAmounts(residual, shown(sums)));
  const explained = addAmounts(listed.sums.explained, subtractAmounts(left, residual));
  return { read, earlier: before, verdict: verdictOf(asset, { ...about, sums: { ...listed.sums, explained } }) };
}

/** It opens with what it is when all that the lists show is in it. */
async function opensMoving(
  deps: RunContext['deps'],
  asset: string,
  known: Known & { read: ReadBalance; sums: AssetSums },
  balance: string,
): Promise<Sandwiched> {
  const { read, caveats } = known;
  const sinceBooks = caveats.length > 0 ? null : await openingSinceBooks(deps.db, asset, balance);
  const verdict = verdictOf(asset, { ...known, read: { ...read, balance }, sinceBooks });
  return { read, earlier: null, verdict };
}

const shown = ({ explained, known }: AssetSums): string => addAmounts(explained, known);

interface Known {
  read: ReadBalance | null;
  sums: AssetSums | undefined;
  proof: BalanceProof | undefined;
  caveats: readonly string[];
  /** When the first balance of the run was read, ms of the service's clock. */
  since: number;
}

/** The first pair of polls that agrees, over records that are whole, is the opening position, or shows that nothing was. */
function verdictOf(
  assetCode: string,
  given: Omit<Known, 'since'> & { read: ReadBalance; sums: AssetSums; sinceBooks: OpeningPosition | null },
): Extract<Verdict, { type: 'compared' }> {
  const { read, sums, proof, caveats, sinceBooks } = given;
  const balance = read.balance ?? '0';
  const opens = proof?.opening ? null : (sinceBooks ?? { balance, at: read.from, openedAt: null });
  const opening = proof?.opening?.balance ?? opens?.balance ?? balance;
  // What stood at the opening is in it; of what is new since the books began all came after it.
  const explained = sinceBooks === null ? '0' : balance;
  const began = { explained, known: '0', attributed: '0', limit: '0', unclear: null };
  const verdict = classifyBalance(opening, balance, opens === null ? sums : began);
  const atOpening = opens !== null || sums.unnamed === null ? null : findAtOpening(sums, sums.unnamed, verdict);
  const held = classifiedResidual(verdict.unexplained, sums.unnamed);
  const poll = { balance, frozen: read.frozen, at: read.from };
  const classified = { assetCode, poll, verdict, held, ...(atOpening === null ? {} : { atOpening }) };
  const all = held === null ? caveats : [...caveats, ...likelyOf(sums)];
  return { type: 'compared', classified, opens, caveats: all };
}

/** It stays a break, whose amount changes as such payouts come and end. */
function likelyOf({ unnamed }: AssetSums): string[] {
  if (unnamed === null || isZero(unnamed.likely)) return [];
  return [`${unnamed.likely} of it: payouts under way, just as much as sub-wallets were debited when they were made`];
}

function unproven(read: ReadBalance | null, reason: string, earlier: ReadBalance | null = null): Sandwiched {
  const isSame = read !== null && earlier !== null && isSameBalance(earlier, read);
  return { read, earlier: isSame ? earlier : null, verdict: { type: 'unproven', reason } };
}

/** The kinds whose records move balances. Payouts before payments, which name the refunds of disputes, and transactions last. */
const kinds = ['payouts', 'payment-intents', 'transactions'] as const;

interface Synced {
  /** Why the records are not known to be whole; then nothing is classified. */
  reason: string | null;
  /** What the service does not offer to read, and what follows from it. */
  caveats: string[];
  /** Up to when the list of payouts was read, in ms of the service's clock; infinite: until now. 0: there is none. */
  payoutsListedUntil: number;
}

/** Each list by a run of its own; what it shows is worked into the movements. */
async function syncMovements(run: RunContext): Promise<Synced> {
  const synced: Synced = { reason: null, caveats: [], payoutsListedUntil: Number.POSITIVE_INFINITY };
  for (const kind of kinds) {
    const reason = await readKind(run, kind);
    if (reason === null) continue;
    if (isNotOffered(reason)) synced.caveats.push(`${kind}: ${reason}`);
    else synced.reason ??= `${kind}: ${reason}`;
  }
  if (synced.caveats.some((caveat) => caveat.startsWith('payouts: ')))
    synced.payoutsListedUntil = payoutsListedUntil(await readWatermarks(run.deps.db, 'payouts'));
  const { movements } = run.deps.contract;
  const unread = movements.choices.payments === 'payins' ? await countUnreadPayins(run.deps.db) : 0;
  if (unread > 0)
    synced.reason ??= `${counted(unread, 'payin of a payment is', 'payins of payments are')} not read yet`;
  await workInMovements(run.deps.db, movements);
  return synced;
}

/** Null: read, and proven. */
async function readKind(run: RunContext, kind: (typeof kinds)[number]): Promise<string | null> {
  if (run.prerequisite === undefined) return 'a dry run reads no other list';
  try {
    const ended = await run.prerequisite(kind);
    return ended.status === 'succeeded' && ended.complete ? null : (reasonOf(ended) ?? 'not proven');
  } catch (error) {
    run.signal?.throwIfAborted();
    return describeError(error);
  }
}
