import { eventKey } from '../dist/domain/event-key.js';
import { groupObservations } from '../dist/records/saving/group-observations.js';
import { mergeRecord } from '../dist/records/saving/merge-record.js';
import { observeEvent } from '../dist/webhook/observe-event.js';
import { parseEnvelope } from '../dist/webhook/parse-envelope.js';

// node bench/shapes.mjs
/** How long one signed body of 1 MB holds the event loop, by its shape: each step that has no pause in it. */

const SIZE = 1_040_000;
const RUNS = 5;

function filled(part) {
  const parts = [];
  for (let n = 0, size = 0; size < SIZE; n += 1) {
    parts.push(part(n));
    size += parts.at(-1).length + 1;
  }
  return parts.join(',');
}

const event = (data, reference = 'r') =>
  `{"event":"payment_intent.completed","timestamp":1700000000,"data":{"id":"pi_1","status":"completed","merchantReference":"${reference}",${data}}}`;
const meta = (value) => event(`"metadata":${value}`);

const shapes = {
  keys: event(filled((n) => `"k${n}":1`)),
  'keys below': meta(`{${filled((n) => `"k${n}":1`)}}`),
  'keys that are numbers': meta(`{${filled((n) => `"${4_000_000_000 - n * 999}":1`)}}`),
  'keys with escapes': meta(`{${filled((n) => `"\\u0041${n}":1`)}}`),
  'short keys': meta(`[${filled(() => '{"a":1,"b":2}')}]`),
  numbers: meta(`[${filled(() => '1')}]`),
  'empty objects': meta(`[${filled(() => '{}')}]`),
  'empty lists': meta(`[${filled(() => '[]')}]`),
  'deep lists': meta(`[${filled(() => '['.repeat(500) + ']'.repeat(500))}]`),
  'deep objects': meta(`[${filled(() => `${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)}]`),
  'one number': event(`"amount":${'9'.repeat(SIZE)}`),
  'one amount': event(`"amountRequested":"${'9'.repeat(SIZE)}"`),
  escapes: meta(`"${'\\u0041'.repeat(SIZE / 6)}"`),
  'texts with an escape': meta(`[${filled(() => '"\\u00e9"')}]`),
  'one key': event(`"${'k'.repeat(SIZE)}":1`),
  'a reference': event('"a":1', 'а'.repeat(SIZE / 2)),
  payins: event(`"payins":[${filled((n) => `{"id":"p${n}"}`)}]`),
  'a hundred payins': event(
    `"payins":[${Array.from({ length: 100 }, (_, n) => `{"id":"p${n}","metadata":{${Array.from({ length: 1_200 }, (_, k) => `"${k}":1`).join()}}}`).join()}]`,
  ),
  blanks: meta(`${' '.repeat(SIZE)}1`),
  steps: event(`"statusHistory":[${filled((n) => `{"s":"${n}"}`)}]`),
};

/** Milliseconds of each step; null: what came before refused it. */
function stepsOf(body) {
  const times = {};
  const timed = (name, work) => {
    const begun = performance.now();
    try {
      return work();
    } finally {
      times[name] = performance.now() - begun;
    }
  };
  const parsed = timed('parse', () => parseEnvelope(body));
  if (!parsed.ok) return { times, refused: parsed.detail };
  const { document, event: type, timestamp } = parsed.envelope;
  timed('key', () => eventKey({ envelope: document, headers: {}, pointer: 'auto' }));
  const about = { id: '1', type, timestamp, source: 'webhook', data: document.data };
  const { observations } = timed('observe', () => observeEvent(about));
  const { byKind } = timed('group', () => groupObservations(observations));
  timed('merge', () => {
    for (const [kind, groups] of byKind)
      for (const [id, some] of groups) {
        const hashed = some.map((observation) => ({ observation, hash: null }));
        mergeRecord(kind, id, null, hashed, {});
      }
  });
  return { times, refused: null };
}

for (const [name, text] of Object.entries(shapes)) {
  const body = Buffer.from(text);
  const runs = Array.from({ length: RUNS }, () => stepsOf(body));
  const steps = Object.keys(runs[0].times).map((step) => {
    const sorted = runs.map(({ times }) => times[step]).sort((a, b) => a - b);
    return `${step} ${sorted[0].toFixed(0)}–${sorted.at(-1).toFixed(0)}`;
  });
  process.stdout.write(
    `${name.padEnd(22)} ${String(body.length).padStart(8)} ${steps.join('  ')}  ${runs[0].refused ?? ''}\n`,
  );
}
