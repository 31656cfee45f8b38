import { isJsonObject, type Json, type JsonObject } from '../domain/json.js';
import { compareAmounts, isAmount } from '../domain/money.js';
import { textField } from '../domain/records.js';
import { type OperationName, operationOf } from './operations.js';
import { ContractViolationError, ForeignAnswerError } from './service-errors.js';

type Same = (asked: string, shown: string) => boolean;

const exactly: Same = (asked, shown) => asked === shown;
/** Addresses of some chains may be written in either case. */
const inAnyCase: Same = (asked, shown) => asked.toLowerCase() === shown.toLowerCase();
const inValue: Same = (asked, shown) => !isAmount(shown) || compareAmounts(asked, shown) === 0;

/** What a creating call asks for, the field of the answer that shows it, and what counts as the same. */
const echoes: Partial<Record<OperationName, readonly [asked: string, shown: string, same: Same][]>> = {
  createDirectPayment: [
    ['merchantReference', 'merchantReference', exactly],
    ['amount', 'amountRequested', inValue],
  ],
  createPayout: [
    ['merchantReference', 'merchantReference', exactly],
    ['assetCode', 'assetCode', exactly],
    ['destinationAddress', 'destinationAddress', inAnyCase],
  ],
  createRefund: [
    ['paymentIntentId', 'paymentIntentId', exactly],
    ['destinationAddress', 'destinationAddress', inAnyCase],
  ],
  createTransfer: [['assetCode', 'assetCode', exactly]],
};

/**
 * Whether an answer is one that the call was made for. What is not shown counts as the same.
 * @throws {ContractViolationError} where it names no record: whoever wrote it, it proves nothing.
 * @throws {ForeignAnswerError} where it is about something else.
 */
export function checkAnswer(operation: OperationName, asked: JsonObject, data: Json): void {
  const id = isJsonObject(data) ? textField(data, 'id') : null;
  if (operationOf(operation).answer === 'object' && !id) {
    throw new ContractViolationError('the answer is not an object with an id', { operation, status: 200 });
  }
  if (!isJsonObject(data)) return;
  for (const [field, shownAs, same] of echoes[operation] ?? []) {
    const [wanted, shown] = [textField(asked, field), textField(data, shownAs)];
    if (wanted === null || shown === null || same(wanted, shown)) continue;
    throw new ForeignAnswerError({ operation, field: shownAs, objectId: id ?? 'a record' });
  }
}

const EXPECTED = { array: 'an array', object: 'an object', page: 'an object with an array "items"' };

/** @throws {ContractViolationError} where the answer is not even of the form that every caller needs. */
export function checkOutline(operation: OperationName, data: Json): void {
  const { answer } = operationOf(operation);
  if (answer === undefined) return;
  const fits =
    (answer === 'array' && Array.isArray(data)) ||
    (answer === 'object' && isJsonObject(data)) ||
    (answer === 'page' && isJsonObject(data) && Array.isArray(data['items']));
  if (fits) return;
  throw new ContractViolationError(`the answer is not ${EXPECTED[answer]}`, { operation, status: 200 });
}
