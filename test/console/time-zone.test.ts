import * as fc from 'fast-check';
import request from 'supertest';
import { beforeAll, describe, expect, it } from 'vitest';
import { runKinds } from '../../src/domain/run-kinds.js';
import { momentIn, wordsIn, zoneNamed } from '../../src/domain/time-zones.js';
import { testConsole } from '../support/console.js';
import { HERE, session } from '../support/console-visit.js';
import { useDatabase } from '../support/database.js';
import { storeEvents } from '../support/events.js';
import { readAll } from '../wiring/fault-steps.js';

const zones = Intl.supportedValuesOf('timeZone');
const zone = fc.constantFrom('UTC', ...zones);
const between = (from: string, to: string) => fc.integer({ min: Date.parse(from), max: Date.parse(to) });

describe('a moment in a zone', () => {
  it('is the same moment: its day and time less its offset', () => {
    fc.assert(
      fc.property(zone, between('1975-01-01', '2100-01-01'), (name, at) => {
        const { date, clock, offset } = momentIn(name, at);
        const [, sign = '+', hours = '0', minutes = '0'] = /^UTC(?:([+-])(\d+)(?::(\d\d))?)?$/.exec(offset) ?? [
          '',
          '?',
        ];
        const away = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
        expect(Date.parse(`${date}T${clock}Z`) - away).toBe(Math.floor(at / 1_000) * 1_000);
      }),
    );
  });

  it.each([
    ['Europe/Berlin', '2026-07-01T22:30:00Z', '2026-07-02 00:30:00 UTC+2'],
    ['Asia/Kathmandu', '2026-07-01T22:30:00Z', '2026-07-02 04:15:00 UTC+5:45'],
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01 01:30:00 UTC-4'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01 01:30:00 UTC-5'],
    ['UTC', '2026-11-01T00:00:00Z', '2026-11-01 00:00:00 UTC'],
  ])('%s at %s is %s', (name, at, shown) => {
    const { date, clock, offset } = momentIn(name, Date.parse(at));
    expect(`${date} ${clock} ${offset}`).toBe(shown);
  });

  it('within a sentence is the same moment, and what is no time stays as it is', () => {
    fc.assert(
      fc.property(zone, between('1975-01-01', '2100-01-01'), (name, ms) => {
        const at = Math.floor(ms / 60_000) * 60_000;
        const said = `since ${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC: why`;
        const { date, clock, offset } = momentIn(name, at);
        expect(wordsIn(name, said)).toBe(`since ${date} ${clock.slice(0, 5)} ${offset}: why`);
      }),
    );
    const said = '2026-07-01 22:30:09 UTC, 2026-07-01, 2026-99-01 22:30 UTC, 2026-07-01 22:30 UTC+2';
    expect(wordsIn('Europe/Berlin', said)).toBe(said.replace('2026-07-01 22:30:09 UTC', '2026-07-02 00:30:09 UTC+2'));
  });

  it('a zone is known by its name, however it is written, and by a city that only one has', () => {
    for (const name of zones) expect(zoneNamed(` ${name.toLowerCase().replaceAll('_', ' ')}`)).toBe(name);
    expect(zoneNamed('new york')).toBe('America/New_York');
    for (const none of ['Berlin/Europe', '+05:30', 'a;b', 'é', '../etc']) expect(zoneNamed(none)).toBeNull();
  });
});

describe('the console in a zone of choice', () => {
  const store = useDatabase();
  const START = Date.parse('2026-03-28T00:00:00Z');
  const HOUR = 3_600_000;
  let browser: Awaited<ReturnType<typeof session>>;
  const app = () => testConsole(store.db).app;

  // Each hour of four days, one of which has 23 hours in Berlin, and ten minutes more.
  beforeAll(async () => {
    const events = Array.from({ length: 96 }, (_, n) => ({
      event: 'payout.confirmed',
      timestamp: n,
      data: { id: `po_${n}` },
    }));
    await storeEvents(store.db, events);
    await store.db.raw(
      `UPDATE inbox SET received_at = ?::timestamptz + (id - (SELECT min(id) FROM inbox)) * interval '1 hour 10 minutes'`,
      [new Date(START)],
    );
    browser = await session(app(), 'viewer');
  });

  const get = (path: string, chosen: string) =>
    request(app()).get(path).set('Cookie', `${browser.cookie}; tallyhook_zone=${chosen}`).expect(200);
  const timesOf = (html: string) => [...html.matchAll(/<time datetime="([^"]+)"/g)].map(([, at]) => at ?? '');

  it('reads days in it, alike in the file, whose times stay UTC; all times say where they are', async () => {
    const all = (await store.db('inbox').orderBy('id', 'desc').pluck('received_at')) as Date[];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Kiritimati', 'America/St_Johns'),
        fc.nat(4),
        async (name, n) => {
          const day = new Date(START + n * 24 * HOUR).toISOString().slice(0, 10);
          const own = all.filter((at) => momentIn(name, at.getTime()).date === day).map((at) => at.toISOString());
          const { text } = await get(`/events?from=${day}&to=${day}`, name);
          expect(timesOf(text.replace(/^[^]*<main/, ''))).toEqual(own);
          for (const [, shown] of text.matchAll(/<time [^>]*>([^]*?)<\/time>/g)) expect(shown).toMatch(/UTC/);
          for (const at of own) {
            const { date, clock, offset } = momentIn(name, Date.parse(at));
            expect(text.replaceAll(/<[^>]*>/g, '')).toContain(`${date} ${clock} ${offset}`);
          }
          const csv = await get(`/csv/events?from=${day}&to=${day}`, name);
          expect([...csv.text.matchAll(/[\d-]{10}T[\d:.]+Z/g)].map(([at]) => at)).toEqual(own);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('is that of times within sentences too: of the status line, and of the page', async () => {
    await readAll(store.db, 5);
    const { app: named } = testConsole(store.db, { runKinds, runEverySeconds: { payouts: 300 } });
    const page = async (chosen: string) =>
      (await request(named).get('/').set('Cookie', `${browser.cookie}; tallyhook_zone=${chosen}`).expect(200)).text;
    const until = /proven at (\d{4}-\d\d-\d\d \d\d:\d\d) UTC/.exec(await page('UTC'))?.[1] ?? '';
    const { date, clock, offset } = momentIn('Asia/Kathmandu', Date.parse(`${until.replace(' ', 'T')}Z`));
    const shown = (await page('Asia/Kathmandu')).split(`proven at ${date} ${clock.slice(0, 5)} ${offset}`);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.join('')).not.toContain(`${until} UTC`);
  });

  it('is chosen by name or city, says so, and refuses what is none', async () => {
    const choose = (given: string) => browser.post('/zone', { zone: given, _back: '/events' });
    const chosen = await choose('berlin').expect(303);
    expect(String(chosen.get('set-cookie'))).toContain('tallyhook_zone=Europe/Berlin;');
    expect(chosen.get('location')).toBe('/events');
    const { text } = await get('/events', 'Europe/Berlin');
    expect(text).toContain('Times: Europe/Berlin');
    expect(text).toContain('From, Europe/Berlin');
    for (const none of ['Mars/Olympus', 'x\r\nSet-Cookie: a=b']) {
      const refused = await choose(none).expect(400);
      expect(refused.get('set-cookie')).toBeUndefined();
    }
    // Who puts anything else into the cookie reads UTC.
    expect((await get('/events', 'Mars/Olympus')).text).toContain('Times: UTC');
    await request(app())
      .post('/zone')
      .set({ ...HERE, Origin: 'https://elsewhere.example' })
      .type('form')
      .send({ zone: 'Europe/Berlin' })
      .expect(403);
  });
});
