import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/domain/json.js';
import { absorb, show } from '../../src/domain/merge.js';
import type { Observation } from '../../src/domain/observation.js';
import { emptyState } from '../../src/domain/record-state.js';
import { delivered, poll, report, SECOND } from './one-record.js';

const T = 1_700_000_000 * SECOND;
const stateOf = (observations: Observation[]) =>
  observations.reduce((state, one) => absorb('payout', state, one), emptyState);

describe('a field that some views lack', () => {
  const own = (at: number, fields: JsonObject): Observation => ({
    ...delivered(at, fields, 'payout'),
    source: { type: 'api_response', ref: 'createPayout' },
  });
  const link = (...observations: Observation[]) => show('payout', stateOf(observations)).fields['merchantReference'];
  const bare = poll(T + 9 * SECOND, { id: 'x', status: 'pending' }, 'payout');
  const history = (at: number, merchantReference: string) => delivered(at, { merchantReference }, 'payout');

  it('is the newest that was kept, but what our own call said comes before what the delivery history shows', () => {
    const [early, late] = [history(T, 'early'), history(T + SECOND, 'late')];
    expect([link(early, late, bare), link(late, early, bare)]).toEqual(['late', 'late']);
    const said = own(T - SECOND, { merchantReference: 'own' });
    expect([link(early, late, said, bare), link(said, late, early, bare)]).toEqual(['own', 'own']);
  });

  it('is each link of a payout that any report says, by itself and with its type: no other report takes it back', () => {
    const says = (at: number, fields: JsonObject) => report(at, { id: 'x', ...fields }, 'payout');
    const kept = stateOf([
      says(T, { paymentIntentId: 'pi_1', merchantReference: 'A-1', payoutType: 'refund' }),
      says(T + SECOND, { paymentIntentId: 'pi_2', merchantReference: 'A-1', payoutType: 'merchant' }),
      says(T + 2 * SECOND, { paymentIntentId: 'pi_1', merchantReference: null, metadata: { a: 'b' } }),
    ]);
    const slots = kept.claims
      .filter(({ state }) => state.startsWith('kept:'))
      .map(({ state, fields }) => [state, fields]);
    expect(slots).toEqual([
      ['kept:merchantReference', { merchantReference: null }],
      ['kept:merchantReference="merchant" A-1', { merchantReference: 'A-1', payoutType: 'merchant' }],
      ['kept:merchantReference="refund" A-1', { merchantReference: 'A-1', payoutType: 'refund' }],
      ['kept:metadata', { metadata: { a: 'b' } }],
      ['kept:paymentIntentId=pi_1', { paymentIntentId: 'pi_1' }],
      ['kept:paymentIntentId=pi_2', { paymentIntentId: 'pi_2', payoutType: 'merchant' }],
    ]);
  });
});
