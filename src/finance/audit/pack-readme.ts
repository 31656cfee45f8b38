import type { PackScope } from './pack-scope.js';

/** What a pack is and how it is checked, for somebody who has nothing else. */
export function packReadme({ month, closing, at, seals, timeZone }: PackScope): string {
  const state =
    closing === null
      ? `The month is OPEN: this is how it stood at ${at.toISOString()}. It may still change.`
      : `The month was closed at ${closing.at} by ${closing.actor}. A pack of it has these bytes whenever it is made,
except where a difference that was open then has since become more severe: what its severity and evidence were then is not
kept, and in a pack made later both are null in breaks.ndjson.`;
  return `Evidence of ${month} (${timeZone}), made by Tallyhook
${state}

What is in it
  about.json            the month, its closing, and the seals that cover it
  books/                the books: entries, accounts, values, orders, payments, payouts, balances, as csv, ndjson,
                        xlsx, hledger and beancount; of a closed month the files stored when it was closed
  breaks.ndjson         differences between the merchant's records and the service's that were open in the month,
                        each with its history: who decided what, when and why
  runs.ndjson           every reading of the service's lists, with the proof that it was complete, or why not
  actions.ndjson        what people did, and why
  secrets.json          fingerprints of the signing secrets; never a secret
  seals/                the sealed history: every change of a record, every entry, every action
  MANIFEST.sha256       the SHA-256 of each of these files

How to check it
  1. Unpack it, then: sha256sum -c MANIFEST.sha256
  2. The seals: each line of seals/seals.ndjson names, as "previous", the SHA-256 of the line before it, and as "rowsHash"
     that of its rows. The last one (seal ${seals.to}) must have the SHA-256
       ${seals.headHash}
     Hold it against what was kept elsewhere at the time: the log of the schedulers, an earlier export or pack.
     docs/audit.md of Tallyhook has the recipe, and a program of some forty lines that does it all.
  3. The ledgers: hledger -f books/${month}.journal check; bean-check books/${month}.beancount

What it does not say
  Who a customer is: personal fields stand as keyed digests. What the service said later than this.
`;
}
