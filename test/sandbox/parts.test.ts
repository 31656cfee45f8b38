import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createClock } from '../../src/sandbox/base/clock.js';
import { createIdCodec } from '../../src/sandbox/base/ids.js';
import { jsonMember } from '../../src/sandbox/base/json-member.js';
import { amountOf, formatAmount, parseAmount, roundDown, roundUp } from '../../src/sandbox/base/money.js';
import { startTraffic } from '../../src/sandbox/traffic.js';
import { openSandbox } from './support.js';

describe('the clock', () => {
  it('runs tasks in order of their time, those too that tasks add, and never goes back', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 60 }), (delays) => {
        let real = 1_000_000;
        const clock = createClock(() => real);
        const ran: number[] = [];
        for (const delay of delays) {
          clock.at(clock.now() + delay, () => {
            ran.push(delay);
            clock.at(1_000_000 + delay, () => ran.push(delay));
          });
        }
        real -= 500;
        expect(clock.now()).toBe(1_000_000);
        real += 500;
        clock.advance(1);
        clock.close();
        expect(ran).toEqual(delays.flatMap((delay) => [delay, delay]).sort((a, b) => a - b));
      }),
    );
  });

  it('runs tasks in real time too', async () => {
    const clock = createClock();
    const task = vi.fn<() => void>();
    clock.at(clock.now() + 20, task);
    await vi.waitFor(() => expect(task).toHaveBeenCalledOnce());
    clock.close();
  });
});

describe('ids', () => {
  it('can be read back by their own codec only', () => {
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), fc.integer(), (n, seed) => {
        const codec = createIdCodec(seed, 'pi');
        expect(codec.decode(codec.encode(n))).toBe(n);
        expect(createIdCodec(seed + 1, 'pi').decode(codec.encode(n))).toBeNull();
        expect(createIdCodec(seed, 'po').decode(codec.encode(n))).toBeNull();
      }),
    );
  });
});

describe('amounts', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 36n - 1n });

  it('survive being written and read', () => {
    fc.assert(
      fc.property(amount, (value) => {
        expect(parseAmount(formatAmount(value))).toBe(value);
        expect(amountOf(formatAmount(value))).toBe(value);
      }),
    );
  });

  it('are rounded to the asset, never by a whole unit', () => {
    fc.assert(
      fc.property(amount, fc.integer({ min: 0, max: 18 }), (value, decimals) => {
        const unit = 10n ** BigInt(18 - decimals);
        const [down, up] = [roundDown(value, decimals), roundUp(value, decimals)];
        expect([down % unit, up % unit]).toEqual([0n, 0n]);
        expect(down <= value && value <= up && up - down <= unit).toBe(true);
      }),
    );
  });
});

describe('jsonMember', () => {
  it('finds the text of a member in any JSON object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.jsonValue(),
        fc.constantFrom(0, 1, 4),
        (others, value, indent) => {
          const text = JSON.stringify({ ...others, metadata: value, after: 1 }, null, indent);
          expect(JSON.parse(jsonMember(text, 'metadata') ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
          expect(jsonMember(text, 'no such member')).toBeNull();
        },
      ),
    );
  });

  it('takes the last of equal names, as JSON.parse does', () => {
    expect(jsonMember('{"a":1,"\\u0061" : [2, "}"] }', 'a')).toBe('[2, "}"]');
  });
});

describe('traffic', () => {
  it('creates orders at its pace and has them paid, until it is stopped', async () => {
    const sandbox = await openSandbox();
    const traffic = startTraffic(sandbox, { paymentsPerSecond: 200, seed: 2 });
    await vi.waitFor(async () => expect((await sandbox.list('status=completed')).length).toBeGreaterThan(0), {
      timeout: 5000,
    });
    traffic.stop();
    const created = traffic.created();
    const [newest] = await sandbox.list('take=1');
    expect(newest?.merchantReference).toMatch(/^order-\d{6}$/);
    for (let n = 0; n < 10; n += 1) await sandbox.list('take=100');
    expect(traffic.created()).toBe(created);
  });
});
