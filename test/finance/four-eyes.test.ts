import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Express } from 'express';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { actions } from '../../src/console/actions/actions.js';
import { operations } from '../../src/console/api/operations.js';
import { type GatedAction, gatedActions } from '../../src/domain/two-people.js';
import type { DecisionView } from '../../src/domain/views/operation-shapes.js';
import { sealRows } from '../../src/records/audit/seal-rows.js';
import { verifySeals } from '../../src/records/audit/verify-seals.js';
import { bearer, consoleTokens, testConsole, tokenOf } from '../support/console.js';
import { session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { leadsToPage, openedBreaks, pagesLeadTo, savedPayouts } from '../support/decision-pages.js';
import { useFolder } from '../support/folder.js';
import { poll } from '../support/observations.js';
import { bookFindings, postBooks } from '../support/posted-books.js';
import { attributed } from '../support/rebooked.js';
import { payout } from '../support/records.js';
import { save } from '../support/saved.js';
import { useShell } from '../support/shell.js';

const ASSET = 'USDT.TRON';
const MONTH = '2026-03';
const SETTLED = 'po_settled';
const database = useDatabase();
const folder = useFolder();
const now = () => new Date();
let app: Express;

const CONSOLE_TOKENS = consoleTokens.map(({ name, role, token }) => `${name}:${role}:${token}-of-a-shell`).join();
let settings: Record<string, string> = {};
const shell = useShell(database, () => settings);
/** At the command line; `role` null: as the user of the operating system. */
async function command(role: string | null, ...words: string[]) {
  const token = role === null ? {} : { TALLYHOOK_TOKEN: `${tokenOf(role)}-of-a-shell` };
  settings = { CONSOLE_TOKENS, FOUR_EYES: 'on', ...token };
  return shell(...words);
}
const call = (role: string, path: string, body: object) =>
  request(app).post(`/api/v1${path}`).set(bearer(role)).send(body);
const form = async (role: string, path: string, fields: object) => (await session(app, role)).post(path, fields);

beforeAll(async () => {
  const { db } = database;
  app = testConsole(db, { fourEyes: true }).app;
  await savedPayouts(database, { assetCode: ASSET, settled: SETTLED });
  await postBooks(db);
}, 60_000);

const reason = 'the auditor knows';
interface Way {
  by: 'console' | 'api' | 'cli';
  /** Whether it waits now, and says so. */
  ask: (role: string) => Promise<boolean>;
  dryRun?: () => Promise<string>;
}
const byApi = (path: string, body: object): Way => ({
  by: 'api',
  ask: async (role) => {
    const answer = await call(role, path, body);
    return answer.status === 202 && (answer.body as DecisionView).state === 'waiting';
  },
});
const byConsole = (path: string, fields: object): Way => ({
  by: 'console',
  ask: async (role) => {
    const shown = await form(role, path, { reason, ...fields });
    if (role === 'finance' && shown.status === 200)
      expect(shown.text).toContain('only after another person’s approval');
    const answer = await form(role, path, { reason, _confirmed: 'yes', ...fields });
    return answer.status === 303 && /^\/decisions\/\d+$/.test(String(answer.get('location')));
  },
});
const byCommand = (...words: string[]): Way => ({
  by: 'cli',
  ask: async (role) => {
    const { code, stdout } = await command(role, ...words);
    return code === 3 && stdout.includes('waits for another person’s approval');
  },
  dryRun: async () => (await command('finance', ...words, '--dry-run')).stderr,
});

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

/** Every surface on which something can be done that two people decide. */
const ways: Readonly<Record<GatedAction, () => Promise<readonly Way[]>>> = {
  'attribute balance': async () => [
    byConsole(`/balances/${ASSET}/attribute`, { amount: '-3', on: '' }),
    byApi(`/balances/${ASSET}/attribute`, { amount: '-4', note: reason }),
    byCommand('balances', 'attribute', ASSET, '--amount', '-5', '--note', reason),
  ],
  'rebook attribution': async () => {
    const id = await attributed(database.db, ASSET, '2026-03-20');
    const from = 'income:attributed';
    const path = `/balances/${ASSET}/attributions/${id}/rebook`;
    const words = ['balances', 'rebook', ASSET, id, '--from', from, '--contra', 'expenses:attributed'];
    return [
      byConsole(path, { from, contra: 'equity:deposits', on: '2026-03-20' }),
      byApi(path, { from, contra: 'equity:attributed', on: '2026-03-21', note: reason }),
      byCommand(...words, '--on', '2026-03-22', '--note', reason),
    ];
  },
  'write off break': async () => {
    const [one = '', two = '', three = ''] = await openedBreaks(database);
    const cause = { kind: 'payout_stuck', entityKind: 'payout', shared: 'none', openedFrom: ago(1), openedTo: ago(-1) };
    return [
      byConsole(`/breaks/${one}/write-off`, {}),
      byConsole('/breaks/picked', { id: [one, two], decision: 'write-off' }),
      byApi(`/breaks/${one}/write-off`, { note: reason }),
      byApi(`/breaks/causes/${one}/write-off`, { ids: [two, three], note: reason }),
      byCommand('breaks', 'writeoff', one, three, '--note', reason),
      byCommand('breaks', 'writeoff', '--cause', one, '--note', reason),
      byConsole('/breaks/cause/write-off', cause),
    ];
  },
  'import rates': async () => {
    const file = path.join(folder, 'rates.csv');
    await writeFile(file, `date,asset,currency,rate\n2026-03-20,${ASSET},USD,1.25\n`);
    return [byCommand('books', 'rates', 'import', file, '--note', reason)];
  },
  'mark settlement': async () => {
    const fees = { amount: '90', currency: '', on: '', reference: '', difference: 'fees' };
    return [
      byConsole(`/settlements/${SETTLED}/mark`, fees),
      byApi(`/settlements/${SETTLED}/mark`, { amount: '92', currency: 'EUR', note: reason }),
      byCommand('settlements', 'mark', SETTLED, '--amount', '94', '--difference', 'rate', '--note', reason),
    ];
  },
  'close period': async () => [
    byConsole(`/periods/${MONTH}/close`, {}),
    byConsole(`/periods/${MONTH}/close-nevertheless`, {}),
    byApi(`/periods/${MONTH}/close`, { reason }),
    byCommand('periods', 'close', MONTH, '--reason', reason),
  ],
  'reopen period': async () => [
    byConsole(`/periods/${MONTH}/reopen`, {}),
    byApi(`/periods/${MONTH}/reopen`, { reason }),
    byCommand('periods', 'reopen', MONTH, '--reason', reason),
  ],
};

const doneOf = (action: string) => database.db('actions').where({ action, outcome: 'done' }).orderBy('id');
const newest = async () => (await database.db('decisions').orderBy('id', 'desc').first()) as Record<string, string>;

/** Each verdict on each surface; whether it was taken. */
const verdictBy = {
  api: async (role: string, id: string, verdict: string) =>
    (await call(role, `/decisions/${id}/${verdict}`, { note: 'seen' })).status === 200,
  console: async (role: string, id: string, verdict: string) => {
    await form(role, `/decisions/${id}/${verdict}`, { reason: 'seen' });
    return (await newest())['state'] !== 'waiting';
  },
  cli: async (role: string | null, id: string, verdict: string) =>
    (await command(role, 'decisions', verdict, id, '--note', 'seen')).code === 0,
};

describe.each(gatedActions)('%s', (action) => {
  it('is done on no surface by one person, and once when another approves it', async () => {
    const own = await ways[action]();
    for (const [n, way] of own.entries()) {
      const before = await doneOf(action);
      const known = (await newest())?.['id'];
      if (way.dryRun !== undefined) expect(await way.dryRun()).toContain('only after another person’s approval');
      expect((await newest())?.['id']).toBe(known);
      expect([way.by, await way.ask('finance')]).toEqual([way.by, true]);
      const { id = '', ...row } = await newest();
      expect(row).toMatchObject({ action, state: 'waiting', asked_by: 'fina', reason });
      const asked = { ...row, id };
      expect(await pagesLeadTo(app, asked)).not.toContain(false);
      expect(await leadsToPage(app, asked)).toBe(true);
      // Asked again it is the same, whoever asks.
      expect(await way.ask('admin')).toBe(true);
      expect((await newest())['id']).toBe(id);
      for (const by of ['api', 'console', 'cli'] as const)
        for (const role of ['finance', 'operator', 'viewer']) {
          expect([by, role, await verdictBy[by](role, id, 'approve')]).toEqual([by, role, false]);
          expect([by, role, await verdictBy[by](role, id, 'refuse')]).toEqual([by, role, false]);
        }
      expect(await verdictBy.cli(null, id, 'approve')).toBe(false);
      expect(await doneOf(action)).toEqual(before);
      const isLast = n === own.length - 1;
      const verdict = isLast ? 'approve' : n === 0 ? 'refuse' : 'withdraw';
      const surface = (['console', 'api', 'cli'] as const)[(n + gatedActions.indexOf(action)) % 3] ?? 'api';
      expect(await verdictBy[surface](verdict === 'withdraw' ? 'finance' : 'admin', id, verdict)).toBe(true);
      expect(await pagesLeadTo(app, asked)).not.toContain(true);
      if (!isLast) {
        expect(await doneOf(action)).toEqual(before);
        continue;
      }
      const rows = (await doneOf(action)).slice(before.length);
      expect(rows.length).toBeGreaterThan(0);
      const details = expect.objectContaining({ decision: id, approvedBy: 'ada' });
      for (const one of rows) expect(one).toMatchObject({ actor: 'fina', reason, details });
      expect(await newest()).toMatchObject({ state: 'approved', decided_by: 'ada', note: 'seen' });
      expect(await verdictBy.api('admin', id, 'approve')).toBe(false);
      expect((await doneOf(action)).length).toBe(before.length + rows.length);
    }
  }, 240_000);
});

it('what finance may do otherwise is done by one person, and is named here', () => {
  const isOfFinance = ({ roles }: { roles?: readonly string[] | undefined }) => roles?.includes('finance') ?? false;
  const alone = actions.filter((one) => isOfFinance(one) && one.asks === undefined);
  expect(alone.map(({ name }) => name).filter((name) => !name.endsWith(' decision'))).toEqual(['verify seals']);
  const others = operations.filter((one) => isOfFinance(one) && one.asks === undefined);
  expect(others.map(({ id }) => id).filter((id) => !id.endsWith('Decision'))).toEqual([
    'assignBreakCause',
    'assignBreak',
  ]);
});

describe('a decision', () => {
  const waiting = async () => {
    await call('finance', `/periods/${MONTH}/close`, { reason }).expect(202);
    return (await newest())['id'] ?? '';
  };

  it('is approved by one of two who do it at once', async () => {
    const id = await waiting();
    const before = (await doneOf('close period')).length;
    const answers = await Promise.all([
      call('admin', `/decisions/${id}/approve`, { note: 'a' }),
      call('admin', `/decisions/${id}/approve`, { note: 'b' }),
      call('admin', `/decisions/${id}/refuse`, { note: 'c' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
    const { state } = await newest();
    expect((await doneOf('close period')).length).toBe(before + (state === 'approved' ? 1 : 0));
    if (state === 'approved') {
      await call('finance', `/periods/${MONTH}/reopen`, { reason }).expect(202);
      await call('admin', `/decisions/${(await newest())['id']}/approve`, { note: 'back' }).expect(200);
    }
  }, 120_000);

  it('is not done where it would come to something else by now: it says so, and is asked again', async () => {
    const id = await waiting();
    const statusHistory = [{ status: 'confirmed', timestamp: '2026-03-21T10:00:00.000Z', source: 'chain' }];
    const about = { payoutType: 'withdrawal', amount: '7', feeAmount: '0', feeBearer: 'merchant' };
    await save(database, [poll('payout', payout('po_2', { ...about, status: 'confirmed', statusHistory }), 40)]);
    const before = (await doneOf('close period')).length;
    const answer = await call('admin', `/decisions/${id}/approve`, { note: 'seen' });
    expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining('something else now')]);
    expect(answer.body.decision).toMatchObject({ id, state: 'expired', decidedBy: 'ada' });
    expect((await doneOf('close period')).length).toBe(before);
    const again = await waiting();
    expect(again).not.toBe(id);
    await call('admin', `/decisions/${again}/approve`, { note: 'seen' }).expect(200);
  }, 120_000);

  it('shows the money, and what is asked for in full', async () => {
    const { id } = await newest();
    const { body } = await request(app).get(`/api/v1/decisions/${id}`).set(bearer('viewer'));
    expect(body).toMatchObject({ state: 'approved', input: { month: MONTH } });
    expect(body.preview).toMatch(/\nResult of the month: .*\nassets:operating: -?\d+\.\d\d USD in the month/s);
    const { get } = await session(app, 'finance');
    expect((await get(`/periods/${MONTH}`)).text).toContain('fina, approved by ada');
  });

  it('names both persons on the page Audit, with the way to it', async () => {
    const { get } = await session(app, 'finance');
    const { text } = await get('/audit?action=close+period&outcome=done');
    expect(text).toContain('approved by ada');
    expect(text).toContain(`/decisions/${(await newest())['id']}`);
    expect(text).toContain('>fina</a>');
  });

  it('names first the rates that are far from others, and that they were accepted', async () => {
    const file = path.join(folder, 'far.csv');
    const lines = ['date,asset,currency,rate', `2026-04-01,${ASSET},USD,1.25`, `2026-04-02,${ASSET},USD,0.0125`];
    await writeFile(file, lines.join('\n'));
    await command('finance', 'books', 'rates', 'import', file, '--accept', `3,2026-04:${ASSET}`, '--note', reason);
    const { id = '' } = await newest();
    const { stdout } = await command('finance', 'decisions', 'show', id);
    const first = `\n  Asked about and accepted (2):\n  2026-04:${ASSET}: nothing else is known of ${ASSET}`;
    const second = `\n  line 3: 0.0125 USD for ${ASSET} is far from that of 2026-04-01, 1.25\n`;
    for (const told of [first, second]) expect(stdout).toContain(told);
    await call('finance', `/decisions/${id}/withdraw`, { note: 'a mistake' }).expect(200);
  });

  it('is sealed with its actions; the books and the seals are as they were made', async () => {
    await sealRows({ db: database.db, now });
    expect((await verifySeals(database.db)).findings).toBe(0);
    expect(await bookFindings(database.db)).toEqual([]);
  });

  it('is not asked for where it can’t be done', async () => {
    const before = await newest();
    const answers = [
      await call('finance', `/periods/${MONTH}/close`, { reason }),
      await call('finance', '/periods/2031-01/close', { reason }),
      await call('finance', '/periods/2025-01/reopen', { reason }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect((await command('finance', 'periods', 'reopen', '2025-01', '--reason', reason)).code).toBe(2);
    expect(await newest()).toEqual(before);
  }, 60_000);
});
