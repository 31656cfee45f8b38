import { describe, expect, it } from 'vitest';
import { openSandbox, type Row, type TestSandbox } from './support.js';

const INVOICE = { customerEmail: 'ann@example.com', amount: '10', currency: 'EUR' };

async function start(): Promise<TestSandbox> {
  const sandbox = await openSandbox({ seed: 4 });
  sandbox.control.deposit(null, 'USDT.TRC20', '5000');
  for (let n = 0; n < 12; n += 1) {
    await sandbox.call('POST', '/v1/invoices', INVOICE);
    sandbox.control.createPayout({ assetCode: 'USDT.TRC20', amount: '10', destinationAddress: 'Taway' });
  }
  return sandbox;
}

async function read(sandbox: TestSandbox, list: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ''; rows.length < 200; cursor = `&cursor=${rows.at(-1)?.id}`) {
    const { status, body } = await sandbox.call<Row[]>('GET', `/v1/${list}?take=4${cursor}`);
    expect(status).toBe(200);
    if (body.length === 0) break;
    rows.push(...body);
  }
  return rows;
}

describe.each(['invoices', 'payouts'])('the list of %s under churn', (list) => {
  it('gets new rows at its head between two pages, and rows that were shown change', async () => {
    const sandbox = await start();
    sandbox.control.setFaults({ churn: 1, cursor: 'key' });
    const shown = await read(sandbox, list);
    expect(shown.length).toBe(12);
    sandbox.control.setFaults({ churn: 0, cursor: 'key' });
    const now = new Map((await read(sandbox, list)).map((row) => [row.id, row]));
    expect(now.size).toBeGreaterThan(14);
    const changed = shown.filter((row) => now.get(row.id)?.status !== row.status);
    expect(changed.length).toBeGreaterThanOrEqual(3);
    // The row of each cursor is among them.
    for (const at of [3, 7, 11]) expect(changed.map(({ id }) => id)).toContain(shown[at]?.id);
  });

  it('moves the same way each time', async () => {
    const play = async (): Promise<unknown> => {
      const sandbox = await start();
      sandbox.control.setFaults({ churn: 0.5 });
      const shown = await read(sandbox, list);
      return shown.map(({ id, status }) => [id, status]);
    };
    expect(await play()).toEqual(await play());
  });

  it('stands still at its first page, and without the fault', async () => {
    const sandbox = await start();
    await read(sandbox, list);
    sandbox.control.setFaults({ churn: 1 });
    for (let n = 0; n < 3; n += 1) {
      expect((await sandbox.call<Row[]>('GET', `/v1/${list}?take=100`)).body).toHaveLength(12);
    }
  });
});
