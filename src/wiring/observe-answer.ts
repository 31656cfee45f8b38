import type { Knex } from 'knex';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import { type LinkPointers, withLinks } from '../domain/link-fields.js';
import type { Observation } from '../domain/observation.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { type RecordKind, textField } from '../domain/records.js';
import { saveObservations } from '../records/save-observations.js';
import type { WriteOperation } from '../service-api/operations.js';
import type { Answered } from '../service-api/service-writes.js';

interface AnswerOf {
  kind: RecordKind;
  /** What the call itself tells of the record, which its answer may lack. */
  tells?: (call: { path: Answered['path']; request: JsonObject }) => Readonly<Record<string, string | null>>;
}

/** What an operation answers with, of the kinds that are kept; an account's own calls perhaps with nothing (4.7 to 4.9). */
const answers: Partial<Record<WriteOperation, AnswerOf>> = {
  createDirectPayment: { kind: 'payment_intent' },
  createInvoice: {
    kind: 'invoice',
    tells: ({ request }) => ({ merchantReference: textField(request, 'merchantReference') }),
  },
  createPayout: { kind: 'payout', tells: ({ path }) => ({ accountId: path['id'] ?? null }) },
  createRefund: {
    kind: 'payout',
    tells: ({ request }) => ({ paymentIntentId: textField(request, 'paymentIntentId') }),
  },
  updateAccount: {
    kind: 'account',
    tells: ({ path, request }) => ({ id: path['id'] ?? null, status: textField(request, 'status') }),
  },
  // Hidden from the list by what follows, an account is missed by nobody that was told that it is closed (3.6).
  closeAccount: { kind: 'account', tells: closed },
  archiveAccount: { kind: 'account', tells: closed },
};

/**
 * Takes in what the service answered to calls of our own that changed something. It is no reading of the service's own
 * list, so it claims, as an event does, and is verified like one.
 */
export function observeAnswers({
  db,
  now,
  links,
  ...context
}: {
  db: Knex;
  now: () => Date;
  adoptedAt: Date;
  links: LinkPointers;
} & ReleaseRules): (answered: Answered) => Promise<void> {
  return async (answered) => {
    const observations = observationsOf(answered, links);
    if (observations.length === 0) return;
    await db.transaction((trx) => saveObservations(trx, observations, { ...context, now: now() }));
  };
}

function observationsOf({ operation, path, request, reply }: Answered, links: LinkPointers): Observation[] {
  const at = { from: reply.from, to: reply.to, source: { type: 'api_response', ref: operation } } as const;
  if (operation === 'createTransfer')
    return walletsOf(path, request).map((id) => ({ ...at, kind: 'account', id, type: 'mention' }));
  const answer = answers[operation];
  if (answer === undefined) return [];
  const told = Object.entries(answer.tells?.({ path, request: request ?? {} }) ?? {});
  const data = isJsonObject(reply.data) ? withLinks(answer.kind, reply.data, links) : {};
  const fields: JsonObject = { ...Object.fromEntries(told.filter(([, value]) => value !== null)), ...data };
  const id = textField(fields, 'id');
  return id === null || id === '' ? [] : [{ ...at, type: 'claim', kind: answer.kind, id, fields }];
}

function closed({ path }: { path: Answered['path'] }): { id: string | null; status: string } {
  return { id: path['id'] ?? null, status: 'closed' };
}

/** The sub-wallets that a transfer moved money between: their balances are other than before. */
function walletsOf(path: Answered['path'], request: JsonObject | null): string[] {
  const to = textField(request ?? {}, 'toWalletAccountId');
  return [path['id'] ?? null, to].filter((id) => id !== null);
}
