import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { absorb, show } from '../../src/domain/merge.js';
import type { Observation } from '../../src/domain/observation.js';
import { emptyState } from '../../src/domain/record-state.js';
import { poll, report, SECOND } from './one-record.js';

function shown(first: Observation, ...others: Observation[]) {
  const { kind } = first;
  return show(
    kind,
    [first, ...others].reduce((state, observation) => absorb(kind, state, observation), emptyState),
  );
}

const T = 1_700_000_000 * SECOND;
const completed: JsonObject = { id: 'x', status: 'completed', totalAmountReceived: '10' };
const confirmed: JsonObject = { id: 'x', status: 'confirmed' };

describe('goods are not released on a reading that an event has overtaken', () => {
  it('a dispute of an unlisted state, or ended the other way, is not shown but holds the goods until the next poll', () => {
    for (const [read, said] of [
      ['none', 'appealed'],
      ['encashed', 'refunded'],
    ] as const) {
      const polled = poll(T, { ...completed, irregularStatus: read });
      expect(shown(polled, report(T + SECOND, { ...completed, irregularStatus: said }))).toMatchObject({
        fields: { irregularStatus: read },
        verified: true,
        doubted: true,
        reported: { irregularStatus: said },
        needsPoll: true,
        observedBy: { type: 'poll' },
      });
    }
    const behind = report(T + SECOND, { ...completed, irregularStatus: 'none' });
    expect(shown(poll(T, { ...completed, irregularStatus: 'encashed' }), behind).doubted).toBe(false);
  });

  it('another result of the screening holds a payin until it is read again', () => {
    const passed = { ...confirmed, kytStatus: 'approved' };
    const read = poll(T, passed, 'payin');
    const rejected = report(T + SECOND, { ...passed, kytStatus: 'rejected' }, 'payin');
    const silent = report(T + 2 * SECOND, confirmed, 'payin');
    for (const facts of [shown(read, rejected), shown(read, rejected, silent)]) {
      expect(facts).toMatchObject({ fields: passed, doubted: true, needsPoll: true });
    }
    expect(shown(read, silent)).toMatchObject({ verified: true, doubted: false, needsPoll: false });
    expect(shown(read, rejected, poll(T + 3 * SECOND, passed, 'payin')).doubted).toBe(false);
  });

  it('no flood of made-up states pushes out a report that holds them', () => {
    for (const [kind, read, said] of [
      ['payout', 'failed', 'confirmed'],
      ['payment_intent', 'pending', 'completed'],
    ] as const) {
      const polled = poll(T, { id: 'x', status: read }, kind);
      const truth = report(T + SECOND, { id: 'x', status: said }, kind);
      const flood = Array.from({ length: 40 }, (_, n) =>
        report(T + (n + 2) * SECOND, { id: 'x', status: `made-up-${n}` }, kind),
      );
      expect(shown(polled, truth, ...flood).doubted).toBe(true);
      expect(shown(polled, ...flood, truth).doubted).toBe(true);
    }
  });
});
