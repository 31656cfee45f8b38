import { textField } from '../../domain/records.js';
import type { Contract } from '../../service-api/contract.js';
import type { Asked } from './ask-service.js';
import { type Check, type DoctorParts, unknown } from './check.js';
import { overridesOf } from './contract-part.js';
import { type EventsProbed, probeEventId, probeRestamping } from './probe-events.js';
import { probeLinks } from './probe-links.js';
import { probeErrorBody, probePayoutList } from './probe-names.js';
import { findCountHeader, probeCountHeader, probeItems, probeNextCursor } from './probe-pages.js';
import { type Probed, type Probing, parameterTests, probeParameters } from './probe-parameters.js';
import { probeTransactionFields } from './probe-transaction-fields.js';
import { probeKytWords, probePendingWords } from './probe-words.js';
import { limitQuestions } from './questions.js';
import { readDeliveries } from './read-deliveries.js';

const ENOUGH = 100;
const SOME = 3;

export interface ContractProbed {
  checks: Check[];
  /** The whole content of a CONTRACT_FILE that fits the service; null where the defaults fit. */
  suggestedContract: object | null;
  suggestedEventIdPointer: string | null;
}

/**
 * Asks the service for every name that the specification does not show and that a read can show, and finds the names
 * that it uses instead, where it can. Changes nothing at the service.
 */
export async function probeContract(parts: DoctorParts): Promise<ContractProbed> {
  const { contract } = parts;
  const ask = limitQuestions(parts);
  const checks: Check[] = [];
  let working = contract;
  const take = ({ checks: found, contract: next }: Probed) => {
    checks.push(...found);
    working = next;
  };
  const assets = fieldsOf(await ask(working, 'listPublicAssets'), 'assetCode');
  take(await probePayoutList(working, ask));
  take(await probeErrorBody(working, ask));
  take(await probeItems(working, ask));
  const probing: Probing = {
    ask,
    assets,
    account: firstAccount(await ask(working, 'listAccounts')),
  };
  working = (await findCountHeader(working, ask)) ?? working;
  for (const operation of Object.keys(parameterTests) as (keyof Contract['query'])[]) {
    take(await probeParameters(operation, working, probing));
  }
  take(await probeCountHeader(contract, working, ask));
  take(await probeNextCursor(working, ask));
  take(await probeTransactionFields(working, probing));
  take(await probeLinks(working, ask));
  take(await probePendingWords(working, ask, parts.now));
  take(await probeKytWords(working, ask));
  const { checks: ofEvents, suggestedEventIdPointer } = await probeEvents(
    parts,
    await ask(working, 'listWebhookDeliveries', { query: { take: ENOUGH } }),
  );
  checks.push(...ofEvents);
  const isOther = JSON.stringify(working) !== JSON.stringify(contract);
  return { checks, suggestedContract: isOther ? overridesOf(working) : null, suggestedEventIdPointer };
}

/** What the newest deliveries show of events. */
async function probeEvents({ db, config, contract }: DoctorParts, newest: Asked): Promise<EventsProbed> {
  if (newest.kind !== 'answer') {
    const checks = [unknown('event id', newest.problem), unknown('retries', newest.problem)];
    return { checks, suggestedEventIdPointer: null };
  }
  const deliveries = readDeliveries(newest.rows);
  const keyed = (await db('inbox').where({ key_type: 'id' }).first('id')) !== undefined;
  const { checks, ...suggested } = probeEventId(deliveries, {
    pointer: config.EVENT_ID_POINTER,
    auto: contract.events.idPlaces,
    keyed,
  });
  return { checks: [...checks, probeRestamping(deliveries, config.WEBHOOK_TOLERANCE_SECONDS)], ...suggested };
}

/** The first texts of a field in a list; none where it can't be read. */
function fieldsOf(asked: Asked, field: string): string[] {
  const rows = asked.kind === 'answer' ? asked.rows.slice(0, SOME) : [];
  return rows.flatMap((row) => textField(row, field) ?? []);
}

function firstAccount(asked: Asked): Probing['account'] {
  const [id] = fieldsOf(asked, 'id');
  if (id !== undefined) return { id };
  return { none: asked.kind === 'answer' ? 'there is no sub-wallet to ask about' : asked.problem };
}
