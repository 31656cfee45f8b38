import { beforeAll, expect, it } from 'vitest';
import { importRatesFile } from '../../src/finance/import-rates.js';
import { judgedBalance } from '../support/classified-balance.js';
import { useDatabase } from '../support/database.js';
import { at, poll } from '../support/observations.js';
import { postBooks } from '../support/posted-books.js';
import { paidIntent } from '../support/records.js';
import { save } from '../support/saved.js';

const ASSET = 'USDT.TRON';
const database = useDatabase();

beforeAll(async () => {
  await judgedBalance(database.db, { assetCode: ASSET, opening: '100', balance: '100', now: new Date(at(0)) });
  await postBooks(database.db);
  await save(database, [
    poll('payment_intent', paidIntent('pi_1', 'pa_1', { updatedAt: '2026-03-01T10:00:00.000Z' }), 20),
    poll('asset', { id: 'TRX' }, 20),
  ]);
  await postBooks(database.db);
}, 60_000);

const taken = (lines: string[], dryRun = false, isAccepted = false) =>
  importRatesFile(['date,asset,currency,rate', ...lines].join('\n'), {
    db: database.db,
    now: new Date(),
    timeZone: 'UTC',
    currency: 'USD',
    actor: 'ann',
    dryRun,
    isAccepted,
  });
const kept = async () => ({
  given: await database.db('given_rates').count().first(),
  rates: await database.db('entry_rates').count().first(),
  actions: await database.db('actions').count().first(),
});

it('takes no file with an asset that was never seen, or a currency that is not the books’, and names each line', async () => {
  const before = await kept();
  for (const dryRun of [true, false])
    expect(
      await taken(
        [
          `2026-03-01,${ASSET},USD,0.9`,
          '2026-03-01,USTD.TRC20,USD,0.9',
          `2026-03-01,${ASSET},GBP,0.9`,
          '2026-03-01,TRX,USD,0',
        ],
        dryRun,
      ),
    ).toEqual({
      outcome: 'refused',
      problems: [
        'line 3: USTD.TRC20 was never seen here: not in the catalog, nor in a balance, a movement or the books',
        'line 4: GBP is not the currency of the books: REPORTING_CURRENCY is USD',
        'line 5: the rate is zero; leave the line out where there is no rate',
      ],
    });
  expect(await kept()).toEqual(before);
});

it('says by a dry run what it would value, and keeps nothing of it', async () => {
  const lines = [`2026-03-01,${ASSET},USD,0.99`, '2026-03-01,TRX,USD,0.3'];
  const before = await kept();
  const would = await taken(lines, true);
  expect(await kept()).toEqual(before);
  const done = await taken(lines);
  expect(done).toMatchObject({ outcome: 'done', rates: 2 });
  expect(would).toEqual({ ...done, outcome: 'would' });
  expect('valued' in done && done.valued).toBeGreaterThan(0);
  const again = await taken(lines, true);
  expect(again).toEqual({ outcome: 'would', rates: 2, valued: 0, closed: [], accepted: [], replaced: [] });
});

it('asks before it takes a rate that is more than a fifth from what else is known, and keeps who accepted it', async () => {
  const lines = [`2026-03-02,${ASSET},USD,0.0001`, `2026-03-03,${ASSET},USD,0.98`];
  const before = await kept();
  expect(await taken(lines)).toEqual({
    outcome: 'asks',
    problems: [
      `line 2: 0.0001 USD for ${ASSET} is far from that of 2026-03-01, 0.99`,
      `line 3: 0.98 USD for ${ASSET} is far from that of 2026-03-02, 0.0001`,
    ],
  });
  expect(await kept()).toEqual(before);
  expect(await taken(lines, false, true)).toMatchObject({ outcome: 'done', rates: 2 });
  const action = await database.db('actions').orderBy('id', 'desc').first('details');
  expect(JSON.stringify(action?.details)).toContain('is far from that of 2026-03-01');
});
