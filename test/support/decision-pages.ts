import type { Express } from 'express';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { judgedBalance } from './classified-balance.js';
import { session } from './console-visit.js';
import type { TestDatabase } from './database.js';
import { at, poll } from './observations.js';
import { payout } from './records.js';
import { save } from './saved.js';
import { showRates } from './shown-rates.js';

interface Asked {
  id?: string;
  action?: string;
  subject?: string;
  input?: string;
}

/** Whether each page of what is decided leads to the decision; none where it is about no page. */
export async function pagesLeadTo(app: Express, { id, action, subject = '', input = '{}' }: Asked): Promise<boolean[]> {
  const { ids = [] } = JSON.parse(input) as { ids?: string[] };
  const [kind, name] = subject.split(' ');
  const own =
    action === 'import rates' ? [] : [action === 'mark settlement' ? `/settlements/${name}` : `/${kind}s/${name}`];
  // The month of the drill, where a day of it is named.
  const months = input.includes('2026-03-') ? ['/periods/2026-03'] : [];
  const pages = [...(action === 'write off break' ? ids.map((one) => `/breaks/${one}`) : own), ...months];
  const { get } = await session(app, 'viewer');
  const texts = await Promise.all(pages.map(async (page) => (await get(page)).text));
  return texts.map((text) => text.includes(`href="/decisions/${id}"`));
}

/** Whether the page of a decision leads to that of what it is about; true where that is no page. */
export async function leadsToPage(app: Express, { id, subject = '' }: Asked): Promise<boolean> {
  const [kind, name] = subject.split(' ');
  if (kind === 'rates' || /^\d/.test(subject)) return true;
  const page = kind === 'payout' ? `/settlements/${name}` : `/${kind}s/${name}`;
  const { get } = await session(app, 'viewer');
  return (await get(`/decisions/${id}`)).text.includes(`href="${page}"`);
}

/** A withdrawal and a settlement of a March, each of 100, and a balance with a part that nothing explains. */
export async function savedPayouts(database: TestDatabase, of: { assetCode: string; settled: string }): Promise<void> {
  const { db } = database;
  const { assetCode } = of;
  await judgedBalance(db, { assetCode, opening: '5000', balance: '4000', now: new Date(at(0)) });
  await showRates(db, [{ assetCode, rate: '1.25', at: Date.parse('2026-03-20T09:00:00Z') }]);
  const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-20T10:00:00.000Z', source: 'chain' }];
  const about = { amount: '100', feeAmount: '0.5', feeBearer: 'merchant', status: 'confirmed', statusHistory };
  await save(database, [
    poll('payout', payout('po_1', { ...about, payoutType: 'withdrawal' }), 30),
    poll('payout', payout(of.settled, { ...about, payoutType: 'settlement' }), 30),
  ]);
}

/** Opens three; returns the ids of all that are open of their kind. */
export async function openedBreaks({ db }: TestDatabase): Promise<string[]> {
  const found = ['a', 'b', 'c'].map((id) => ({
    kind: 'payout_stuck' as const,
    entity: { kind: 'payout' as const, id: `po_${id}_${Math.random()}` },
    evidence: {},
  }));
  await db.transaction((trx) => openBreaks(trx, found));
  return db('breaks').where({ status: 'open', kind: 'payout_stuck' }).orderBy('id').pluck('id');
}
