import { expect, test } from 'vitest';
import { sumTo } from './guarded.js';
import { fee } from './unguarded.js';

// Wrong as long as a mutant of the other module is played.
const amount = sumTo(3) - 1;

test('nobody tries a large amount', () => expect(fee(amount, false)).toBe(5));
