import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareRows, type FaultyRows, movedRows } from '../../src/domain/audit/compare-rows.js';
import {
  NO_SEAL,
  packRowHashes,
  type RowHash,
  rowHash,
  rowLine,
  rowsHashOf,
  type SealedRow,
  sealHash,
  sealLine,
  unpackRowHashes,
} from '../../src/domain/audit/seal.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const HASH = 'ab'.repeat(32);

describe('what is hashed', () => {
  test('a row: its canonical line, with the name of its log', () => {
    const line = rowLine('actions', { id: '7', actor: 'ann', log: 'another' });
    expect(line).toBe('{"actor":"ann","id":"7","log":"actions"}');
    expect(rowHash({ place: '7', line })).toEqual({ place: '7', hash: sha256(line) });
  });

  test('all rows of a seal: a line with place and hash for each, in their order', () => {
    const rows = [
      { place: '7', hash: HASH },
      { place: '10', hash: NO_SEAL },
    ];
    expect(rowsHashOf(rows)).toBe(sha256(`7 ${HASH}\n10 ${'0'.repeat(64)}\n`));
    expect(rowsHashOf([])).toBe(sha256(''));
  });

  test('a seal: all of it and nothing else, so that any change of it shows', () => {
    const seal = {
      number: '2',
      log: 'actions',
      after: '7',
      until: '10',
      rows: 2,
      rowsHash: HASH,
      previous: NO_SEAL,
      sealedAt: '2026-03-01T00:00:00.000Z',
    };
    const line =
      `{"after":"7","log":"actions","number":"2","previous":"${NO_SEAL}","rows":"2","rowsHash":"${HASH}",` +
      `"sealedAt":"2026-03-01T00:00:00.000Z","until":"10"}`;
    expect(sealLine(Object.assign({ note: 'what another version adds' }, seal))).toBe(line);
    expect(sealHash(seal)).toBe(sha256(line));
  });

  test('hashes are kept in 40 bytes a row, and read back as they were', () => {
    const hashes = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    const places = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
    fc.assert(
      fc.property(fc.array(fc.record({ place: places, hash: hashes }), { maxLength: 5 }), (rows) => {
        const packed = packRowHashes(rows);
        expect(packed).toHaveLength(rows.length * 40);
        expect(unpackRowHashes(packed)).toEqual(rows);
        if (rows.length > 0) expect(unpackRowHashes(packed.subarray(1))).toBeNull();
      }),
      { numRuns: 30 },
    );
    expect(packRowHashes([{ place: '258', hash: HASH }]).toString('hex')).toBe(`0000000000000102${HASH}`);
  });
});

/** By place, over a change of their number of digits. */
const log = fc.uniqueArray(fc.record({ place: fc.integer({ min: 6, max: 13 }), line: fc.constantFrom('a', 'b') }), {
  selector: ({ place }) => place,
});
const inOrder = (rows: { place: number; line: string }[]): SealedRow[] =>
  rows.toSorted((a, b) => a.place - b.place).map(({ place, line }) => ({ place: `${place}`, line }));

function compare(sealed: readonly SealedRow[], rows: readonly SealedRow[]) {
  const faults: FaultyRows[] = [];
  const loose: { rows: SealedRow[]; hashes: RowHash[] } = { rows: [], hashes: [] };
  const comparison = compareRows(sealed.map(rowHash), (fault) => faults.push(fault), {
    row: (row) => loose.rows.push(row),
    hash: (hash) => loose.hashes.push(hash),
  });
  for (const row of rows) comparison.add(row);
  comparison.end();
  return { faults, ...loose };
}

/** The same place by place: what is wrong there, and what is not belongs to no run of faults. */
function expected(sealed: readonly SealedRow[], rows: readonly SealedRow[]) {
  const places = [...new Set([...sealed, ...rows].map(({ place }) => place))].sort((a, b) => Number(a) - Number(b));
  const at = (all: readonly SealedRow[], place: string) => all.find((one) => one.place === place);
  const wrong = places.map((place) => {
    const [was, is] = [at(sealed, place), at(rows, place)];
    const what = was === undefined ? 'row_added' : is === undefined ? 'row_missing' : 'row_changed';
    return { place, what: was?.line === is?.line ? null : what, was, is };
  });
  const faults: FaultyRows[] = [];
  for (const [n, { place, what }] of wrong.entries()) {
    if (what === null) continue;
    const last = faults.at(-1);
    if (last && wrong[n - 1]?.what === what) Object.assign(last, { to: place, rows: last.rows + 1 });
    else faults.push({ what, from: place, to: place, rows: 1 } as FaultyRows);
  }
  const loose = wrong.filter(({ what }) => what !== null);
  return {
    faults,
    rows: loose.flatMap(({ is }) => (is === undefined ? [] : [is])),
    hashes: loose.flatMap(({ was }) => (was === undefined ? [] : [rowHash(was)])),
  };
}

test('rows held against their seal: each run of faults of one sort is reported once, with all that fits nowhere', () => {
  fc.assert(
    fc.property(log.map(inOrder), log.map(inOrder), (sealed, rows) => {
      expect(compare(sealed, rows)).toEqual(expected(sealed, rows));
    }),
    { numRuns: 150 },
  );
  expect(compare(inOrder([{ place: 6, line: 'a' }]), inOrder([{ place: 6, line: 'a' }])).faults).toEqual([]);
});

describe('rows that were moved', () => {
  const line = (place: string, actor = 'ann') => `{"actor":"${actor}","id":"${place}","log":"actions"}`;
  const sealedAt = (place: string, actor?: string) => rowHash({ place, line: line(place, actor) });
  const rowAt = (place: string, actor?: string): SealedRow => ({ place, line: line(place, actor) });
  const found = (hashes: RowHash[], rows: SealedRow[], logs: [string, string] = ['actions', 'actions']) => {
    const moved = movedRows();
    for (const hash of hashes) moved.hash(logs[0], hash);
    for (const row of rows) moved.row(logs[1], row);
    return moved.found(() => 'id');
  };

  test('are those that were sealed at another place of the same log', () => {
    const from5 = { log: 'actions', from: '5', to: '8' };
    expect(found([sealedAt('5')], [rowAt('8')])).toEqual([from5]);
    expect(found([sealedAt('9', 'bob'), sealedAt('5')], [rowAt('7', 'cid'), rowAt('8')])).toEqual([from5]);
    expect(found([sealedAt('5')], [rowAt('8', 'bob')])).toEqual([]);
    expect(found([sealedAt('8')], [rowAt('8')])).toEqual([]);
    expect(found([sealedAt('5')], [rowAt('8')], ['actions', 'entries'])).toEqual([]);
  });

  test('are searched for among the first hundred of each, and not in lines that are very long', () => {
    const others = (many: number) => Array.from({ length: many }, (_, n) => `${100 + n}`);
    const hashes = (many: number) => [...others(many).map((place) => sealedAt(place, 'bob')), sealedAt('5')];
    const rows = (many: number) => [...others(many).map((place) => rowAt(place, 'cid')), rowAt('8')];
    expect(found(hashes(99), rows(99))).toHaveLength(1);
    expect(found(hashes(100), rows(0))).toEqual([]);
    expect(found(hashes(0), rows(100))).toEqual([]);
    const name = (length: number) => 'a'.repeat(length - line('8', '').length);
    const long = (length: number) => found([sealedAt('5', name(length))], [rowAt('8', name(length))]);
    expect([long(65_536).length, long(65_537).length]).toEqual([1, 0]);
  });
});
