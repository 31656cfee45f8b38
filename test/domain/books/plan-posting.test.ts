import { describe, expect, it } from 'vitest';
import type { Draft } from '../../../src/domain/books/entry.js';
import { type Posted, planPosting } from '../../../src/domain/books/plan-posting.js';
import { AT, line } from './draft-records.js';

const legs = (amount: string) => [line('a', amount), line('b', `-${amount}`)];
const back = (amount: string) => [line('a', `-${amount}`), line('b', amount)];
const dated = { at: AT, by: 'created' } as const;
const [earlier, later] = [{ at: AT - 1, by: 'created' } as const, { at: AT + 1, by: 'updated' } as const];
const name = { recordKind: 'payout', recordId: 'r1', key: 'payout' } as const;
const sources = [{ kind: 'payout', id: 'r1' }];
const draft = (about: Partial<Draft> = {}): Draft => {
  const said = { description: 'payout', sources: [...sources, { kind: 'event', id: 'e1' }], dated: later };
  return { ...name, ...said, mode: 'fact', lines: legs('5'), ...about };
};
const live = { id: 'e2', dated, lines: legs('5'), bookedOn: null };
const posted = (about: Partial<Posted> = {}): Posted => {
  return { ...name, version: 3, live, net: legs('5'), last: { id: 'e3', dated: earlier, bookedOn: null }, ...about };
};
/** Of a draft, as it is appended. */
const { mode: _, ...said } = draft();
const drafted = { ...said, after: null, worthAs: null };

describe('what is posted', () => {
  it('is appended once, on the day where it first belongs', () => {
    const entry = { ...drafted, type: 'entry', version: 1, reverses: null, corrects: null };
    expect(planPosting([draft()], [])).toEqual([entry]);
    expect(planPosting([draft({ firstDated: earlier })], [])).toEqual([{ ...entry, dated: earlier }]);
    expect(planPosting([draft({ lines: [] })], [])).toEqual([]);
    expect(planPosting([draft()], [posted()])).toEqual([]);
    expect(planPosting([], [])).toEqual([]);
  });

  it('is another thing of another record, kind or key', () => {
    for (const other of [{ recordKind: 'payin' }, { recordId: 'r2' }, { key: 'network-fee' }] as const) {
      const [entry, ...rest] = planPosting([draft(other)], [posted({ ...other, net: [], live: null }), posted()]);
      expect([entry?.type, rest.length]).toEqual(['correction', 1]);
    }
  });

  const reversal = {
    ...name,
    type: 'reversal',
    version: 4,
    lines: back('5'),
    description: 'reversal: shown otherwise since',
    sources,
    dated,
    reverses: 'e2',
    corrects: 'e2',
    after: null,
    worthAs: { id: 'e2', day: undefined },
  };

  it('is a fact that is shown otherwise: it is reversed on its day, and made anew', () => {
    const correction = { ...drafted, type: 'correction', version: 5, lines: legs('7'), reverses: null, corrects: 'e2' };
    expect(planPosting([draft({ lines: legs('7') })], [posted()])).toEqual([reversal, correction]);
    expect(planPosting([draft({ lines: [] })], [posted()])).toEqual([reversal]);
    expect(planPosting([draft({ lines: legs('7') })], [posted({ live: null, net: [] })])).toEqual([
      { ...correction, version: 4, corrects: 'e3' },
    ]);
  });

  it('is a state that moves on by the difference; so does a fact whose entry is no longer all of it', () => {
    const change = { ...drafted, type: 'change', version: 4, lines: legs('2'), reverses: null, corrects: 'e3' };
    expect(planPosting([draft({ mode: 'state', lines: legs('7') })], [posted()])).toEqual([change]);
    expect(planPosting([draft({ mode: 'state', lines: legs('7') })], [posted({ live: null })])).toEqual([change]);
    const moved = posted({ net: legs('6') });
    expect(planPosting([draft({ lines: legs('8') })], [moved])).toEqual([change]);
  });

  it('is taken back where nothing shows it any more, unless that is done', () => {
    expect(planPosting([], [posted()])).toEqual([reversal]);
    expect(planPosting([], [posted({ net: [] })])).toEqual([]);
    const change = {
      ...name,
      type: 'change',
      version: 4,
      lines: back('6'),
      description: 'taken back: no longer shown',
      sources,
      dated: earlier,
      reverses: null,
      corrects: 'e3',
      after: null,
      worthAs: null,
    };
    expect(planPosting([], [posted({ net: legs('6') })])).toEqual([change]);
    expect(planPosting([], [posted({ net: legs('6'), live: null })])).toEqual([change]);
  });

  it('keeps the value of what it releases of a dispute, or rebooks, with the day of its rates; what is held anew has its own', () => {
    const day = '2026-03-20';
    const held = { recordKind: 'payment_intent', key: 'held', mode: 'state' } as const;
    const last = { id: 'e3', dated: { ...dated, day }, bookedOn: null };
    const worth = (net: Posted['net'], lines: Draft['lines']) =>
      planPosting([draft({ ...held, lines })], [posted({ ...held, net, last })]).map(({ worthAs }) => worthAs);
    expect(worth(legs('5'), [])).toEqual([{ id: 'e3', day }]);
    expect(worth(legs('5'), legs('7'))).toEqual([{ id: 'e3', day }]);
    expect(worth([], legs('5'))).toEqual([null]);
    expect(planPosting([], [posted({ ...held, net: legs('6'), last })])[0]?.worthAs).toEqual({ id: 'e3', day });
    const rebooked = draft({ lines: legs('7'), reversal: { description: 'rebooked', dated } });
    const standing = posted({ live: { ...live, dated: { ...dated, day } } });
    expect(planPosting([rebooked], [standing]).map(({ worthAs }) => worthAs)).toEqual([
      { id: 'e2', day },
      { id: 'e2', day },
    ]);
  });

  it('is not taken back, moved on or rebooked ahead of where it is booked; a fact that is made anew stands on its own day', () => {
    const moved = { live: { ...live, bookedOn: '2026-04-01' }, last: { id: 'e3', dated, bookedOn: '2026-05-01' } };
    const afters = (...drafts: Draft[]) => planPosting(drafts, [posted(moved)]).map(({ type, after }) => [type, after]);
    expect(afters()).toEqual([['reversal', '2026-04-01']]);
    expect(afters(draft({ lines: legs('7') }))).toEqual([
      ['reversal', '2026-04-01'],
      ['correction', null],
    ]);
    expect(afters(draft({ lines: legs('7'), reversal: { description: 'rebooked', dated } }))).toEqual([
      ['reversal', '2026-04-01'],
      ['correction', '2026-04-01'],
    ]);
    expect(afters(draft({ mode: 'state', lines: legs('7') }))).toEqual([['change', '2026-05-01']]);
    const placing = { recordKind: 'placement', mode: 'state' } as const;
    const placed = planPosting([draft({ ...placing, lines: legs('7') })], [posted({ ...moved, ...placing })]);
    expect(placed.map(({ after }) => after)).toEqual([null]);
    const back = planPosting([], [posted({ ...moved, net: legs('6') })]);
    expect(back.map(({ type, after }) => [type, after])).toEqual([['change', '2026-05-01']]);
  });
});
