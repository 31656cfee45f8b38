import type { Json } from '../domain/json.js';
import type { CreateOptions, MerchantClient, Reply } from '../service-api/client.js';
import { type OperationName, operationOf, partsOf } from '../service-api/operations.js';

/** What the words of the command line gave, not yet checked: the client does that. */
export interface CallWords {
  path: Record<string, string>;
  query: Record<string, string | number>;
  body: unknown;
}

/** Calls the client's method of the operation: the parts of its path, then its body or query, then the options. */
export function callByWords(
  client: MerchantClient,
  name: OperationName,
  { path, query, body }: CallWords,
  options: CreateOptions,
): Promise<Reply<object | Json>> {
  const operation = operationOf(name);
  const ids = partsOf(operation.path).map((part) => path[part] ?? '');
  const given = [...(operation.body ? [body] : []), ...(operation.query ? [query] : [])];
  const method = client[name] as (...words: unknown[]) => Promise<Reply<object | Json>>;
  return method.call(client, ...ids, ...given, options);
}
