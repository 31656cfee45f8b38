import { kinds } from '../kinds/kinds.js';
import { type RecordKind, recordKinds, snakeCase } from '../records.js';

/** Names under which a payload may carry a record of a kind, or its id alone. Payload shapes: not shown (6.2). */
interface RecordNames {
  wrappers: readonly string[];
  ids: readonly string[];
}

export const recordNames = Object.fromEntries(recordKinds.map((kind) => [kind, namesOf(kind)])) as Readonly<
  Record<RecordKind, RecordNames>
>;

/** `paymentIntent`, `payment_intent`; `paymentIntentId`, `payment_intent_id`. */
function namesOf(kind: RecordKind): RecordNames {
  const { names, oddNames = { wrappers: [], ids: [] } } = kinds[kind];
  const wrappers = names.flatMap((name) => [...new Set([name, snakeCase(name)])]);
  const ids = wrappers.map((name) => (name.includes('_') ? `${name}_id` : `${name}Id`));
  return { wrappers: [...wrappers, ...oddNames.wrappers], ids: [...ids, ...oddNames.ids] };
}
