import path from 'node:path';
import type { Knex } from 'knex';
import { monthIn, startOfDay } from '../../domain/books/posting-month.js';
import { getSeal, sealHead } from '../../records/audit/list-seals.js';
import { closingAction, firstSealSince, sealedUntil, sealOf } from '../../records/audit/pack-facts.js';
import { sealRows } from '../../records/audit/seal-rows.js';
import type { Trx } from '../../records/database/statements.js';
import { planFolder, writeFolder } from '../exports/write-folder.js';
import { oneMoment } from '../posting-deps.js';
import { type PackAsked, type PackScope, packFiles } from './pack-files.js';
import { limited, packedZip } from './pack-zip.js';

/**
 * Writes all that an auditor needs of a month into one zip: that of a closed month has the same bytes whenever it is written, but for
 * breaks that became more severe since (`PackedBreak`). Seals first what is not sealed yet. Memory does not grow with the month.
 */
export async function packMonth({ db, now }: { db: Knex; now: () => Date }, asked: PackAsked) {
  await sealRows({ db, now });
  return db.transaction(
    async (trx) => {
      const scope = await scopeOf(trx, asked, now());
      if (typeof scope === 'string') return refused(scope);
      const [dir, name] = [path.dirname(asked.out), path.basename(asked.out)];
      const files = await writeFolder(dir, name, [{ name, content: limited(packedZip(packFiles(trx, scope))) }]);
      return { outcome: 'packed' as const, month: asked.month, status: statusOf(scope), seals: scope.seals, files };
    },
    { ...oneMoment, readOnly: true },
  );
}

/** What `packMonth` would write. Writes nothing: what it would seal first is sealed in a transaction that is taken back. */
export async function planPack({ db, now }: { db: Knex; now: () => Date }, asked: PackAsked) {
  const trx = await db.transaction();
  try {
    await sealRows({ db: trx, now });
    const scope = await scopeOf(trx, asked, now());
    if (typeof scope === 'string') return refused(scope);
    const name = path.basename(asked.out);
    const { from, to } = scope.seals;
    const files = planFolder(name, [{ name }]);
    return { outcome: 'would' as const, month: asked.month, status: statusOf(scope), seals: { from, to }, files };
  } finally {
    await trx.rollback();
  }
}

const refused = (why: string) => ({ outcome: 'refused' as const, why });
const statusOf = ({ closing }: PackScope) => (closing === null ? ('open' as const) : ('closed' as const));

async function scopeOf(trx: Trx, asked: PackAsked, now: Date): Promise<PackScope | string> {
  const { month } = asked;
  const closing = await closingAction(trx, month);
  const { timeZone, currency } = keptOf(closing, asked);
  if (closing === null && monthIn(timeZone, now.getTime()) < month) return 'the month has not begun';
  const monthStart = new Date(startOfDay(timeZone, `${month}-01`));
  const to = closing === null ? (await sealHead(trx))?.number : await sealOf(trx, 'actions', closing.id);
  const last = to === undefined || to === null || to === '0' ? null : await getSeal(trx, to);
  if (last === null) return 'its closing is not sealed yet: a transaction that is open holds the seals back; try again';
  const first = await firstSealSince(trx, monthStart);
  const from = first === null || BigInt(first) > BigInt(last.number) ? last.number : first;
  return {
    ...asked,
    timeZone,
    currency,
    closing,
    monthStart,
    at: closing === null ? now : new Date(closing.at),
    seals: { from, to: last.number, headHash: last.hash },
    lastStep: await sealedUntil(trx, 'break_steps', last.number),
    lastAction: await sealedUntil(trx, 'actions', last.number),
    lastRate: await sealedUntil(trx, 'given_rates', last.number),
  };
}

/** In which zone and currency the month was closed, where the closing kept them; else what is asked. */
function keptOf(closing: PackScope['closing'], asked: PackAsked): Pick<PackAsked, 'timeZone' | 'currency'> {
  const { timeZone, currency } = closing?.details ?? {};
  return {
    timeZone: typeof timeZone === 'string' ? timeZone : asked.timeZone,
    currency: typeof currency === 'string' ? currency : asked.currency,
  };
}
