import type { JsonObject } from '../../domain/json.js';
import { textField } from '../../domain/records.js';
import type { MerchantClient } from '../../service-api/client.js';
import type { Contract } from '../../service-api/contract.js';
import { askService } from './ask-service.js';
import type { Check, DoctorParts } from './check.js';
import { overridesOf } from './contract-part.js';
import { probeEventId, probeRestamping } from './probe-events.js';
import { probeErrorBody, probePayoutList } from './probe-names.js';
import { type Probing, parameterTests, probeParameters } from './probe-parameters.js';
import { readDeliveries } from './read-deliveries.js';

export interface ContractProbed {
  checks: Check[];
  /** The whole content of a CONTRACT_FILE that fits the service; null where the defaults fit. */
  suggestedContract: object | null;
  suggestedEventIdPointer: string | null;
}

/**
 * Asks the service for every name that the specification does not show and that a read can tell, and finds the names
 * that it uses instead, where it can. Changes nothing at the service.
 */
export async function probeContract(parts: DoctorParts): Promise<ContractProbed> {
  const { contract, clientFor, config, db, signal } = parts;
  const clients = new Map<Contract, Promise<MerchantClient>>();
  const cached = (under: Contract) => {
    const known = clients.get(under) ?? clientFor(under);
    clients.set(under, known);
    return known;
  };
  const client = await cached(contract);
  const probing: Probing = {
    clientFor: cached,
    signal,
    asset: await firstAsset(client),
    account: await firstAccount(client),
  };
  const checks: Check[] = [];
  let working = contract;
  const take = ({ checks: found, contract: next }: { checks: Check[]; contract: Contract }) => {
    checks.push(...found);
    working = next;
  };
  take(await probePayoutList(working, cached));
  take(await probeErrorBody(working, cached));
  for (const operation of Object.keys(parameterTests) as (keyof Contract['query'])[]) {
    take(await probeParameters(operation, working, probing));
  }
  const deliveries = readDeliveries(await newestDeliveries(await cached(working)));
  const keyed = (await db('inbox').where({ key_type: 'id' }).first('id')) !== undefined;
  const events = probeEventId(deliveries, { pointer: config.EVENT_ID_POINTER, keyed });
  checks.push(...events.checks, probeRestamping(deliveries, config.WEBHOOK_TOLERANCE_SECONDS));
  const { suggestedEventIdPointer } = events;
  const isOther = JSON.stringify(working) !== JSON.stringify(contract);
  return { checks, suggestedContract: isOther ? overridesOf(working) : null, suggestedEventIdPointer };
}

const ENOUGH = 100;

async function newestDeliveries(client: MerchantClient): Promise<JsonObject[]> {
  const asked = await askService(client, 'listWebhookDeliveries', { query: { take: ENOUGH } });
  return asked.kind === 'answer' ? asked.rows : [];
}

async function firstAsset(client: MerchantClient): Promise<string | null> {
  const asked = await askService(client, 'listPublicAssets', {});
  const row = asked.kind === 'answer' ? asked.rows[0] : undefined;
  return row === undefined ? null : textField(row, 'assetCode');
}

async function firstAccount(client: MerchantClient): Promise<string | null> {
  const asked = await askService(client, 'listAccounts', {});
  const row = asked.kind === 'answer' ? asked.rows[0] : undefined;
  return row === undefined ? null : textField(row, 'id');
}
