import { createHash } from 'node:crypto';
import fc from 'fast-check';
import request from 'supertest';
import { expect, test } from 'vitest';
import { operations } from '../../src/console/api/operations.js';
import { pages } from '../../src/console/pages/pages.js';
import { canonicalJson } from '../../src/domain/canonical-json.js';
import { fromJsonText, type Json, type JsonObject } from '../../src/domain/json.js';
import { type RecordKind, textField } from '../../src/domain/records.js';
import { recordAction } from '../../src/records/actions/record-action.js';
import { openBreaks } from '../../src/records/breaks/breaks.js';
import { decideBreak } from '../../src/records/breaks/decide-breaks.js';
import { saveRejections } from '../../src/records/inbox/rejections.js';
import { saveObservations } from '../../src/records/saving/save-observations.js';
import { bearer, testConsole } from '../support/console.js';
import { storeEvents } from '../support/events.js';
import { resettableDatabase } from '../support/resettable-database.js';
import { sized } from '../support/sizes.js';

const database = resettableDatabase();

interface Person {
  mail: string;
  name: string;
  phone: string;
  address: string;
  memo: string;
}

const letters = fc.stringMatching(/^[a-z]{4,9}$/);
const anyPerson: fc.Arbitrary<Person> = fc
  .tuple(
    letters,
    letters,
    fc.integer({ min: 10_000_000, max: 99_999_999 }),
    fc.stringMatching(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
  )
  .map(([first, last, digits, address]) => ({
    mail: `${first}.${last}@planted.example`,
    name: `Planted ${first} ${last}`,
    phone: `+4930${digits}`,
    address,
    memo: `memo-${digits}`,
  }));

/** What a merchant may put into a free-form object: a person's values at any depth, as values and as keys. */
const freeForm = ({ mail, name, phone }: Person): fc.Arbitrary<JsonObject> => {
  const leaf = fc.constantFrom<Json>(mail, name, phone, `for ${name}`, null, 'XL');
  const key = fc.constantFrom('customer', 'gift', 'to', 'note', name, mail);
  const node = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof({ maxDepth: 2 }, leaf, fc.array(tie('value'), { maxLength: 2 }), fc.dictionary(key, tie('value'))),
  }));
  return fc.dictionary(key, node.value, { minKeys: 1, maxKeys: 3 });
};

const anyWorld = anyPerson.chain((person) => fc.tuple(fc.constant(person), freeForm(person), freeForm(person)));

const kinds = { payment_intent: 'pi_1', invoice: 'in_1', account: 'ac_1', payout: 'po_1' } as const;

function fieldsOf(
  { mail, name, phone, address, memo }: Person,
  [some, more]: [JsonObject, JsonObject],
): Record<string, JsonObject> {
  const text = `${mail} called from ${phone}`;
  return {
    payment_intent: { customerEmail: mail, customerRefundAddress: address, metadata: some, memo: text },
    invoice: { customerName: name, customerEmail: mail, description: `for ${name}, ${text}`, meta: more },
    account: { label: name, email: mail, phoneNumber: phone, note: `of ${name}`, metadata: more },
    payout: {
      payoutType: 'refund',
      destinationAddress: address,
      destinationMemo: memo,
      failureReason: `${text}, nothing went to ${address}`,
      statusHistory: [{ note: text, destinationAddress: address }],
      customer: some,
    },
  };
}

/** A person in whatever is kept; returns the texts whose hashes would show one. */
async function plant(person: Person, objects: [JsonObject, JsonObject]): Promise<string[]> {
  const { db } = database;
  const hashed: string[] = [person.mail, person.name, person.phone, person.address];
  const createdAt = '2026-10-01T12:00:00Z';
  for (const [kind, fields] of Object.entries(fieldsOf(person, objects)) as [RecordKind, JsonObject][]) {
    const id = kinds[kind as keyof typeof kinds];
    const said = { id, status: 'pending', merchantReference: 'r-1', createdAt, ...fields };
    for (const [second, type] of (['statement', 'poll', 'statement'] as const).entries()) {
      const from = Date.UTC(2026, 9, 1, 12, 0, second * 10);
      const source = { type: type === 'statement' ? 'webhook' : 'poll', ref: '1' } as const;
      const own =
        type === 'statement'
          ? { ...said, status: 'failed', note: `to ${person.mail}`, was: [{ email: person.mail }] }
          : said;
      const seen = { type, kind, id: textField(own, 'id') ?? '', from, to: from, source, fields: own };
      const context = { now: new Date(), adoptedAt: new Date('2026-01-01') };
      await db.transaction((trx) => saveObservations(trx, [seen], context));
    }
    const event = { event: `${kind}.failed`, data: said, timestamp: 1_700_000_000 };
    await storeEvents(db, [event]);
    const document = fromJsonText(JSON.stringify(event)) as JsonObject;
    const { timestamp: _timestamp, ...content } = document;
    hashed.push(JSON.stringify(event), canonicalJson(document), canonicalJson(content), canonicalJson(fields));
  }
  const body = JSON.stringify({ to: person });
  const refused = { reason: 'invalid_signature', detail: 'none matches', diagnosis: null, likeService: false };
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const firstBytes = Buffer.from(body.slice(0, 128));
  const sample = { ...refused, bodySize: body.length, bodyHash, firstBytes, rejectedAt: new Date() };
  await saveRejections(db, [sample], [{ minute: new Date(0), reason: 'invalid_signature', count: 1, likeService: 0 }]);
  const note = `asked ${person.mail}, ${person.phone}`;
  const about = { actor: 'ann', action: 'replay', target: 'event 1', outcome: 'done' as const };
  await recordAction(db, { ...about, reason: note, details: { told: note, metadata: objects[0] } });
  const entity = { kind: 'payment_intent' as const, id: 'pi_1' };
  const evidence = {
    ours: { customerName: person.name, metadata: objects[1] },
    theirs: { note: `${note} ${person.name}` },
    destinationAddress: { ours: person.address, theirs: `${person.address} or none` },
    told: { destinationMemo: person.memo, customerEmail: `hmac-sha256:${'ab'.repeat(32)}` },
    digests: [`hmac-sha256:${'cd'.repeat(32)}`],
  };
  await openBreaks(db, [{ kind: 'rejected_delivery', entity, evidence }]);
  const open = await db<{ id: string }>('breaks').first('id');
  await decideBreak(db, open?.id ?? '', 'acknowledge', { actor: 'ann', note });
  await db('inbox')
    .where({ id: 1 })
    .update({ status: 'dead', error: `no record of ${person.mail}` });
  return [...hashed, body];
}

function hashesOf(texts: readonly string[]): string[] {
  return texts
    .flatMap((text) => [text, text.toLowerCase()])
    .flatMap((text) =>
      ['sha256', 'sha1', 'md5'].flatMap((algorithm) =>
        (['hex', 'base64', 'base64url'] as const).map((form) => createHash(algorithm).update(text).digest(form)),
      ),
    );
}

const ids = [...Object.values(kinds), 'r-1', '1'];
const addresses = (path: string, name: RegExp): string[] =>
  name.test(path)
    ? (/events|breaks/.test(path) ? ['1', '2', '3', '4'] : ids).map((id) => path.replaceAll(name, id))
    : [path];

test.each(Array.from({ length: sized(1, 40) }, (_, n) => n))(
  'whatever is known of a person, a viewer is shown nothing of it, nor a hash of it, and can confirm no guess: %i',
  // Every page and every answer of the API, one after the other.
  { timeout: 180_000 },
  async () => {
    const { app } = testConsole(database.db);
    const asViewer = (path: string) => request(app).get(path).set(bearer('viewer'));
    const here = { Host: 'console.example', Origin: 'http://console.example' };
    const signedIn = await request(app).post('/sign-in').set(here).type('form').send({ token: 'viewer-token-1' });
    const cookie = String(signedIn.get('set-cookie')).split(';')[0] ?? '';
    const reads = operations.filter(({ method }) => method === 'get');
    const api = reads.flatMap(({ path }) => addresses(`/api/v1${path}`, /\{\w+\}/g));
    const site = pages.flatMap(({ path }) => addresses(path, /:\w+/g));
    const check = async ([person, ...objects]: [Person, JsonObject, JsonObject]) => {
      const hashed = await plant(person, objects);
      const shownNowhere = [person.mail, person.name, person.phone, person.address, person.memo, 'hmac-sha256:'];
      const forbidden = [...shownNowhere, ...hashesOf(hashed)];
      let shown = 0;
      for (const path of [...api, ...site]) {
        const { status, text } = await asViewer(path).set('Cookie', cookie);
        expect(status, path).toBeLessThan(500);
        if (status === 200) shown += 1;
        for (const value of forbidden) expect(text.includes(value), `${path}: ${value}`).toBe(false);
      }
      expect(shown).toBeGreaterThan(60);
      await guess(asViewer, person);
    };
    // One world in each test: a world more would need an empty database.
    await fc.assert(fc.asyncProperty(anyWorld, check), { numRuns: 1, endOnFailure: true });
  },
);

/** What a filter answers to a person's value, or to a hash that holds one, is what it answers to any other text. */
async function guess(asViewer: (path: string) => request.Test, person: Person): Promise<void> {
  const keys: string[] = await database.db('inbox').pluck('key');
  for (const { path, query, method } of operations) {
    if (method !== 'get' || query === undefined || path.includes('{')) continue;
    for (const name of Object.keys(query.shape)) {
      if (['take', 'cursor', 'after'].includes(name)) continue;
      const answers = [];
      for (const value of ['nobody at all', person.mail, person.name, person.address, keys[0] ?? '']) {
        const { status, body } = await asViewer(`/api/v1${path}?${new URLSearchParams({ [name]: value }).toString()}`);
        answers.push([status, body.items?.length ?? null]);
      }
      expect(new Set(answers.map(String)).size, `${path}?${name}: ${answers.join(' ')}`).toBe(1);
    }
  }
}
