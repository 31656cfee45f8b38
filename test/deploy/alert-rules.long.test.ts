import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPromtool, promtool } from '../support/promtool.js';

const tests = path.join(import.meta.dirname, '../../deploy/prometheus/rules.test.yml');

describe.skipIf(!hasPromtool())('promtool', () => {
  it('sees each alert quiet, then firing', () => {
    expect(promtool(['test', 'rules', tests])).toEqual({ status: 0, output: '' });
  }, 120_000);
});
