import { expect, test } from 'vitest';
import { evidenceSections } from '../../src/console/view/evidence.js';
import { fromJsonText } from '../../src/domain/json.js';

const about = { kind: 'stale_record', entity: { kind: 'invoice', id: 'inv_1' } } as const;
const ofBalance = { kind: 'balance_identity', entity: { kind: 'balance', id: 'USDT' } } as const;

/** What the table says of each field, and whether it is marked. */
function rowsOf(evidence: string) {
  const [table, ...more] = evidenceSections(about, fromJsonText(evidence));
  if (table?.is !== 'table') throw new Error('no table');
  return { rows: table.rows.map((cells) => JSON.stringify(cells)), more };
}

test('a field that both sides say otherwise is marked; one that a side does not say, or says alike, is not', () => {
  const { rows, more } = rowsOf(
    '{"ours":{"status":"paid","amount":"10","eventId":"7"},"theirs":{"status":"open","amount":"10","source":{"type":"poll","ref":"3"}}}',
  );
  expect(rows.filter((row) => row.includes('"differs"')).map((row) => /"text":"(\w+)"/.exec(row)?.[1])).toEqual([
    'Status',
  ]);
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(more)).toMatch(/What we hold.*"Event".*"id":"7".*What the service shows.*"Known from".*run 3/);
});

test('what the checks say field by field stands in the same two columns, with its source; notes stand besides', () => {
  const { rows, more } = rowsOf(
    '{"invoiceStatus":{"ours":"paid","theirs":"sent","source":{"type":"poll","ref":"12"}},"invoice":{"ours":"inv_1","theirs":"inv_1","source":null},"since":"2026-11-01T00:00:00.000Z"}',
  );
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/Invoice status.*paid.*sent.*12.*differs/);
  expect(rows[1]).not.toContain('differs');
  expect(JSON.stringify(more)).toContain('"Since",{"is":"time","at":"2026-11-01T00:00:00.000Z"');
});

test('amounts of a balance carry its asset, what is no amount does not', () => {
  const evidence = fromJsonText(
    '{"unexplained":"-44","rule":"a = b","theirs":{"balance":"12.5","readAt":"2026-11-01"}}',
  );
  const shown = JSON.stringify(evidenceSections(ofBalance, evidence));
  for (const amount of ['-44', '12.5']) expect(shown).toContain(`"amount":"${amount}","unit":"USDT"`);
  expect(shown.match(/"unit"/g)).toHaveLength(2);
  expect(JSON.stringify(evidenceSections(about, evidence))).not.toContain('"unit"');
});

test('other key orders, and whole objects, are compared as values', () => {
  expect(rowsOf('{"a":{"ours":{"x":"1","y":"2"},"theirs":{"y":"2","x":"1"},"source":null}}').rows[0]).not.toContain(
    'differs',
  );
  expect(rowsOf('{"a":{"ours":["1"],"theirs":["2"],"source":null}}').rows[0]).toContain('differs');
});

test('every record that the evidence names leads to its page, also one of a list; its fields are as its kind has them', () => {
  const shown = JSON.stringify(
    evidenceSections(
      about,
      fromJsonText(
        '{"expected":null,"payments":[{"id":"pi_1","verified":true,"amountRequested":"58.63","currencyRequested":"EUR"},{"id":"pi_2"}],"paymentIntent":"pi_3","refunds":{"ours":[{"id":"po_1","status":"failed"}],"theirs":null,"source":null},"candidates":[{"paymentIntentId":"pi_4"}],"ownCall":{"paymentIntentId":"pi_5"}}',
      ),
    ),
  );
  for (const href of [
    '/payments/pi_1',
    '/payments/pi_2',
    '/payments/pi_3',
    '/payments/pi_4',
    '/payments/pi_5',
    '/payouts/po_1',
  ])
    expect(shown).toContain(`"href":"${href}"`);
  expect(shown).toContain('"amount":"58.63","unit":"EUR"');
  expect(shown).not.toMatch(/amountRequested|true: true|verified: true/);
});

test('two payments of one order stand in two columns, and what the store expected is said, or why it is not', () => {
  const paidTwice = { kind: 'duplicate_payment', entity: { kind: 'order', id: 'order-1' } } as const;
  const payments =
    '[{"id":"pi_1","status":"completed","totalAmountReceived":"10","assetCode":"BTC"},{"id":"pi_2","status":"completed","totalAmountReceived":"12","assetCode":"BTC"}]';
  const sectionsOf = (expected: string) =>
    evidenceSections(paidTwice, fromJsonText(`{"expected":${expected},"payments":${payments}}`));
  const [table, besides] = sectionsOf('null');
  if (table?.is !== 'table') throw new Error('no table');
  const rows = table.rows.map((cells) => JSON.stringify(cells));
  expect(rows[0]).toMatch(/pi_1.*pi_2/);
  expect(rows.map((row) => row.includes('"differs"'))).toEqual([false, false, true, false]);
  expect(rows[2]).toMatch(/"amount":"10","unit":"BTC".*"amount":"12","unit":"BTC"/);
  expect(JSON.stringify(besides)).toContain('not registered by the store');
  expect(JSON.stringify(sectionsOf('{"amount":"9.5","currency":"EUR"}'))).toContain('"amount":"9.5","unit":"EUR"');
});
