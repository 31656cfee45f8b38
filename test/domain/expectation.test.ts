import { expect, it } from 'vitest';
import { amountProblem, currencyProblem } from '../../src/domain/orders/registration.js';

it.each(['1', '0.000000000000000001', '12.50', '999999999999999999.999999999999999999', '007'])(
  'a store may expect %s',
  (amount) => expect(amountProblem(amount)).toBeNull(),
);

it.each([
  '',
  '0',
  '0.00',
  '-1',
  '+1',
  '1.',
  '.5',
  '1,5',
  '1e3',
  ' 1',
  '1\n',
  '1234567890123456789',
  '1.1234567890123456789',
])('and never %j', (amount) => expect(amountProblem(amount)).toContain('12.50'));

it.each([
  ['EUR', null],
  ['USDT.TRC20', null],
  ['usdt', 'write USDT'],
  ['€', 'such as EUR'],
  ['', 'such as EUR'],
])('the currency %j: %s', (currency, said) => {
  const problem = currencyProblem(currency);
  if (said === null) expect(problem).toBeNull();
  else expect(problem).toContain(said);
});

it('a hint is given only where it would help', () => expect(currencyProblem('€')).not.toContain('write'));
