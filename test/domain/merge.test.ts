import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { absorb, show } from '../../src/domain/merge.js';
import type { Observation } from '../../src/domain/observation.js';
import { emptyState } from '../../src/domain/record-state.js';
import { absence, delivered, mention, poll, SECOND } from './one-record.js';

function shown(...observations: Observation[]) {
  const kind = observations[0]?.kind ?? 'payment_intent';
  return show(
    kind,
    observations.reduce((state, observation) => absorb(kind, state, observation), emptyState),
  );
}

const T = 1_700_000_000 * SECOND;
const pending: JsonObject = {
  id: 'x',
  status: 'pending',
  irregularStatus: 'none',
  totalAmountReceived: '0',
  paymentResult: null,
};
const completed: JsonObject = { ...pending, status: 'completed', totalAmountReceived: '10' };

describe('a reading', () => {
  it('is shown as it is, verified', () => {
    expect(shown(poll(T, completed))).toEqual({
      fields: completed,
      reported: null,
      verified: true,
      verifiedAt: T,
      absent: false,
      known: true,
      ownCall: null,
      doubted: false,
      needsPoll: false,
      observedAt: T,
      observedBy: { type: 'poll', ref: `run ${T}` },
    });
  });

  it('decides against every earlier claim, whatever that stated', () => {
    const states = ['completed', 'expired', 'on_hold'].map((status) => delivered(T - 2 * SECOND, { status }));
    expect(shown(...states, poll(T, pending))).toEqual(shown(poll(T, pending)));
  });

  it('of a later start wins, although one that started before it ended after it', () => {
    const slow: Observation = { ...poll(T, pending), to: T + 60 * SECOND };
    expect(shown(poll(T + SECOND, completed), slow).fields).toEqual(completed);
  });

  it('shows a state back where the service really went back', () => {
    expect(shown(poll(T, completed), poll(T + SECOND, pending)).fields['status']).toBe('pending');
  });

  it('keeps states that the specification does not list, verbatim', () => {
    expect(shown(poll(T, { ...pending, status: 'on hold ☃' }))).toMatchObject({
      fields: { status: 'on hold ☃' },
      verified: true,
    });
  });
});

describe('a claim newer than the reading', () => {
  it('that stands further on is shown at once, unverified, and asks for a reading', () => {
    expect(shown(poll(T, pending), delivered(T + SECOND, completed))).toEqual({
      fields: completed,
      reported: null,
      verified: false,
      verifiedAt: null,
      absent: false,
      known: true,
      ownCall: null,
      doubted: false,
      needsPoll: true,
      observedAt: T + SECOND,
      observedBy: { type: 'delivery_history', ref: `event ${T + SECOND}` },
    });
  });

  it('counts as newer within the same second: whole seconds can not say which came first', () => {
    const polled = poll(T + 700, pending);
    expect(shown(polled, delivered(T, completed))).toMatchObject({ fields: { status: 'completed' }, verified: false });
    expect(shown(polled, delivered(T - SECOND, completed))).toMatchObject({
      fields: { status: 'pending' },
      verified: true,
    });
  });

  it('never erases a field by not stating it, and does by stating null', () => {
    const partial = delivered(T + SECOND, { status: 'completed', totalAmountReceived: null });
    expect(shown(poll(T, pending), partial).fields).toEqual({ ...completed, totalAmountReceived: null });
  });

  it('that stands behind or level changes nothing, and asks for a reading', () => {
    for (const status of ['pending', 'expired', 'cancelled', 'unmatched', 'on_hold']) {
      const expired = { ...pending, status: 'expired' };
      const said = delivered(T + SECOND, { status, totalAmountReceived: '3' });
      expect(shown(poll(T, expired), said), status).toMatchObject({
        fields: expired,
        verified: true,
        needsPoll: true,
      });
    }
  });

  it('that says what the reading says asks for nothing', () => {
    const same = delivered(T + SECOND, { id: 'x', status: 'pending', irregularStatus: 'none' });
    expect(shown(poll(T, pending), same)).toMatchObject({ verified: true, needsPoll: false });
    const other = delivered(T + SECOND, { id: 'x', status: 'pending', totalAmountReceived: '5' });
    expect(shown(poll(T, pending), other)).toMatchObject({ fields: pending, verified: true, needsPoll: true });
  });

  it('without a state, or that only names the record, asks for a reading until one began after its second', () => {
    for (const said of [delivered(T + SECOND, { totalAmountReceived: '5' }), mention(T + SECOND)]) {
      expect(shown(poll(T, pending), said)).toMatchObject({ fields: pending, verified: true, needsPoll: true });
      expect(shown(said, poll(T + SECOND + 998, pending)).needsPoll).toBe(true);
      expect(shown(said, poll(T + SECOND + 999, pending)).needsPoll).toBe(false);
    }
  });

  it('never advances from a state that stands nowhere: only a poll says', () => {
    const held = { ...pending, status: 'on_hold' };
    expect(shown(poll(T, held), delivered(T + SECOND, completed))).toMatchObject({ fields: held, needsPoll: true });
  });

  it('re-stamped and old, never takes a newer reading back', () => {
    for (let delay = 0; delay <= 10; delay++) {
      const replay = delivered(T + delay * SECOND, { ...pending, amountRejected: '7' });
      expect(shown(poll(T, completed), replay)).toMatchObject({ fields: completed, verified: true });
    }
  });
});

describe('a dispute', () => {
  const disputed: JsonObject = {
    ...completed,
    irregularStatus: 'pending_decision',
    amountInRange: '8',
    amountRejected: '2',
  };

  it('is an axis of its own: its claim moves its fields and no others', () => {
    const said = delivered(T + SECOND, { ...disputed, status: 'pending', totalAmountReceived: '99' });
    expect(shown(poll(T, completed), said)).toMatchObject({ fields: disputed, verified: false, needsPoll: true });
  });

  it('is not undone by a claim that advances the status alone', () => {
    const open = { ...disputed, status: 'confirming', totalAmountReceived: '4' };
    const said = delivered(T + SECOND, { ...completed, amountInRange: null, amountRejected: null });
    expect(shown(poll(T, open), said).fields).toEqual({ ...disputed, totalAmountReceived: '10' });
  });

  it('and the status may each be advanced by a claim of their own', () => {
    const facts = shown(
      poll(T, pending),
      delivered(T + SECOND, completed),
      delivered(T + 3 * SECOND, { ...disputed, status: 'pending' }),
    );
    expect(facts).toMatchObject({ fields: disputed, observedAt: T + SECOND });
  });

  it('that stands where it stood leaves the range to the claim that advances the status', () => {
    const open = { ...pending, amountInRange: null };
    const said = { ...completed, amountInRange: '10' };
    expect(shown(poll(T, open), delivered(T + SECOND, said)).fields).toEqual(said);
  });

  it('comes with the fields of the claim that advances both', () => {
    expect(shown(poll(T, pending), delivered(T + SECOND, disputed)).fields).toEqual(disputed);
  });
});

describe('claims alone', () => {
  it('show the furthest state with all that any of them stated, unverified', () => {
    const facts = shown(
      delivered(T + 5 * SECOND, { id: 'x', status: 'pending', customerEmail: 'a@example.com' }),
      delivered(T, { id: 'x', status: 'completed', totalAmountReceived: '10' }),
      delivered(T + SECOND, { id: 'x', status: 'confirming', totalAmountReceived: '4', merchantReference: 'o-1' }),
    );
    expect(facts.fields).toEqual({
      id: 'x',
      status: 'completed',
      totalAmountReceived: '10',
      customerEmail: 'a@example.com',
      merchantReference: 'o-1',
    });
    expect(facts).toMatchObject({ verified: false, absent: false, needsPoll: true, observedAt: T });
  });

  it('show an unlisted state where it is all there is', () => {
    expect(shown(delivered(T, { status: 'on_hold' })).fields).toEqual({ status: 'on_hold' });
    const appealed = { status: 'completed', irregularStatus: 'appealed', amountRejected: '3' };
    expect(shown(delivered(T, appealed)).fields).toEqual(appealed);
    expect(shown(delivered(T, { status: 'on_hold' }), delivered(T - SECOND, { status: 'pending' })).fields).toEqual({
      status: 'pending',
    });
  });

  it('of equal rank are settled by time', () => {
    const [early, late] = [delivered(T, { status: 'expired' }), delivered(T + SECOND, { status: 'cancelled' })];
    expect(shown(late, early).fields['status']).toBe('cancelled');
    expect(shown(early, late).fields['status']).toBe('cancelled');
  });

  it('that only mention the record show nothing of it', () => {
    expect(shown(mention(T))).toMatchObject({
      fields: {},
      verified: false,
      absent: false,
      needsPoll: true,
      observedAt: T,
    });
  });
});

describe('an absence', () => {
  it('proves that a claimed record is not at the service: nothing of it is verified, nothing left to read', () => {
    expect(shown(delivered(T, completed), absence(T + SECOND))).toEqual({
      fields: completed,
      reported: null,
      verified: false,
      verifiedAt: null,
      absent: true,
      known: true,
      ownCall: null,
      doubted: false,
      needsPoll: false,
      observedAt: T + SECOND,
      observedBy: { type: 'poll', ref: `run ${T + SECOND}` },
    });
  });

  it('still shows a record that was listed before', () => {
    const gone = shown(poll(T, completed), absence(T + SECOND));
    expect(gone).toMatchObject({ fields: completed, verified: false, absent: true, needsPoll: false });
    expect(shown(poll(T, pending), delivered(T + SECOND, completed), absence(T + 2 * SECOND)).fields).toEqual(
      completed,
    );
  });

  it('is doubted by a later claim or mention, and ended by a later reading', () => {
    for (const later of [delivered(T + SECOND, completed), mention(T + SECOND)]) {
      expect(shown(poll(T - SECOND, pending), absence(T), later)).toMatchObject({
        verified: false,
        absent: false,
        needsPoll: true,
      });
    }
    expect(shown(absence(T), poll(T + SECOND, completed))).toMatchObject({ verified: true, absent: false });
    expect(shown(poll(T, completed), absence(T - SECOND))).toMatchObject({ verified: true, absent: false });
  });

  it('of the very moment of a reading yields to it', () => {
    expect(shown(absence(T), poll(T, pending))).toMatchObject({ verified: true, absent: false });
    expect(shown(poll(T, pending), absence(T))).toMatchObject({ verified: true, absent: false });
  });
});

describe('metadata, which only some views of a payment carry', () => {
  const metadata = parse('{"a":1.0,"b":"\\u0000\\ud800"}') as JsonObject;

  it('stays as it was claimed where readings have no such field, without a doubt about the reading', () => {
    const facts = shown(delivered(T, { ...completed, metadata }), poll(T + 5 * SECOND, completed));
    expect(facts).toMatchObject({ fields: { ...completed, metadata }, verified: true, needsPoll: false });
    expect(shown(poll(T, completed), delivered(T + SECOND, { ...completed, metadata })).needsPoll).toBe(false);
  });

  it('is the reading’s where that has it', () => {
    const own = { ...completed, metadata: null };
    expect(shown(delivered(T, { ...completed, metadata }), poll(T + 5 * SECOND, own)).fields).toEqual(own);
  });
});

describe('a payin', () => {
  const payin = (status: string) => ({ id: 'x', status });
  it.each([
    ['pending', 'confirming', 'confirming'],
    ['confirming', 'screening', 'screening'],
    ['screening', 'confirmed', 'confirmed'],
    ['screening', 'frozen', 'screening'],
    ['confirmed', 'screening', 'confirmed'],
    ['confirmed', 'unmatched', 'confirmed'],
  ])('read as %s and claimed as %s is shown as %s', (read, said, expected) => {
    const facts = shown(poll(T, payin(read), 'payin'), delivered(T + SECOND, payin(said), 'payin'));
    expect(facts).toMatchObject({ fields: payin(expected), verified: read === expected, needsPoll: true });
  });
});

it('nothing observed is nothing shown', () => {
  expect(show('payment_intent', emptyState)).toMatchObject({
    fields: {},
    verified: false,
    absent: false,
    needsPoll: false,
  });
});
