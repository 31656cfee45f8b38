import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { columnsOf, type RowOf, viewOf } from '../../src/records/database/view-of.js';

const shape = z
  .object({
    id: z.string(),
    secretLabel: z.string().nullable(),
    matches24h: z.number(),
    since: z.string(),
    sentAt: z.string().nullable(),
    details: z.record(z.string(), z.unknown()),
  })
  .meta({ description: 'A view.' });
type View = z.output<typeof shape>;

const row: RowOf<View> = {
  sent_at: null,
  id: '7',
  secret_label: 'live',
  matches24h: 3,
  since: new Date('2026-10-31T12:00:00.123Z'),
  details: { why: 'because' },
};

describe('a view of a row', () => {
  it('has the fields of the shape in its order, times as text', () => {
    const view = viewOf(shape, row);
    expect(view).toEqual({
      id: '7',
      secretLabel: 'live',
      matches24h: 3,
      since: '2026-10-31T12:00:00.123Z',
      sentAt: null,
      details: { why: 'because' },
    });
    expect(Object.keys(view)).toEqual(Object.keys(shape.shape));
  });

  it('takes times that the query gave as text as they are', () => {
    expect(viewOf(shape, { ...row, since: 'then' }).since).toBe('then');
  });

  it('takes what is special in place of its column, null too, where the field stands', () => {
    const view = viewOf(shape, row, { secretLabel: null, matches24h: 4 });
    expect(view).toMatchObject({ id: '7', secretLabel: null, matches24h: 4 });
    expect(Object.keys(view)).toEqual(Object.keys(shape.shape));
  });

  it('leaves other columns out', () => {
    const wide = { ...row, content_hash: 'secret' };
    expect(Object.keys(viewOf(shape, wide))).toEqual(Object.keys(shape.shape));
  });
});

it('the columns are the fields in snake case', () => {
  expect(columnsOf(shape)).toEqual(['id', 'secret_label', 'matches24h', 'since', 'sent_at', 'details']);
});

describe('the compiler', () => {
  it('knows the type of each column', () => {
    expectTypeOf<RowOf<View>>().toEqualTypeOf<{
      id: string;
      secret_label: string | null;
      matches24h: number;
      since: Date;
      sent_at: Date | null;
      details: Record<string, unknown>;
    }>();
  });

  it('asks for each column that is not special', () => {
    const { matches24h: _, ...lacking } = row;
    // @ts-expect-error a number of matches is nowhere
    expect(viewOf(shape, lacking).matches24h).toBeUndefined();
    expect(viewOf(shape, lacking, { matches24h: 1 }).matches24h).toBe(1);
  });
});
