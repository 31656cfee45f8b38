import type { Knex } from 'knex';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { KytWords } from '../domain/kyt.js';
import { type LinkPointers, withLinks } from '../domain/link-fields.js';
import type { Observation } from '../domain/observation.js';
import { type RecordKind, textField } from '../domain/records.js';
import { saveObservations } from '../records/save-observations.js';
import type { WriteOperation } from '../service-api/operations.js';
import type { Answered } from '../service-api/service-writes.js';

interface AnswerOf {
  kind: RecordKind;
  /** Fields of the record that it may lack and that the request tells, each with the request's name for it. */
  told?: Readonly<Record<string, string>>;
  /** The same of the path. */
  toldByPath?: Readonly<Record<string, string>>;
}

/** What an operation answers with, of the kinds that are kept. The response of a transfer is not shown (4.6). */
const answers: Partial<Record<WriteOperation, AnswerOf>> = {
  createDirectPayment: { kind: 'payment_intent' },
  createInvoice: { kind: 'invoice', told: { merchantReference: 'merchantReference' } },
  createPayout: { kind: 'payout', toldByPath: { accountId: 'id' } },
  createRefund: { kind: 'payout', told: { paymentIntentId: 'paymentIntentId' } },
  updateAccount: { kind: 'account' },
  closeAccount: { kind: 'account' },
  archiveAccount: { kind: 'account' },
};

/**
 * Takes in what the service answered to calls of our own that changed something. It is no reading of the service's own
 * list, so it claims, as an event does, and is verified like one.
 */
export function observeAnswers(deps: {
  db: Knex;
  now: () => Date;
  adoptedAt: Date;
  kytWords: KytWords;
  links: LinkPointers;
}): (answered: Answered) => Promise<void> {
  const { db, now, adoptedAt, kytWords, links } = deps;
  return async (answered) => {
    const observations = observationsOf(answered, links);
    if (observations.length === 0) return;
    await db.transaction((trx) => saveObservations(trx, observations, { now: now(), adoptedAt, kytWords }));
  };
}

function observationsOf({ operation, path, request, reply }: Answered, links: LinkPointers): Observation[] {
  const at = { from: reply.from, to: reply.to, source: { type: 'api_response', ref: operation } } as const;
  if (operation === 'createTransfer')
    return walletsOf(path, request).map((id) => ({ ...at, kind: 'account', id, type: 'mention' }));
  const answer = answers[operation];
  if (answer === undefined) return [];
  const { kind, told = {}, toldByPath = {} } = answer;
  const data = isJsonObject(reply.data) ? reply.data : {};
  const id = textField(data, 'id');
  // An account's own calls may answer with nothing at all (4.7 to 4.9).
  if (!id) return kind === 'account' && path['id'] ? [{ ...at, kind, id: path['id'], type: 'mention' }] : [];
  const fields = {
    ...toldFields(told, request ?? {}),
    ...toldFields(toldByPath, path),
    ...withLinks(kind, data, links),
  };
  return [{ ...at, type: 'claim', kind, id, fields }];
}

function toldFields(names: Readonly<Record<string, string>>, told: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(names).flatMap(([field, name]) => {
      const value = textField(told, name);
      return value === null ? [] : [[field, value]];
    }),
  );
}

/** The sub-wallets that a transfer moved money between: their balances are other than before. */
function walletsOf(path: Answered['path'], request: JsonObject | null): string[] {
  const to = textField(request ?? {}, 'toWalletAccountId');
  return [path['id'] ?? null, to].filter((id) => id !== null);
}
