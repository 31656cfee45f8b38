import { execFile } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import { faults } from './faults.js';

const SEEDS = process.env['INTERLEAVING_SEEDS'] ?? '100';
/** Of one fault. */
const LIMIT_MS = 1_200_000;

test.each(faults.map((fault, nth) => ({ ...fault, nth })))(
  '$name: found',
  async ({ name, nth, isRare }) => {
    const report = path.join(tmpdir(), `tallyhook-fault-${process.pid}-${nth}.json`);
    const env = {
      ...process.env,
      FAULT: String(nth),
      INTERLEAVING_SEEDS: SEEDS,
      INTERLEAVING_REPORT: report,
      INTERLEAVING_CLUSTER: inject('clusterUrl'),
    };
    const config = 'test/interleavings/faults.config.ts';
    await promisify(execFile)('npx', ['vitest', 'run', '--config', config], { env, timeout: LIMIT_MS });
    const { seeds, found, first } = JSON.parse(await readFile(report, 'utf8'));
    await rm(report);
    process.stdout.write(`${name}: found in ${found} of ${seeds} seeds, as: ${first}\n`);
    if (!isRare) expect(found).toBeGreaterThan(0);
  },
  LIMIT_MS,
);
