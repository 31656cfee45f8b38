import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { loadChart } from '../../src/finance/load-chart.js';
import { useFolder } from '../support/folder.js';

const dir = useFolder();
const chartOf = async (text: string) => {
  const file = path.join(dir, 'chart.json');
  await writeFile(file, text);
  return loadChart(file);
};

it('takes the charts of the document, numbers among them', async () => {
  const text = await readFile(path.join(import.meta.dirname, '../../docs/finance.md'), 'utf8');
  const [books = '', datev = ''] = [...text.matchAll(/```json\n(.+?)```/gs)].map(([, one = '']) => one);
  expect(await chartOf(books)).toMatchObject({
    fiscalYearEnd: 12,
    accounts: { 'assets:operating': expect.any(String) },
  });
  expect(await chartOf(datev)).toMatchObject({ datev: { consultant: 29_098, client: 55_003, other: '1590' } });
});

it.each([
  ['{"fiscalYearEnd": 13}', 'fiscalYearEnd: Too big'],
  ['{"fiscalYearEnd": 1e400}', 'fiscalYearEnd: Invalid input'],
  ['{"datev": {"consultant": 1, "client": 1, "other": "1590"}}', 'datev.consultant: Too small'],
  ['{"datev"', 'is not JSON'],
])('names what is wrong in %s', async (text, said) => {
  await expect(chartOf(text)).rejects.toThrow(said);
});
