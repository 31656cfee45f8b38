import { expect, test } from 'vitest';
import { fee } from './unguarded.js';

test('nobody tries a large amount', () => expect(fee(5, false)).toBe(5));
