import { defineConfig } from 'vitest/config';
import { faults } from './faults.js';

const fault = faults[Number(process.env['FAULT'])];

/** The worlds once more, with one fault planted in the product. */
export default defineConfig({
  plugins: [
    {
      name: 'plant a fault',
      enforce: 'pre',
      transform: (code, id) =>
        fault !== undefined && id.endsWith(fault.file) ? code.replace(fault.from, () => fault.to) : undefined,
    },
  ],
  test: {
    include: ['test/interleavings/interleavings.test.ts'],
    globalSetup: ['test/interleavings/faults-setup.ts'],
    hookTimeout: 120_000,
    pool: 'forks',
  },
});
