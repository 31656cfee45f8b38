import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { moment } from '../../src/cli/arguments.js';
import { findAlerts, remedyOf } from '../../src/domain/alerts/alerts.js';
import { toRecover } from '../../src/domain/alerts/facts.js';
import { facts } from './random-facts.js';

test('whatever asks to recover names a time from which all is recovered that can be, and no minute more', () => {
  fc.assert(
    fc.property(facts, (given) => {
      const { from } = toRecover(given);
      for (const alert of findAlerts(given)) {
        const since = /deliveries recover --since ([^”]+)”/.exec(remedyOf(alert))?.[1];
        if (since === undefined) continue;
        if (from === null) expect(since).toBe('2h');
        else expect(moment(since).getTime()).toBe(Math.floor(Date.parse(from) / 60_000) * 60_000);
      }
    }),
  );
});
