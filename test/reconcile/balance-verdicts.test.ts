import { describe, expect, it } from 'vitest';
import { classifyBalance } from '../../src/domain/balances/balance-proof.js';
import { saveBalance } from '../../src/reconcile/balances/save-balance.js';
import type { RunContext } from '../../src/reconcile/deps.js';
import { followResidual } from '../../src/records/balances/balance-proofs.js';
import { getBalance, listAttributions } from '../../src/records/balances/balance-views.js';
import { attributeBalance } from '../../src/records/books/attribute-balance.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { defaultContract } from '../../src/service-api/contract.js';
import { openSandbox, type TestSandbox } from '../sandbox/support.js';
import { judgedBalance } from '../support/classified-balance.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { isAll } from '../support/sizes.js';
import { ASSET, balanceStage, PAST } from './balance-stage.js';
import { type AtService, atService, fewAssets } from './service-at.js';

const database = resettableDatabase();
const { proofOf, residuals } = balanceStage(database);

/** No record shows what moved it. */
const NOTHING = { explained: '0', known: '0', attributed: '0', limit: '0', unclear: null };

async function opened(faults: object = {}): Promise<{ sandbox: TestSandbox; at: AtService }> {
  const sandbox = await openSandbox(PAST);
  await sandbox.call('PUT', '/sandbox/faults', faults);
  await payDirect(sandbox, '7');
  // What is younger than some minutes at the opening could have been confirmed before it or after.
  sandbox.control.advance(3_600);
  const at = fewAssets(atService(database, sandbox.url));
  expect(await at.run('balances')).toMatchObject({ status: 'succeeded', error: null });
  return { sandbox, at };
}

async function payDirect(sandbox: TestSandbox, amount: string, more: object = {}): Promise<void> {
  const body = { requestedCoin: ASSET, amount, customer: {}, ...more };
  const { status, body: made } = await sandbox.call('POST', '/v1/payment-intents/direct', body);
  expect(status).toBe(201);
  expect((await sandbox.call('POST', `/sandbox/payment-intents/${made.id}/pay`, { amount })).status).toBe(201);
}

describe('a payment that is settled automatically', () => {
  const settling = { autoSettlement: { enabled: true } };

  // test/reconcile/books-flow.test.ts says it as well.
  if (isAll)
    it('nets out where payouts are listed: what it brought is explained, what was settled is unobservable', async () => {
      const { sandbox, at } = await opened();
      await payDirect(sandbox, '100', settling);
      await at.run('balances');
      expect(await proofOf()).toMatchObject({ explained: '99', unobservable: '-99', unexplained: '0', unproven: null });
    });

  it('leaves what was settled unexplained where nothing shows it', async () => {
    const { sandbox, at } = await opened({ payoutsList: false });
    await payDirect(sandbox, '100', settling);
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ explained: '99', unobservable: '0', unexplained: '-99' });
  });
});

describe('another table of movements', () => {
  it('works in all records again, and what stood at the opening still does', async () => {
    const { sandbox, at } = await opened();
    await payDirect(sandbox, '100');
    await at.run('balances');
    const before = await proofOf();
    expect(before).toMatchObject({ explained: '99', unexplained: '0' });
    const { movements } = defaultContract;
    const choices = { ...movements.choices, payments: 'payins', unnamedPayout: 'operating' } as const;
    at.deps.contract = { ...defaultContract, movements: { ...movements, choices } };
    expect(await at.run('balances')).toMatchObject({ breaksOpened: 0 });
    expect((await proofOf())?.unproven).toContain('payins of payments are not read yet');
    await at.run('payment-intents');
    expect(await at.run('balances')).toMatchObject({ breaksOpened: 0 });
    expect(await proofOf()).toMatchObject({
      opening: before?.opening,
      explained: '99',
      unexplained: '0',
      unproven: null,
    });
    at.deps.contract = defaultContract;
    await at.run('balances');
    expect(await proofOf()).toMatchObject({ opening: before?.opening, explained: '99', unexplained: '0' });
  });
});

describe('a balance that was judged', () => {
  const HOUR = 3_600_000;

  it('is unproven once no two readings agreed for a day', async () => {
    const now = new Date('2026-11-01T00:00:00Z');
    await judgedBalance(database.db, { assetCode: ASSET, opening: '5', balance: '5', now });
    const statusAt = async (hours: number) => {
      const view = await getBalance(database.db, ASSET, new Date(now.getTime() + hours * HOUR));
      return (view as { proof: { status: string; unproven: string | null } }).proof;
    };
    expect(await statusAt(23)).toMatchObject({ status: 'agrees', unproven: null });
    expect(await statusAt(24)).toMatchObject({ status: 'unproven' });
    expect((await statusAt(24)).unproven).toContain('not compared with the records since 2026-11-01');
  });

  it('less than it should be is a break, until finance says what it was, once', async () => {
    await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '79' });
    expect(await residuals()).toMatchObject([{ severity: 'critical', entity: { kind: 'balance', id: ASSET } }]);
    const said = { assetCode: ASSET, amount: '-21', note: 'a payout of the dashboard', actor: 'ann' };
    for (const amount of ['-400', '1'])
      expect(await attributeBalance(database.db, { ...said, amount })).toMatchObject({ outcome: 'refused' });
    expect(await attributeBalance(database.db, said)).toMatchObject({ outcome: 'done' });
    expect(await attributeBalance(database.db, said)).toMatchObject({ outcome: 'refused' });
    expect(await residuals()).toEqual([]);
    expect(await proofOf()).toMatchObject({ attributed: '-21', unobservable: '-21', unexplained: '0' });
    expect(await listAttributions(database.db, ASSET)).toMatchObject([{ amount: '-21', actor: 'ann' }]);
    await expect(database.db('balance_attributions').delete()).rejects.toThrow('append-only');
  });

  it('and of which a person closed the break is one again only if it was right in between', async () => {
    const follow = (balance: string, before: string | null) => {
      const verdict = classifyBalance('100', balance, NOTHING);
      const evidence = { unexplained: verdict.unexplained };
      return database.db.transaction((trx) => followResidual(trx, ASSET, { verdict, before }, evidence));
    };
    expect(await follow('79', null)).toBe(1);
    const [first] = await residuals();
    await decideBreak(database.db, String(first?.id), 'resolve', { actor: 'ann', note: 'a payout of the dashboard' });
    expect(await follow('79', '-21')).toBe(0);
    expect(await follow('100', '-21')).toBe(0);
    expect(await residuals()).toEqual([]);
    expect(await follow('79', '0')).toBe(1);
    expect(await residuals()).toHaveLength(1);
  });

  it('is not opened again by a run that began before finance attributed it', async () => {
    await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '56' });
    const said = { assetCode: ASSET, amount: '-44', note: 'a settlement', actor: 'ann' };
    expect(await attributeBalance(database.db, said)).toMatchObject({ outcome: 'done' });
    const classified = {
      assetCode: ASSET,
      poll: { balance: '56', frozen: '0', at: Date.now() },
      verdict: classifyBalance('100', '56', NOTHING),
      held: null,
    };
    const run: RunContext = {
      deps: atService(database, 'http://127.0.0.1:9').deps,
      source: { type: 'poll', ref: 'test' },
      tally: { calls: 0, seen: 0, changed: 0, breaksOpened: 0 },
      fence: { runId: null, dryRun: false },
      options: { full: false, since: null, resume: false, pages: null },
      progress: () => {},
    };
    const verdict = { type: 'compared', classified, opens: null, caveats: [] } as const;
    await saveBalance(run, ASSET, { read: null, earlier: null, verdict });
    expect(await proofOf()).toMatchObject({ attributed: '-44', unexplained: '0' });
    expect(run.tally.breaksOpened).toBe(0);
    expect(await attributeBalance(database.db, said)).toMatchObject({ outcome: 'refused' });
  });
});
