// A list read whole by the reconciler: the first time, when all of it is new, and again, when nothing changed. The ceiling
// fetches and parses the same pages and keeps nothing; the peer fetches, parses and upserts as many records.
import { openDatabase } from '../../dist/records/database.js';
import { median } from '../median.mjs';
import { openPeer } from '../peer.mjs';
import { during } from '../processes.mjs';
import { readPayments, serviceClient } from '../read-payments.mjs';
import { figure } from '../report.mjs';
import { stripeRequest } from '../sign.mjs';

const PAGE = 100;

export async function benchReconcile(bench) {
  const { rows, rounds, say } = bench;
  const rates = { backfill: [], unchanged: [], pages: [], peer: [], 'peer again': [] };
  const db = openDatabase(bench.databaseUrl, { max: 10, applicationName: 'bench' });
  const sync = await openPeer(bench.databaseUrl);
  try {
    await during('list', { ...bench, count: rows, newest: Date.now() }, async ({ port }) => {
      const readAll = () => readPayments({ db, databaseUrl: bench.databaseUrl, port }, { full: true });
      for (let round = 1; round <= rounds; round += 1) {
        await empty(db);
        rates.backfill.push(await perSecond(rows, readAll));
        rates.unchanged.push(await perSecond(rows, readAll));
        rates.pages.push(await perSecond(rows, () => pagesOnly(port)));
        rates.peer.push(await perSecond(rows, () => peerPages(sync, port, rows, round)));
        rates['peer again'].push(await perSecond(rows, () => peerPages(sync, port, rows, round)));
        say(
          Object.entries(rates)
            .map(([name, all]) => `${name} ${Math.round(all.at(-1))}/s`)
            .join(', '),
        );
      }
    });
  } finally {
    await db.destroy();
    await sync.postgresClient?.pool?.end?.();
  }
  const rate = (name) => median(rates[name]);
  const beside = (name, than, to) => ({ ratio: rate(name) / rate(than), to });
  return {
    title: `A list of ${rows} payments read whole, in pages of ${PAGE}, median of ${rounds}`,
    figures: [
      figure('nothing changed', rate('unchanged'), { goal: 15_000 }),
      figure('the same pages fetched and parsed', rate('pages'), beside('unchanged', 'pages', 'nothing changed')),
      figure(
        'stripe-sync-engine, upserted again',
        rate('peer again'),
        beside('unchanged', 'peer again', 'nothing changed'),
      ),
      figure('backfill: all of it new', rate('backfill')),
      figure('stripe-sync-engine, upserted', rate('peer'), beside('backfill', 'peer', 'backfill')),
    ],
  };
}

/** History can't be taken back while its triggers are at work. */
const empty = (db) =>
  db.transaction(async (trx) => {
    await trx.raw('SET LOCAL session_replication_role = replica');
    await trx.raw(
      'TRUNCATE payment_intents, payins, payin_listings, orders, changes, unread_intervals, watermarks CASCADE',
    );
  });

async function pagesOnly(port) {
  const client = serviceClient(port);
  let cursor;
  for (;;) {
    const { data } = await client.reply('listPaymentIntents', { query: { take: PAGE, ...(cursor ? { cursor } : {}) } });
    if (data.length < PAGE) return;
    cursor = data.at(-1).id;
  }
}

/** The same calls for their cost, and as many records in the peer's own form. */
async function peerPages(sync, port, rows, round) {
  let cursor = '';
  for (let done = 0; done < rows; done += PAGE) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/payment-intents?take=${PAGE}${cursor}`);
    const page = await response.json();
    cursor = `&cursor=${page.at(-1).id}`;
    await sync.upsertPaymentIntents(
      page.map((_, index) => peerRecord(round * rows + done + index)),
      false,
    );
  }
}

const shape = JSON.parse(stripeRequest(0, Date.now()).body).data.object;

function peerRecord(index) {
  return { ...shape, id: `pi_${index}` };
}

async function perSecond(count, work) {
  const began = performance.now();
  await work();
  return count / ((performance.now() - began) / 1_000);
}
