import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.js';
import { DRILL_MS, until } from '../support/drill.js';
import { createInstallation } from '../support/installation.js';

const ASSET = 'USDT.TRC20';
interface Answer {
  id: string;
  state: string;
  askedBy: string;
  proof: { status: string; unexplained: string } | null;
  attributions: object[];
}
const TOKENS = { fina: 'fina-of-the-finance-team', felix: 'felix-of-the-finance-team' };

test(
  'processes with FOUR_EYES on attribute what two people decided, once, and nothing that one asked',
  async () => {
    const database = await createTestDatabase();
    const CONSOLE_TOKENS = Object.entries(TOKENS)
      .map(([name, token]) => `${name}:finance:${token}`)
      .join();
    const site = await createInstallation({ databaseUrl: database.url, env: { FOUR_EYES: 'on', CONSOLE_TOKENS } });
    try {
      site.sandbox.control.deposit(null, ASSET, '1000');
      await site.start('start');
      const api = async (who: keyof typeof TOKENS, method: 'GET' | 'POST', path: string, body?: object) => {
        const headers = { authorization: `Bearer ${TOKENS[who]}`, 'content-type': 'application/json' };
        const given = body === undefined ? {} : { body: JSON.stringify(body) };
        const answer = await fetch(`${site.metricsUrls()['start']}/api/v1${path}`, { method, headers, ...given });
        return { status: answer.status, body: (await answer.json()) as Answer };
      };
      const proofOf = async () => (await api('fina', 'GET', `/balances/${ASSET}`)).body.proof;
      await until('the balance is opened', async () => (await proofOf())?.status === 'agrees');
      site.sandbox.control.deposit(null, ASSET, '7');
      await until('it is unexplained', async () => {
        await site.run(['reconcile', 'balances']);
        return (await proofOf())?.unexplained === '7';
      });

      const asked = await api('fina', 'POST', `/balances/${ASSET}/attribute`, {
        amount: '7',
        note: 'a deposit of ours',
      });
      expect([asked.status, asked.body.state, asked.body.askedBy]).toEqual([202, 'waiting', 'fina']);
      const { id } = asked.body;
      // A command without the setting asks too, as the processes at work have it; the same is the same decision.
      const words = ['balances', 'attribute', ASSET, '--amount', '7', '--note', 'a deposit of ours'];
      const command = await site.run(words, { FOUR_EYES: 'off', TALLYHOOK_TOKEN: TOKENS.fina });
      expect([command.code, command.stdout]).toEqual([3, expect.stringContaining(`decision ${id}`)]);
      expect((await proofOf())?.unexplained).toBe('7');
      expect((await api('fina', 'POST', `/decisions/${id}/approve`, { note: 'mine' })).status).toBeGreaterThanOrEqual(
        400,
      );
      const unnamed = await site.run(['decisions', 'approve', id, '--note', 'nobody']);
      expect(unnamed.code).not.toBe(0);
      expect((await proofOf())?.unexplained).toBe('7');

      const approved = await site.run(['decisions', 'approve', id, '--note', 'seen'], {
        TALLYHOOK_TOKEN: TOKENS.felix,
      });
      expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
      expect((await api('felix', 'POST', `/decisions/${id}/approve`, { note: 'again' })).status).toBe(409);
      const { body } = await api('fina', 'GET', `/balances/${ASSET}`);
      expect(body.attributions).toMatchObject([{ amount: '7', note: 'a deposit of ours', actor: 'fina' }]);
      const details = expect.objectContaining({ decision: id, approvedBy: 'felix' });
      const done = await database.db('actions').where({ action: 'attribute balance', outcome: 'done' });
      expect(done).toMatchObject([{ actor: 'fina', details }]);
      expect((await site.run(['audit', 'verify'])).code).toBe(0);
      expect(site.died()).toEqual([]);
    } finally {
      await site.close();
      await database.drop();
    }
  },
  DRILL_MS,
);
