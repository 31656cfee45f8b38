import { expect } from 'vitest';
import { checkRequest } from '../../src/service-api/check-request.js';
import { InvalidRequestError } from '../../src/service-api/service-errors.js';

export type Body = Record<string, unknown>;

/** Requests that break no rule. */
export const direct: Body = { requestedCoin: 'USDT.TRON', amount: '10.5', customer: { email: 'ann@example.com' } };
export const invoice: Body = { customerEmail: 'ann@example.com', customerName: 'Ann', amount: '30.3', currency: 'EUR' };
export const payout: Body = { assetCode: 'USDT.TRON', amount: '1', destinationAddress: 'TAbc' };
export const refund: Body = { paymentIntentId: 'pi_1' };
export const transfer: Body = { assetCode: 'BTC', amount: '1', toOperating: true };
export const item = { name: 'Tea', quantity: 3, unitPrice: '10.1' };

export const text = (length: number) => 'x'.repeat(length);
export const accepted = (operation: Parameters<typeof checkRequest>[0], body: unknown) =>
  expect(JSON.parse(checkRequest(operation, body) ?? '')).toEqual(JSON.parse(JSON.stringify(body)));
export const refused = (operation: Parameters<typeof checkRequest>[0], body: unknown, says: string) => {
  const attempt = () => checkRequest(operation, body);
  expect(attempt).toThrow(InvalidRequestError);
  expect(attempt).toThrow(`${operation}: ${says}`);
};
