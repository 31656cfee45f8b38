/** Signed bodies of 1 MB that cost as much as they can, by their shape. Each is an event whose timestamp and id are given. */

const SIZE = 1_040_000;

function filled(part) {
  const parts = [];
  for (let n = 0, size = 0; size < SIZE; n += 1) {
    parts.push(part(n));
    size += Buffer.byteLength(parts.at(-1)) + 1;
  }
  return parts.join(',');
}

const listed = (many, part) => Array.from({ length: many }, (_, n) => part(n)).join();
const scrambled = (n) => (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(36);

const event = (data, reference = 'r') => ({ data: `"merchantReference":"${reference}",${data}` });
const meta = (value) => event(`"metadata":${value}`);

const shapes = {
  'nothing much': event('"a":1'),
  keys: event(filled((n) => `"k${n}":1`)),
  'keys below': meta(`{${filled((n) => `"k${n}":1`)}}`),
  'keys beside the data': { data: '"a":1', beside: `,${filled((n) => `"${scrambled(n)}":1`)}` },
  'keys in no order': meta(`{${filled((n) => `"${scrambled(n)}":1`)}}`),
  'keys of other letters': meta(`{${filled((n) => `"ж${scrambled(n)}":1`)}}`),
  'keys with one beginning': meta(`{${filled((n) => `"${'k'.repeat(300)}${scrambled(n)}":1`)}}`),
  'keys that begin one another': meta(`{${listed(900, (n) => `"${'ж'.repeat((n * 797) % 900)}a":1`)}}`),
  'keys that are numbers': meta(`{${filled((n) => `"${4_000_000_000 - n * 999}":1`)}}`),
  'keys with escapes': meta(`{${filled((n) => `"\\u0041${scrambled(n)}":1`)}}`),
  'short keys': meta(`[${filled(() => '{"b":1,"a":2}')}]`),
  'twenty keys': meta(`[${filled(() => `{${listed(20, (n) => `"${String.fromCharCode(116 - n)}":1`)}}`)}]`),
  numbers: meta(`[${filled(() => '1')}]`),
  'empty objects': meta(`[${filled(() => '{}')}]`),
  'empty lists': meta(`[${filled(() => '[]')}]`),
  'deep lists': meta(`[${filled(() => '['.repeat(500) + ']'.repeat(500))}]`),
  'deep objects': meta(`[${filled(() => `${'{"b":1,"a":'.repeat(500)}1${'}'.repeat(500)}`)}]`),
  'one number': event(`"amount":${'9'.repeat(SIZE)}`),
  'one amount': event(`"amountRequested":"${'9'.repeat(SIZE)}"`),
  escapes: meta(`"${'\\u0041'.repeat(SIZE / 6)}"`),
  'texts with an escape': meta(`[${filled(() => '"\\n"')}]`),
  'texts with a surrogate': meta(`[${filled(() => '"😀"')}]`),
  'one key': event(`"${'k'.repeat(SIZE)}":1`),
  'a reference': event('"a":1', 'а'.repeat(SIZE / 2)),
  payins: event(`"payins":[${filled((n) => `{"id":"p${n}"}`)}]`),
  'a hundred payins': event(
    `"payins":[${listed(100, (n) => `{"id":"p${n}","metadata":{${listed(1_200, (k) => `"${k}":1`)}}}`)}]`,
  ),
  'ninety payins, all taken': event(
    `"payins":[${listed(90, (n) => `{"id":"p${n}","metadata":{${listed(100, (k) => `"${scrambled(k)}":"${'x'.repeat(90)}"`)}}}`)}]`,
  ),
  accounts: { type: 'wallet_account.transfer.completed', data: filled((n) => `"k${n}account":"a${n}"`) },
  blanks: meta(`${' '.repeat(SIZE)}1`),
  steps: event(`"statusHistory":[${filled((n) => `{"s":"${n}"}`)}]`),
};

export const bodies = Object.entries(shapes).map(
  ([name, { type = 'payment_intent.completed', data, beside = '' }]) => ({
    name,
    body: (id = 'pi_1', timestamp = 1_700_000_000) =>
      Buffer.from(
        `{"event":"${type}","timestamp":${timestamp},"data":{"id":"${id}","status":"completed",${data}}${beside}}`,
      ),
  }),
);
