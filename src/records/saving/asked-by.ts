import type { JsonObject } from '../../domain/json.js';
import { compareStatements, KEPT, shownPollOf } from '../../domain/record-state.js';
import type { AskedBy } from '../runs/refresh-requests.js';
import type { SaveContext } from '../save-context.js';
import type { MergedRecord } from '../stored-record.js';

/** What the service itself shows of the record, or showed before it vanished; nothing where no poll did. */
export function polledFields({ state }: Pick<MergedRecord, 'state'>): JsonObject {
  return shownPollOf(state.poll)?.fields ?? {};
}

/**
 * Who asks for what a record's statements name: webhooks, with the secret that signed the newest, or anything that was read with
 * the API key.
 */
export function askedByReports({ state }: Pick<MergedRecord, 'state'>, { secrets }: SaveContext): AskedBy {
  const claims = state.claims.filter((statement) => !statement.state.startsWith(KEPT)).toSorted(compareStatements);
  const newest = claims.at(-1);
  if (newest === undefined || claims.some(({ source }) => source.type !== 'webhook')) return { lane: 'poll' };
  return { lane: 'report', secret: secrets?.get(newest.source.ref) ?? '' };
}
