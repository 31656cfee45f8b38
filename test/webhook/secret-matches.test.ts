import { setImmediate as turn } from 'node:timers/promises';
import type { Knex } from 'knex';
import { expect, test } from 'vitest';
import { createLog } from '../../src/log.js';
import { createSecretMatchLog } from '../../src/webhook/secret-matches.js';
import { fingerprintOf } from '../../src/webhook/verify-signature.js';
import { OTHER_SECRET, SECRET, secrets } from '../support/signed.js';

const at = (time: string) => new Date(`2026-03-01T${time}Z`);

/** A database that keeps what each transaction was given, and fails where the test says so. */
function scriptedDatabase() {
  const written: unknown[][] = [];
  let fail: ((error: Error) => void) | null = null;
  let tries = 0;
  const db = {
    async transaction(work: (trx: { raw(sql: string, bindings: unknown[]): object }) => Promise<void>) {
      tries += 1;
      if (tries === 1) await new Promise((_resolve, reject) => (fail = reject));
      await work({ raw: (_sql, bindings) => ({ rows: [], rowCount: written.push(bindings) }) });
    },
  };
  return { db: db as unknown as Knex, written, fail: () => fail?.(new Error('down')) };
}

test('what could not be written is kept, with what came meanwhile, by secret and hour', async () => {
  const { db, written, fail } = scriptedDatabase();
  let now = at('10:00:00');
  const said: unknown[] = [];
  const lines = createLog('warn', { write: (line) => void said.push(JSON.parse(line)) });
  const log = createSecretMatchLog({ db, log: lines, now: () => now });
  const add = (time: string, label: string, known = secrets) => {
    now = at(time);
    log.add(label, known);
  };
  add('10:30:00', 'live');
  add('10:50:00', 'live');
  await turn();
  await turn();
  // On its way, and not there yet.
  add('10:40:00', 'live');
  add('10:59:59.999', 'live');
  add('10:20:00', 'live');
  add('11:00:00', 'live');
  add('10:10:00', 'new');
  add('10:10:00', 'live', [{ label: 'live', secret: 'another by this name' }]);
  add('10:10:00', 'taken away');
  fail();
  await log.close();
  expect(said).toMatchObject([{ error: 'Error: down', msg: 'secret matches not saved' }]);
  const live = fingerprintOf(SECRET);
  expect(written).toHaveLength(8);
  expect(written).toEqual(
    expect.arrayContaining([
      ['live', live, at('10:20:00'), at('10:59:59.999')],
      ['live', live, at('11:00:00'), at('11:00:00')],
      ['live', fingerprintOf('another by this name'), at('10:10:00'), at('10:10:00')],
      ['new', fingerprintOf(OTHER_SECRET), at('10:10:00'), at('10:10:00')],
      ['live', at('10:00:00'), 5],
      ['live', at('11:00:00'), 1],
      ['live', at('10:00:00'), 1],
      ['new', at('10:00:00'), 1],
    ]),
  );
});

test('where nothing matched nothing is written', async () => {
  const { db, written } = scriptedDatabase();
  await createSecretMatchLog({ db, log: createLog('silent'), now: () => at('10:00:00') }).close();
  expect(written).toEqual([]);
});

test('a secret has a fingerprint of 16 hexadecimal digits', () => {
  expect(fingerprintOf('abc')).toBe('ba7816bf8f01cfea');
});
