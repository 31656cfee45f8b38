import { expect, test } from 'vitest';
import { readQuestion, searchForm, writtenForms } from '../../src/domain/search.js';

const HASH = '5f3a'.repeat(16);
const ADDRESS = `0x${'aB12'.repeat(10)}`;

test.each([
  ['  A-1001 \u200b', 'A-1001'],
  [`https://explorer.example/tx/0x${HASH}#eventlog`, `0x${HASH}`],
  [`https://tron.example/#/transaction/${HASH}?lang=en`, HASH],
  [`https://explorer-with-a-very-long-name.example/address/${ADDRESS}`, ADDRESS],
  [`ethereum:${ADDRESS}?value=1`, ADDRESS],
  [`I paid, here is the hash: ${HASH}.`, HASH],
  ['"Ada@Example.test"', 'Ada@Example.test'],
  ['mailto:ada@example.test?subject=hi', 'ada@example.test'],
  ['please find ada@example.test, thanks', 'ada@example.test'],
  ['http://127.0.0.1:8081/orders/A%2F1', 'A/1'],
  ['shop:1001', 'shop:1001'],
])('%s is a question for %s', (given, meant) => {
  expect(readQuestion(given).at(-1)).toBe(meant);
});

test('the text itself is a question too, and nothing is none', () => {
  expect(readQuestion(' shop/7?x ')[0]).toBe('shop/7?x');
  expect(readQuestion(' \u200b ')).toEqual([]);
  expect(readQuestion('"\'')).toEqual(['"\'']);
});

test('case says nothing in a hash, an address in hex or bech32, an e-mail; elsewhere it does', () => {
  expect(searchForm(` ${ADDRESS}`)).toBe(ADDRESS.slice(2).toLowerCase());
  expect(searchForm('ADA@Example.test')).toBe('ada@example.test');
  expect(searchForm('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4')).toBe('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4');
  expect(searchForm('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8')).toBe('TJRabPrwbZy45sbavfcjinPJC18kjpRTv8');
  expect(writtenForms(`0x${HASH.toUpperCase()}`)).toContain(HASH);
  expect(writtenForms(HASH)).toContain(`0x${HASH}`);
  expect(writtenForms('aBc')).toEqual(['aBc']);
});
