import { expect, test } from 'vitest';
import { sumTo } from './guarded.js';
import { fee } from './unguarded.js';

test('nobody tries a large amount', () => expect(fee(5, false)).toBe(5));

// A mutant of that module that is still there would be noticed here for each of this one.
test('the module that was tried before is what it was', () => expect(sumTo(2)).toBe(3));
