import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { FoundAlert } from '../../src/domain/alerts/alerts.js';
import { alertSeverities, LONGEST_SILENCE_MS, silenceRefusal } from '../../src/domain/alerts/condition.js';
import { keepChannels } from '../../src/records/alerts/alert-channels.js';
import { decideAlert } from '../../src/records/alerts/decide-alert.js';
import { openAlerts, settleAlerts } from '../../src/records/alerts/settle-alerts.js';
import { useDatabase } from '../support/database.js';
import { sized } from '../support/sizes.js';

const database = useDatabase();
const subjects = ['a', 'b', 'c'] as const;
const HOUR_MS = 3_600_000;
/** A condition that does not hold any more is over after two minutes. */
const QUIET_MS = 120_000;

const step = fc.record({
  afterMs: fc.constantFrom(0, 60_000, QUIET_MS, HOUR_MS, 100 * HOUR_MS),
  found: fc.record(
    Object.fromEntries(subjects.map((subject) => [subject, fc.option(fc.constantFrom(...alertSeverities))])),
  ),
  decided: fc.option(
    fc.record({
      subject: fc.constantFrom(...subjects),
      decision: fc.constantFrom('acknowledge', 1, 2, 24, 168, 169),
    }),
  ),
});

const onlyOne = (b: (typeof alertSeverities)[number], afterMs: number) => {
  return { afterMs, found: { a: null, b, c: null }, decided: { subject: 'b' as const, decision: 2 } };
};

interface Open {
  severity: (typeof alertSeverities)[number];
  seenAt: number;
  silence: { until: number; severity: (typeof alertSeverities)[number] } | null;
}

const isGraver = (a: Open['severity'], b: Open['severity']) => a === 'critical' && b === 'warning';

it('a silence ends; it hides no other alert, no new one, and none that gets graver', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const trx = await database.db.transaction();
      try {
        await keepChannels(trx, ['slack']);
        const open = new Map<string, Open>();
        let now = Date.parse('2026-03-01T03:00:00Z');
        for (const { afterMs, found, decided } of steps) {
          now += afterMs;
          const expected: string[] = [];
          for (const subject of subjects) {
            const severity = found[subject] ?? null;
            const known = open.get(subject);
            if (severity === null) {
              if (known === undefined || now - known.seenAt < QUIET_MS) continue;
              const { silence } = known;
              const isSilent = silence !== null && silence.until > now;
              if (!isSilent) expected.push(`resolved ${subject}`);
              open.delete(subject);
              continue;
            }
            const silence = known?.silence ?? null;
            const isOver = silence !== null && (silence.until <= now || isGraver(severity, silence.severity));
            if (known === undefined || isOver) expected.push(`firing ${subject}`);
            open.set(subject, { severity, seenAt: now, silence: isOver ? null : silence });
          }
          const before = Number((await trx('alert_notices').max('id as id').first())?.id ?? 0);
          const given = subjects.flatMap((subject): FoundAlert[] => {
            const severity = found[subject] ?? null;
            return severity === null ? [] : [{ name: 'Any', subject, severity, summary: 's', detail: 'd' }];
          });
          await settleAlerts(trx, given, { now: new Date(now), channels: ['slack'] });
          const sent = await trx('alert_notices').where('id', '>', before).select('message');
          const said = sent.map(({ message: { type, subject } }) => `${type.slice('alert.'.length)} ${subject}`);
          expect(said.toSorted()).toEqual(expected.toSorted());
          // Whatever is silent, it is still there for whoever looks.
          const rows = await openAlerts(trx);
          expect(rows.map(({ subject }) => subject).toSorted()).toEqual([...open.keys()].toSorted());
          if (decided === null) continue;
          const { subject, decision } = decided;
          const [known, row] = [open.get(subject), rows.find((one) => one.subject === subject)];
          if (known === undefined || row === undefined) continue;
          const until = typeof decision === 'number' ? now + decision * HOUR_MS : null;
          const by = { actor: 'omar', note: 'why', now: new Date(now) };
          const result = await decideAlert(
            trx,
            row.id,
            until === null ? 'acknowledge' : { silence: new Date(until) },
            by,
          );
          const isTooLong = until !== null && until - now > LONGEST_SILENCE_MS;
          expect(result.outcome).toBe(isTooLong ? 'refused' : 'done');
          if (until !== null && !isTooLong) known.silence = { until, severity: known.severity };
        }
      } finally {
        await trx.rollback();
      }
    }),
    {
      numRuns: sized(40, 1_000),
      // Ended by how grave it got, and made again until the same time.
      examples: [[(['warning', 'critical', 'critical'] as const).map((b, n) => onlyOne(b, n < 2 ? 0 : 100 * HOUR_MS))]],
    },
  );
}, 120_000);

it('a silence ends within a week, also where a program would write it otherwise', async () => {
  const now = new Date('2026-03-01T03:00:00Z');
  const after = (ms: number) => silenceRefusal(new Date(now.getTime() + ms), now);
  expect([after(1), after(LONGEST_SILENCE_MS)]).toEqual([null, null]);
  expect([after(0), after(Number.NaN)]).toEqual(Array(2).fill('a silence ends at a time that is yet to come'));
  expect(after(LONGEST_SILENCE_MS + 1)).toBe('a silence lasts a week at most');
  const row = {
    name: 'Any',
    severity: 'critical',
    summary: 's',
    detail: 'd',
    since: now,
    seen_at: now,
    silenced_at: now,
  };
  const until = new Date(now.getTime() + LONGEST_SILENCE_MS + 1);
  await expect(database.db('alerts').insert({ ...row, silenced_until: until })).rejects.toThrow('alerts_silence_ends');
});
