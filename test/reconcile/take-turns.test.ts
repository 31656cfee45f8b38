import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ServiceReader } from '../../src/reconcile/service-reader.js';
import { createCallShare, takeTurns } from '../../src/reconcile/take-turns.js';
import { isOfReports, type RefreshLane } from '../../src/records/runs/refresh-requests.js';
import { sized } from '../support/sizes.js';

interface Request {
  id: number;
  lane: RefreshLane;
  secret: string;
}

const answer = { data: null, from: 0, to: 0 };
const service: ServiceReader = { serviceNow: () => 0, reply: async () => answer };
const secrets = ['', 'a', 'b', 'c'] as const;
const anyLane = fc.constantFrom<RefreshLane>('listed', 'poll', 'crowded', 'hold', 'report', 'recheck');
const anyRequest = fc.record({ lane: anyLane, secret: fc.constantFrom(...secrets) });

/** What comes to be due before each round, and how long the round before it took to come (ms). */
const anyRounds = fc.array(fc.record({ come: fc.array(anyRequest, { maxLength: 12 }), pause: fc.nat(300) }), {
  minLength: 1,
  maxLength: 40,
});

/** Reads whatever is due, round by round, as the reader of payins does; each call takes 200 ms. */
async function readAll(rounds: { come: Omit<Request, 'id'>[]; pause: number }[]) {
  let now = 0;
  let id = 0;
  const share = createCallShare(service, () => now);
  const rotation = { last: '' };
  let due: Request[] = [];
  const read: { request: Request; othersWaited: boolean; secretsWaited: Set<string> }[] = [];
  for (const { come, pause } of rounds) {
    now += pause;
    for (const one of come) due.push({ ...one, secret: isOfReports(one) ? one.secret : '', id: (id += 1) });
    const turns = takeTurns(due, share, rotation);
    for (let calls = 0; calls < 10; calls += 1) {
      const request = turns.next();
      if (request === null) break;
      read.push({
        request,
        othersWaited: due.some((one) => !isOfReports(one)),
        secretsWaited: new Set(due.flatMap((one) => (isOfReports(one) ? [one.secret] : []))),
      });
      due = due.filter((one) => one.id !== request.id);
      await (isOfReports(request) ? share.reports : share.others).reply('getPayin', {});
      now += 200;
    }
  }
  return { read, due, share, advance: (ms: number) => void (now += ms) };
}

describe('what is read first', () => {
  it('reports take no more than a quarter of the calls while anything else waits', () =>
    fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        const { read } = await readAll(rounds);
        let others = 0;
        let beside = 0;
        let tooMany = false;
        for (const { request, othersWaited } of read) {
          if (!isOfReports(request)) others += 1;
          else if (othersWaited) beside += 1;
          tooMany ||= 3 * beside > others;
        }
        expect(tooMany).toBe(false);
      }),
      { numRuns: sized(200, 5_000) },
    ));

  it('each secret has its turn: between two reports of one, each other that waited was served', () =>
    fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        const reports = (await readAll(rounds)).read.filter(({ request }) => isOfReports(request));
        reports.forEach(({ request: { secret }, secretsWaited }, index) => {
          const before = reports.slice(0, index).findLastIndex(({ request }) => request.secret === secret);
          if (before < 0) return;
          const between = new Set(reports.slice(before + 1, index).map(({ request }) => request.secret));
          const waited = [...secretsWaited].filter((one) => reports[before]?.secretsWaited.has(one) && one !== secret);
          for (const other of waited) expect(between).toContain(other);
        });
      }),
      { numRuns: sized(200, 5_000) },
    ));

  it('what payments list goes before what polls ask for, that before a crowd, and all before what has passed', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { maxLength: 10 }), async (come) => {
        const { read } = await readAll([{ come, pause: 0 }]);
        const lanes = read
          .map(({ request }) => request)
          .filter((one) => !isOfReports(one))
          .map(({ lane }) => lane);
        const order: RefreshLane[] = ['listed', 'poll', 'crowded', 'recheck'];
        expect(lanes).toEqual(lanes.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)));
      }),
    ));

  it('of what one secret asked for, what concerns an order whose goods may go out goes first', () =>
    fc.assert(
      fc.asyncProperty(fc.array(anyRequest, { maxLength: 12 }), async (come) => {
        const { read } = await readAll([{ come, pause: 0 }]);
        for (const secret of secrets) {
          const lanes = read.flatMap(({ request }) =>
            isOfReports(request) && request.secret === secret ? [request.lane] : [],
          );
          expect(lanes).toEqual(lanes.toSorted());
        }
      }),
    ));

  it('nothing starves: once nothing more comes, everything is read', () =>
    fc.assert(
      fc.asyncProperty(anyRounds, async (rounds) => {
        const rest = Array.from({ length: 80 }, () => ({ come: [], pause: 1_000 }));
        expect((await readAll([...rounds, ...rest])).due).toEqual([]);
      }),
    ));

  it('a report is served within four calls of the others, however many of them wait', async () => {
    const polls = Array.from({ length: 30 }, () => ({ lane: 'poll' as const, secret: '' }));
    const report = { lane: 'report' as const, secret: 'a' };
    const { read } = await readAll([{ come: [...polls, report], pause: 0 }]);
    expect(read.findIndex(({ request }) => request.lane === 'report')).toBe(3);
  });
});
