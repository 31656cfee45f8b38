import { expect, test } from 'vitest';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const database = useDatabase();
const run = useShell(database);

test('alerts are those that fire or wait; those that are over are asked for, and each list says which is which', async () => {
  const now = new Date();
  const alert = (name: string, more: object) => ({
    name,
    subject: '',
    severity: 'critical',
    summary: name,
    detail: '',
    since: now,
    seen_at: now,
    ...more,
  });
  await database
    .db('alerts')
    .insert([
      alert('TallyhookFires', { fired_at: now }),
      alert('TallyhookWaits', {}),
      alert('TallyhookOver', { fired_at: now, resolved_at: now }),
    ]);
  const listed = async (...given: string[]) => {
    const { items } = (await run('alerts', 'list', '--json', ...given)).json as { items: { name: string }[] };
    return items.map(({ name }) => name).toSorted();
  };
  expect(await listed()).toEqual(['TallyhookFires', 'TallyhookWaits']);
  expect(await listed('--status', 'resolved')).toEqual(['TallyhookOver']);
  expect(await listed('--status', 'any')).toEqual(['TallyhookFires', 'TallyhookOver', 'TallyhookWaits']);
  const { stdout } = await run('alerts', 'list');
  const [head = ''] = stdout.split('\n').filter((line) => line.startsWith('│'));
  expect(head.split('│').map((cell) => cell.trim())).toEqual(expect.arrayContaining(['since', 'status']));
  expect(head.indexOf('status')).toBeLessThan(head.indexOf('alert'));
});
