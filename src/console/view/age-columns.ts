import { type AgeBucket, ageBuckets } from '../../domain/age-buckets.js';
import type { Column } from './sections.js';
import type { Value } from './values.js';

export const ages = Object.keys(ageBuckets) as AgeBucket[];

export const ageWords = (age: string): string => age.replace('-', '–');

/** A column for each age and one for all of them; `cell` is given those of a row that are of that age, and what asks for it. */
export function ageColumns<Row, One extends { age: string }>(
  ofRow: (row: Row) => readonly One[],
  cell: (row: Row, some: readonly One[], query: Record<string, string>) => Value,
): Column<Row>[] {
  const each = ages.map((age): Column<Row> => {
    const own = (row: Row) => ofRow(row).filter((one) => one.age === age);
    return [ageWords(age), (row) => cell(row, own(row), { age }), 'end'];
  });
  return [...each, ['All', (row) => cell(row, ofRow(row), {}), 'end']];
}
