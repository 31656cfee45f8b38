import { chooseRate, rateOfPayment } from '../domain/books/choose-rate.js';
import type { NewEntry } from '../records/books/append-entries.js';
import type { ReadRecord } from '../records/books/book-records.js';
import { appendRates, copyRates, ratesKnown } from '../records/books/entry-rates.js';
import type { Books } from './posting-deps.js';

interface Appended {
  entry: NewEntry;
  id: string;
  record: ReadRecord | null;
}

/** Says of each asset of each entry what it was worth then, or why that is not known. */
export async function valueEntries({ trx, currency }: Books, appended: readonly Appended[]): Promise<void> {
  const wanted = appended
    .filter(({ entry }) => entry.reverses === null)
    .flatMap(({ entry, id, record }) =>
      [...new Set(entry.lines.map(({ assetCode }) => assetCode))].map((assetCode) => ({
        id,
        assetCode,
        date: entry.day,
        at: entry.dated.at,
        fields: record?.kind === 'payment_intent' ? record.fields : null,
      })),
    );
  const known = await ratesKnown(trx, wanted, currency);
  const rates = wanted.map(({ id, assetCode, at, fields }, n) => {
    const payment = fields === null ? null : rateOfPayment(fields, assetCode, currency);
    const { file, service } = known[n] ?? { file: null, service: null };
    return {
      entryId: id,
      assetCode,
      currency,
      valuation: chooseRate({ assetCode, currency, at, file, payment, service }),
    };
  });
  await appendRates(trx, rates);
  const reversals = appended.flatMap(({ entry, id }) =>
    entry.reverses === null ? [] : [{ from: entry.reverses, to: id }],
  );
  await copyRates(trx, reversals);
}
