import { describe, expect, it } from 'vitest';
import { type AskedBy, postponeRefreshRequests, requestRefresh } from '../../src/records/runs/refresh-requests.js';
import { dueRequests } from '../../src/records/runs/settle-requests.js';
import { useDatabase } from '../support/database.js';
import { mention, poll, readPaid, report } from '../support/observations.js';
import { intent, invoice, paidIntent, payin } from '../support/records.js';
import { save } from '../support/saved.js';

const database = useDatabase();

const secrets = new Map([
  ['1', 'shop'],
  ['2', 'stolen'],
]);

async function lanesOf(...ids: string[]): Promise<string[]> {
  const rows = await database.db('reading_marks').whereIn('id', ids).orderBy('id');
  return rows.map(({ id, lane, secret }) => `${id} ${lane}${secret === '' ? '' : `/${secret}`}`);
}

const ask = (id: string, by: AskedBy) => requestRefresh(database.db, [{ kind: 'payin', id, reason: 'x', ...by }]);

describe('a refresh request', () => {
  it('that several ask for has the strongest lane, and the secret of whoever asked first', async () => {
    await ask('a', { lane: 'report', secret: 'shop' });
    await ask('a', { lane: 'report', secret: 'stolen' });
    expect(await lanesOf('a')).toEqual(['a report/shop']);
    await ask('a', { lane: 'poll' });
    await ask('a', { lane: 'report', secret: 'stolen' });
    expect(await lanesOf('a')).toEqual(['a poll']);
    await ask('a', { lane: 'listed' });
    await ask('a', { lane: 'recheck' });
    expect(await lanesOf('a')).toEqual(['a listed']);
    const both = ['listed', 'report'] as const;
    await requestRefresh(
      database.db,
      both.map((lane) => ({ kind: 'payin', id: 'both', reason: 'x', lane })),
    );
    expect(await lanesOf('both')).toEqual(['both listed']);
  });

  it('begins anew when one of a stronger lane asks: what webhooks tried before says nothing of it', async () => {
    await ask('anew', { lane: 'report' });
    await postponeRefreshRequests(database.db, 'payin', ['anew'], 60_000);
    await ask('anew', { lane: 'listed' });
    const due = await dueRequests(database.db, 'payin', 9);
    expect(due.find(({ id }) => id === 'anew')).toMatchObject({ attempts: 0, lane: 'listed' });
  });

  it('of a webhook ends after 26 readings, also where something was claimed; of a poll it does not', async () => {
    await save(database, [
      report('payin', 'tried', payin('tried', ''), 0),
      report('payin', 'kept', payin('kept', ''), 0),
    ]);
    await ask('kept', { lane: 'poll' });
    for (let attempt = 0; attempt < 26; attempt += 1)
      await postponeRefreshRequests(database.db, 'payin', ['tried', 'kept'], 1);
    expect(await lanesOf('tried', 'kept')).toEqual(['kept poll']);
  });

  it('does not wait behind a flood under another secret', async () => {
    const flood = Array.from({ length: 500 }, (_, index) => ({
      kind: 'invoice' as const,
      id: `flood${index}`,
      reason: 'claimed',
      lane: 'report' as const,
      secret: 'stolen',
    }));
    await requestRefresh(database.db, flood);
    await requestRefresh(database.db, [
      { kind: 'invoice', id: 'honest', reason: 'claimed', lane: 'report', secret: 'shop' },
      { kind: 'invoice', id: 'polled', reason: 'claimed' },
    ]);
    const due = await dueRequests(database.db, 'invoice', 10);
    expect(due.filter(({ secret }) => secret === 'stolen')).toHaveLength(10);
    expect(due.map(({ id }) => id)).toEqual(expect.arrayContaining(['honest', 'polled']));
    await database.db('reading_marks').where({ kind: 'invoice' }).delete();
  });
});

describe('who asks', () => {
  it('a webhook of a record that nothing has shown: its secret', async () => {
    await save(database, [report('payment_intent', 'pi_new', intent('pi_new'), 1, '2')], { secrets });
    await save(database, [report('invoice', 'inv_new', invoice('inv_new'), 1, '9')], { secrets });
    expect(await lanesOf('pi_new', 'inv_new')).toEqual(['inv_new report', 'pi_new report/stolen']);
  });

  it('a webhook of a record that a poll showed: as if a poll did', async () => {
    await save(database, [poll('payment_intent', intent('pi_shown'), 0)]);
    await save(database, [report('payment_intent', 'pi_shown', intent('pi_shown', { status: 'completed' }), 1, '2')]);
    expect(await lanesOf('pi_shown')).toEqual(['pi_shown poll']);
  });

  it('of the payins of a payment: the service’s own list; a list that only a webhook reports asks for none', async () => {
    await save(database, [poll('payment_intent', paidIntent('pi_l', 'in_l'), 0)]);
    const listed = [
      { id: 'in_l', status: 'confirmed' },
      { id: 'in_forged', status: 'confirmed' },
    ];
    const forged = intent('pi_l', { status: 'confirming', irregularStatus: 'pending_decision', payins: listed });
    await save(database, [report('payment_intent', 'pi_c', { ...forged, id: 'pi_c' }, 1, '2')], { secrets });
    expect(await lanesOf('in_l', 'in_forged')).toEqual(['in_l listed']);
  });

  it('of a refund that a webhook reports of an order whose goods may go out: before what else webhooks ask for', async () => {
    await save(database, readPaid('going', {}, 0));
    await save(
      database,
      [
        report('payout', 'po_going', { status: 'pending', paymentIntentId: 'going' }, 5, '2'),
        report('payout', 'po_nobody', { status: 'pending', paymentIntentId: 'nobody' }, 5, '2'),
      ],
      { secrets },
    );
    expect(await lanesOf('payout po_going', 'payout po_nobody')).toEqual([
      'payout po_going hold/stolen',
      'payout po_nobody report/stolen',
    ]);
    const due = await dueRequests(database.db, 'delivery', 9);
    expect(due.map(({ id, lane }) => `${id} ${lane}`).sort()).toEqual([
      'payout po_going hold',
      'payout po_nobody report',
    ]);
  });

  it('of what a record names: the poll that shows the link, or the webhook that says so', async () => {
    await save(database, [poll('invoice', invoice('inv_p', { paymentIntentId: 'pi_polled' }), 0)]);
    const said = invoice('inv_s', { paymentIntentId: 'pi_said' });
    await save(database, [report('invoice', 'inv_s', said, 1, '1')], { secrets });
    expect(await lanesOf('pi_polled', 'pi_said')).toEqual(['pi_polled poll', 'pi_said report/shop']);
  });
});

describe('a payin that has passed', () => {
  const until = async (id: string): Promise<number | null> => {
    const row = await database
      .db('reading_marks')
      .where({ id, lane: 'recheck' })
      .first(database.db.raw('round(extract(epoch FROM next_at - final_since) / 60) AS minutes'));
    return row === undefined ? null : Number(row.minutes);
  };
  const passed = (fields = {}) => payin('in_p', 'pi_p', { createdAt: '2026-03-01T00:50:00Z', ...fields });
  const age = (hours: number) =>
    database
      .db('reading_marks')
      .where({ id: 'in_p' })
      .update({
        final_since: database.db.raw("now() - ? * interval '1 hour'", [hours]),
      });

  it('is read again 20 minutes, 3 hours and a day after, and then no more', async () => {
    await save(database, [mention('payin', 'in_p', 0)]);
    await save(database, [poll('payin', passed(), 10)]);
    expect(await until('in_p')).toBe(20);
    await age(1);
    await save(database, [poll('payin', passed(), 20)]);
    expect(await until('in_p')).toBe(180);
    await age(4);
    await save(database, [poll('payin', passed(), 30)]);
    expect(await until('in_p')).toBe(24 * 60);
    await age(25);
    await save(database, [poll('payin', passed(), 40)]);
    expect(await lanesOf('in_p')).toEqual([]);
  });

  it('is asked for as before once it is in doubt again; rejected, no more', async () => {
    await save(database, [mention('payin', 'in_p', 50)]);
    await save(database, [poll('payin', passed(), 60)]);
    await save(database, [poll('payin', passed({ kytStatus: 'in review' }), 70)]);
    expect(await lanesOf('in_p')).toEqual(['in_p poll']);
    await save(database, [poll('payin', passed({ kytStatus: 'rejected' }), 80)]);
    expect(await lanesOf('in_p')).toEqual([]);
  });

  it.each([
    ['of no payment', { paymentIntentId: null }],
    ['that came a week ago', { createdAt: '2026-02-20T00:00:00Z' }],
    ['that matched nothing', { status: 'unmatched' }],
  ])('%s is not', async (_, fields) => {
    await save(database, [mention('payin', 'in_q', 0)]);
    await save(database, [poll('payin', { ...passed(fields), id: 'in_q' }, 10)]);
    expect(await lanesOf('in_q')).toEqual([]);
  });
});
