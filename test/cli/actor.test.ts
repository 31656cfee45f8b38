import { expect, test } from 'vitest';
import { useDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';

const CONSOLE_TOKENS = 'ann:finance:Xq81-vv2p-Lm04-aa,bob:finance:Zr77-kk3w-Tn95-bb';
const database = useDatabase();
let settings: Record<string, string> = {};
const shell = useShell(database, () => settings);

/** Who the audit says it was, of something that keeps nothing but its action. */
async function actorOf(given: Record<string, string>) {
  settings = given;
  const { code, stderr } = await shell('periods', 'reopen', '2026-03', '--reason', 'a late invoice');
  const [row] = await database.db('actions').select('actor').orderBy('id', 'desc').limit(1);
  return { code, stderr, actor: row?.actor as string | undefined };
}

test('what a person does on the command line is kept under the name of their token', async () => {
  expect((await actorOf({ CONSOLE_TOKENS, TALLYHOOK_TOKEN: 'Zr77-kk3w-Tn95-bb' })).actor).toBe('bob');
  expect((await actorOf({ CONSOLE_TOKENS, TALLYHOOK_TOKEN: 'Xq81-vv2p-Lm04-aa' })).actor).toBe('ann');
}, 60_000);

test('without one, under the operating system’s user, marked as such', async () => {
  expect((await actorOf({ CONSOLE_TOKENS })).actor).toMatch(/^os:./);
  expect((await actorOf({})).actor).toMatch(/^os:./);
}, 60_000);

test.each([[{ CONSOLE_TOKENS }], [{}]])(
  'a token that is nobody’s does nothing, and is not shown (%j)',
  async (given) => {
    const before = await database.db('actions').count();
    const { code, stderr } = await actorOf({ ...given, TALLYHOOK_TOKEN: 'nobody-has-this-1' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('none of the tokens in CONSOLE_TOKENS')]);
    expect(stderr).not.toContain('nobody-has-this-1');
    expect(await database.db('actions').count()).toEqual(before);
  },
  60_000,
);
