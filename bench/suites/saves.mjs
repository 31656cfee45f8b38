// Records saved by the one door, as pages of a list are: new, changed, unchanged; beside the peer's upsert of as many rows.
import { setTimeout } from 'node:timers/promises';
import { openDatabase } from '../../dist/records/database.js';
import { saveObservations } from '../../dist/records/saving/save-observations.js';
import { median } from '../median.mjs';
import { openPeer } from '../peer.mjs';
import { ourRequest, stripeRequest } from '../sign.mjs';

const PAGE = 100;
/** Pages on their way at once: one is computed while the database works on the other. */
const AT_ONCE = 2;
const goals = { new: 8_000, changed: 8_000, unchanged: 15_000 };

/** What is saved: a record alone, and the one that more hangs on than on any other. */
const kinds = {
  'transactions of sub-wallets, each a record alone': {
    kind: 'transaction',
    make: transaction,
    change: { amount: '2.5' },
  },
  'payments, each with its payin, order and history': {
    kind: 'payment_intent',
    make: payment,
    change: { irregularStatus: 'pending_decision' },
  },
};

export async function benchSaves(bench) {
  const written = await rowsWritten(bench);
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
  print(rates, written, bench);
}

/** Rows that Postgres inserts or updates for one record, of every table of ours, in a pass that is not timed. */
async function rowsWritten(bench) {
  const count = 1_000;
  const written = {};
  for (const [title, { kind, make, change }] of Object.entries(kinds)) {
    const first = Array.from({ length: count }, (_, index) => make(index, 0));
    const moved = first.map((fields) => ({ ...fields, ...change }));
    for (const [reading, [name, records]] of Object.entries({
      new: first,
      changed: moved,
      unchanged: moved,
    }).entries()) {
      const before = await rowsOfTables(bench);
      const db = openDatabase(bench.databaseUrl, { max: AT_ONCE, applicationName: 'bench' });
      await saved(db, kind, records, reading + 1).finally(() => db.destroy());
      written[`${title}: ${name}`] = ((await rowsOfTables(bench)) - before) / count;
    }
  }
  return written;
}

/** A connection tells its counts when it ends, a moment later. */
async function rowsOfTables({ databaseUrl }) {
  const db = openDatabase(databaseUrl, { max: 1, applicationName: 'bench' });
  const read = async () => {
    const { rows } = await db.raw(
      "SELECT sum(n_tup_ins + n_tup_upd)::float8 AS rows FROM pg_stat_user_tables WHERE schemaname = 'public'",
    );
    return rows[0].rows;
  };
  try {
    let last = -1;
    for (let tries = 0; tries < 20; tries += 1) {
      const rows = await read();
      if (rows === last) return rows;
      last = rows;
      await setTimeout(250);
    }
    return last;
  } finally {
    await db.destroy();
  }
}

function payment(index, round) {
  return JSON.parse(ourRequest(index, Date.now() - round * 1_000).body).data;
}

function transaction(index, round) {
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
      type: 'poll',
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

function print(rates, written, { rounds, rows }) {
  const peer = median(rates.peer);
  process.stdout.write(`\nRecords saved in pages of ${PAGE}; median of ${rounds} × ${rows}, all in this run\n`);
  for (const title of Object.keys(kinds)) {
    process.stdout.write(`  ${title}\n`);
    for (const [name, goal] of Object.entries(goals)) {
      const key = `${title}: ${name}`;
      const rate = median(rates[key]);
      process.stdout.write(
        `    ${name.padEnd(22)} ${String(Math.round(rate)).padStart(7)}/s  goal ≥ ${goal}  ratio to the peer ${(rate / peer).toFixed(2)}  goal ≥ 3` +
          `  rows each ${written[key].toFixed(1)}  ratio by rows ${((rate * written[key]) / peer).toFixed(2)}\n`,
      );
    }
  }
  process.stdout.write(`  ${'stripe-sync-engine'.padEnd(24)} ${String(Math.round(peer)).padStart(7)}/s  rows each 1\n`);
}
