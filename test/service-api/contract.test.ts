import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/errors.js';
import { defaultContract, loadContract } from '../../src/service-api/contract.js';
import { useFolder } from '../support/folder.js';
import { rejection } from './test-client.js';

const folder = useFolder();

async function load(text: string) {
  const file = path.join(folder, 'contract.json');
  await writeFile(file, text);
  return loadContract(file);
}

describe('CONTRACT_FILE', () => {
  it('is the defaults where there is none, and where it says nothing', async () => {
    expect(await loadContract()).toEqual(defaultContract);
    expect(await load('{}')).toEqual(defaultContract);
    expect(await load(JSON.stringify(defaultContract))).toEqual(defaultContract);
  });

  it('overrides the part it names and nothing else', async () => {
    const contract = await load('{"query": {"listPaymentIntents": {"status": "state"}}}');
    const expected = structuredClone(defaultContract);
    expected.query.listPaymentIntents.status = 'state';
    expect(contract).toEqual(expected);
  });

  it('has each word of ours in a class, whatever words a file adds or puts into another', async () => {
    const ours = defaultContract.movements.words;
    for (const name of ['payoutType', 'transactionType'] as const) {
      const classes = Object.keys(ours[name]);
      const known = Object.values(ours[name]).flat();
      const word = fc.oneof(fc.constantFrom(...known), fc.stringMatching(/^[a-z]{1,9}$/));
      const given = fc.uniqueArray(fc.tuple(word, fc.constantFrom(...classes)), { selector: ([one]) => one });
      await fc.assert(
        fc.asyncProperty(given, async (placed) => {
          const asked: Record<string, string[]> = {};
          for (const [text, one] of placed) (asked[one] ??= []).push(text);
          const { words } = (await load(JSON.stringify({ movements: { words: { [name]: asked } } }))).movements;
          const classOf = (all: Record<string, readonly string[]>, text: string) =>
            Object.keys(all).filter((one) => all[one]?.includes(text));
          for (const [text, one] of placed) expect(classOf(words[name], text)).toEqual([one]);
          for (const text of known)
            if (!placed.some(([one]) => one === text))
              expect(classOf(words[name], text)).toEqual(classOf(ours[name], text));
        }),
        { numRuns: 50 },
      );
    }
  });

  it.each([
    [
      'a key that is not known',
      '{"query": {"listPaymentIntents": {"colour": "c"}}}',
      'query.listPaymentIntents.colour',
    ],
    ['an operation that is not known', '{"query": {"listStars": {}}}', 'query.listStars is not known'],
    ['a section that is not known', '{"stars": {}}', 'stars is not known'],
    ['__proto__', '{"__proto__": {"paths": {}}}', '__proto__'],
    ['a number for a name', '{"query": {"listPayouts": {"take": 5}}}', 'query.listPayouts.take'],
    ['a name with a blank', '{"query": {"listPayouts": {"take": "a b"}}}', 'query.listPayouts.take'],
    ['null for a section', '{"query": null}', 'query'],
    ['an array for the whole', '[]', 'the whole'],
    ['a pointer without a slash', '{"error": {"code": "code"}}', 'error.code: accepted is a JSON pointer'],
    ['a path to elsewhere', '{"paths": {"listPayouts": "//other.test/x"}}', 'paths.listPayouts'],
    ['a path that climbs', '{"paths": {"listPayouts": "/v1/../x"}}', 'paths.listPayouts'],
    [
      'two filters of one name',
      '{"query": {"listPaymentIntents": {"status": "invoiceId"}}}',
      'query.listPaymentIntents: accepted is another name',
    ],
    [
      'a filter of a name that the specification gives away',
      '{"query": {"listPaymentIntents": {"status": "take"}}}',
      'query.listPaymentIntents: accepted is another name',
    ],
    ['a word of compliance on two lists', '{"kyt": {"rejected": ["Approved"]}}', 'kyt: accepted is each word'],
    ['a text for a list of words', '{"kyt": {"passed": "fine"}}', 'kyt.passed: accepted is a value of type array'],
    ['an empty word', '{"kyt": {"passed": [" "]}}', 'kyt.passed.0'],
    ['a choice that is none', '{"movements": {"choices": {"networkFee": "me"}}}', 'movements.choices.networkFee'],
    ['an operation that is none', '{"movements": {"operations": {"gift": []}}}', 'movements.operations.gift is not'],
    [
      'a formula',
      '{"movements": {"operations": {"refund": [{"balance": "operating", "shownBy": "payout", "effect": ["-amount*2"]}]}}}',
      'movements.operations.refund.0.effect.0: accepted is + or - and an amount',
    ],
    [
      'an effect on no balance',
      '{"movements": {"operations": {"refund": [{"balance": "bank", "shownBy": "payout", "effect": []}]}}}',
      'movements.operations.refund.0.balance',
    ],
    [
      'a condition on no choice',
      '{"movements": {"operations": {"refund": [{"balance": "operating", "shownBy": "payout", "effect": [], "when": {"x": "y"}}]}}}',
      'movements.operations.refund.0.when.x is not known',
    ],
    [
      'a word in two classes',
      '{"movements": {"words": {"payoutType": {"refund": ["x"], "internal": ["X"]}}}}',
      'movements.words.payoutType: accepted is each word',
    ],
    ['a key twice', '{"paths": {}, "paths": {}}', 'a key that the object already has'],
    ['no JSON', '{query: 1}', 'is not JSON'],
  ])('refuses %s', async (_, text, named) => {
    const error = await rejection(load(text), ConfigError);
    expect(error.message).toContain('CONTRACT_FILE');
    expect(error.message).toContain(path.join(folder, 'contract.json'));
    expect(error.message).toContain(named);
  });

  it('refuses a file that is not there', async () => {
    const error = await rejection(loadContract(path.join(folder, 'none.json')), ConfigError);
    expect(error.message).toContain('none.json');
    expect((await rejection(loadContract(folder), ConfigError)).message).toContain(folder);
  });
});
