// Records saved by the one door, as pages of a list are: new, changed, unchanged; beside the peer's upsert of as many rows.
import { openDatabase } from '../../dist/records/database.js';
import { saveObservations } from '../../dist/records/save-observations.js';
import { median } from '../median.mjs';
import { openPeer } from '../peer.mjs';
import { ourRequest, stripeRequest } from '../sign.mjs';

const PAGE = 100;
/** Pages on their way at once: one is computed while the database works on the other. */
const AT_ONCE = 2;
const goals = { new: 8_000, changed: 8_000, unchanged: 15_000 };

/** What is saved: a record alone, and the one that more hangs on than on any other. */
const kinds = {
  'movements of sub-wallets, each a record alone': { kind: 'transaction', make: movement, change: { amount: '2.5' } },
  'payments, each with its deposit, order and history': {
    kind: 'payment_intent',
    make: payment,
    change: { irregularStatus: 'pending_decision' },
  },
};

export async function benchSaves(bench) {
  const db = openDatabase(bench.databaseUrl, { max: AT_ONCE, applicationName: 'bench' });
  const sync = await openPeer(bench.databaseUrl);
  const rates = {};
  const note = (name, rate) => {
    rates[name] = [...(rates[name] ?? []), rate];
    bench.say(`${name} ${Math.round(rate)}/s`);
  };
  try {
    for (let round = 1; round <= bench.rounds; round += 1) {
      for (const [title, { kind, make, change }] of Object.entries(kinds)) {
        const first = Array.from({ length: bench.rows }, (_, index) => make(round * bench.rows + index, round));
        const moved = first.map((fields) => ({ ...fields, ...change }));
        note(`${title}: new`, await saved(db, kind, first, 1));
        note(`${title}: changed`, await saved(db, kind, moved, 2));
        note(`${title}: unchanged`, await saved(db, kind, moved, 3));
      }
      note('peer', await upserted(sync, bench.rows, round));
    }
  } finally {
    await db.destroy();
    await sync.postgresClient?.pool?.end?.();
  }
  print(rates, bench);
}

function payment(index, round) {
  return JSON.parse(ourRequest(index, Date.now() - round * 1_000).body).data;
}

function movement(index, round) {
  return {
    id: `tx_${round}_${index}`,
    accountId: `acc_${index % 50}`,
    assetCode: 'USDT.TRC20',
    type: 'deposit',
    amount: '1.5',
    feeAmount: '0',
    createdAt: new Date(Date.now() - index).toISOString(),
    note: 'x'.repeat(500),
  };
}

/** Records per second. `reading` numbers the readings of the same records: a later one is the newer. */
async function saved(db, kind, records, reading) {
  const from = Date.now() + reading * 60_000;
  const source = { type: 'poll', ref: String(reading) };
  const adoptedAt = new Date(0);
  const pages = pagesOf(
    records.map((fields) => ({
      type: 'reading',
      kind,
      id: fields.id,
      from,
      to: from,
      source,
      fields,
    })),
  );
  return perSecond(records.length, () =>
    inTurn(pages, (page) => db.transaction((trx) => saveObservations(trx, page, { now: new Date(), adoptedAt }))),
  );
}

async function upserted(sync, rows, round) {
  const now = Date.now();
  const records = Array.from(
    { length: rows },
    (_, index) => JSON.parse(stripeRequest(round * rows + index, now).body).data.object,
  );
  return perSecond(rows, () => inTurn(pagesOf(records), (page) => sync.upsertPaymentIntents(page, false)));
}

function pagesOf(items) {
  return Array.from({ length: Math.ceil(items.length / PAGE) }, (_, page) =>
    items.slice(page * PAGE, (page + 1) * PAGE),
  );
}

async function inTurn(pages, take) {
  const left = pages.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const page of left) await take(page);
    }),
  );
}

async function perSecond(count, work) {
  const began = performance.now();
  await work();
  return count / ((performance.now() - began) / 1_000);
}

function print(rates, { rounds, rows }) {
  const peer = median(rates.peer);
  process.stdout.write(`\nRecords saved in pages of ${PAGE}; median of ${rounds} × ${rows}, all in this run\n`);
  for (const title of Object.keys(kinds)) {
    process.stdout.write(`  ${title}\n`);
    for (const [name, goal] of Object.entries(goals)) {
      const rate = median(rates[`${title}: ${name}`]);
      process.stdout.write(
        `    ${name.padEnd(22)} ${String(Math.round(rate)).padStart(7)}/s  goal ≥ ${goal}  ratio to the peer ${(rate / peer).toFixed(2)}  goal ≥ 3\n`,
      );
    }
  }
  process.stdout.write(`  ${'stripe-sync-engine'.padEnd(24)} ${String(Math.round(peer)).padStart(7)}/s\n`);
}
