import { expect, test } from 'vitest';
import { headerValues } from '../../src/webhook/steps.js';

test('every value of every header, in order, whatever the names are', () => {
  const rawHeaders = ['X-A', '1', '__proto__', '2', 'constructor', '3', 'x-a', '4', '__PROTO__', '5'];
  expect(Object.entries(headerValues({ rawHeaders }))).toEqual([
    ['x-a', ['1', '4']],
    ['__proto__', ['2', '5']],
    ['constructor', ['3']],
  ]);
});

test('a name without a value is no header', () => {
  expect(Object.entries(headerValues({ rawHeaders: ['a', '1', 'b'] }))).toEqual([['a', ['1']]]);
});
