import { textField } from '../../domain/records.js';
import type { Contract } from '../../service-api/contract.js';
import { type DoctorParts, unknown } from './check.js';
import { overridesOf, type Probing } from './contract-part.js';
import { type EventsProbed, probeEventId, probeRestamping, readDeliveries } from './probe-events.js';
import {
  probeErrorBody,
  probeGenerated,
  probeInvoices,
  probeKytWords,
  probePayoutList,
  probePayouts,
  probePendingWords,
} from './probe-names.js';
import { findCountHeader, probeCountHeader, probeItems, probeNextCursor } from './probe-pages.js';
import { type Account, parameterTests, probeParameters } from './probe-parameters.js';
import { probeTransactionFields } from './probe-transaction-fields.js';
import { type Asked, limitQuestions, MANY, rowsOf } from './questions.js';

const SOME = 3;

export interface ContractProbed extends EventsProbed {
  /** The whole content of a CONTRACT_FILE that fits the service; null where the defaults fit. */
  suggestedContract: object | null;
}

/** Every name that the specification does not show and a read can show. Changes nothing at the service. */
export async function probeContract(parts: DoctorParts): Promise<ContractProbed> {
  const { contract } = parts;
  const ask = limitQuestions(parts);
  const probing: Probing = { ask, contract };
  const assets = fieldsOf(await ask(contract, 'listPublicAssets'), 'assetCode');
  const checks = [
    await probePayoutList(probing),
    await probeErrorBody(probing, 'code'),
    await probeErrorBody(probing, 'message'),
    await probeItems(probing),
  ];
  const account = firstAccount(await ask(probing.contract, 'listAccounts'));
  await findCountHeader(probing);
  for (const operation of Object.keys(parameterTests) as (keyof Contract['query'])[])
    checks.push(...(await probeParameters(probing, operation, { assets, account })));
  checks.push(await probeCountHeader(probing, contract), await probeNextCursor(probing));
  checks.push(...(await probeTransactionFields(probing, account)));
  checks.push(await probeInvoices(probing), await probePayouts(probing));
  checks.push(await probePendingWords(probing, parts.now()), await probeKytWords(probing));
  const deliveries = await ask(probing.contract, 'listWebhookDeliveries', MANY);
  checks.push(await probeGenerated(probing, deliveries));
  const events = await probeEvents(parts, deliveries);
  const isOther = JSON.stringify(probing.contract) !== JSON.stringify(contract);
  return {
    checks: [...checks, ...events.checks],
    suggestedContract: isOther ? overridesOf(probing.contract) : null,
    suggestedEventIdPointer: events.suggestedEventIdPointer,
  };
}

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
  return rowsOf(asked)
    .slice(0, SOME)
    .flatMap((row) => textField(row, field) ?? []);
}

function firstAccount(asked: Asked): Account {
  const [id] = fieldsOf(asked, 'id');
  if (id !== undefined) return { id };
  return { none: asked.kind === 'answer' ? 'there is no sub-wallet to ask about' : asked.problem };
}
