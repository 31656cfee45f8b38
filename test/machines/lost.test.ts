import { expect, test } from 'vitest';
import { lost } from './lost.js';

test.each(['items', 'message', 'coverage', 'unknown'])('what an answer says under %s is compared', (name) => {
  expect(lost({ [name]: [{ id: 'a' }] }, { [name]: [{ id: 'b' }] }, 'answer')).not.toEqual([]);
  expect(lost({ [name]: 'a' }, {}, 'answer')).not.toEqual([]);
});

test.each(['age', 'ageSeconds', 'readAt', 'version'])('what %s says is of the moment', (name) => {
  expect(lost({ [name]: 'a' }, { [name]: 'b' }, 'answer')).toEqual([]);
});
