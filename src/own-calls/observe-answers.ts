import type { Knex } from 'knex';
import { type LinkPointers, withLinks } from '../domain/events/event-key.js';
import { isJsonObject, type JsonObject } from '../domain/json.js';
import type { Observation } from '../domain/observation.js';
import type { ReleaseRules } from '../domain/orders/order-facts.js';
import { createdKind, linksOfCall, namedFields } from '../domain/own-calls.js';
import { textField } from '../domain/records.js';
import { saveObservations } from '../records/saving/save-observations.js';
import { noteTakenIn } from '../records/saving/take-in-calls.js';
import type { WriteOperation } from '../service-api/operations.js';
import type { Answered } from '../service-api/service-writes.js';

type NamedBy = (call: { path: Answered['path']; request: JsonObject }) => Readonly<Record<string, string | null>>;

/** What calls of an account say of it, which their answers may lack: perhaps there is nothing in them (4.7 to 4.9). */
const namedOfAccount: Partial<Record<WriteOperation, NamedBy>> = {
  updateAccount: ({ path, request }) => ({ id: path['id'] ?? null, status: textField(request, 'status') }),
  // Hidden from the list by what follows, an account is not missed once a call of ours closed it (3.6).
  closeAccount: closed,
  archiveAccount: closed,
};

interface Observing extends ReleaseRules {
  db: Knex;
  now: () => Date;
  adoptedAt: Date;
  links: LinkPointers;
}

/** An answer is no poll of the service's own list: it reports, as an event does, and is verified like one. */
export function observeAnswers({ db, now, links, ...context }: Observing): (answered: Answered) => Promise<void> {
  return async (answered) => {
    const observations = observationsOf(answered, links);
    if (observations.length === 0) return;
    const { operation, key } = answered;
    const made = observations.find(({ kind, type }) => type === 'statement' && kind === createdKind(operation));
    await db.transaction(async (trx) => {
      if (key !== null && made !== undefined) await noteTakenIn(trx, { operation, key, objectId: made.id });
      await saveObservations(trx, observations, { ...context, now: now() });
    });
  };
}

function observationsOf({ operation, path, request, reply }: Answered, links: LinkPointers): Observation[] {
  const at = { from: reply.from, to: reply.to, source: { type: 'api_response', ref: operation } } as const;
  if (operation === 'createTransfer')
    return accountsOf(path, request).map((id) => ({ ...at, kind: 'account', id, type: 'mention' }));
  const call = { path, request: request ?? {} };
  const ofAccount = namedOfAccount[operation]?.(call);
  const kind = ofAccount === undefined ? createdKind(operation) : 'account';
  if (kind === null) return [];
  const named = Object.entries(namedFields(ofAccount ?? linksOfCall(operation, call)));
  const data = isJsonObject(reply.data) ? withLinks(kind, reply.data, links) : {};
  // Null says nothing against what the call itself says.
  const lacking = named.filter(([name]) => !Object.hasOwn(data, name) || data[name] === null);
  const fields: JsonObject = { ...data, ...Object.fromEntries(lacking) };
  const id = textField(fields, 'id');
  return id === null || id === '' ? [] : [{ ...at, type: 'statement', kind, id, fields }];
}

function closed({ path }: { path: Answered['path'] }): { id: string | null; status: string } {
  return { id: path['id'] ?? null, status: 'closed' };
}

/** The sub-wallets that a transfer moved money between: their balances are other than before. */
function accountsOf(path: Answered['path'], request: JsonObject | null): string[] {
  const to = textField(request ?? {}, 'toWalletAccountId');
  return [path['id'] ?? null, to].filter((id) => id !== null);
}
