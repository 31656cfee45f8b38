import { describe, expect, it } from 'vitest';
import { lastAccepted, retiredLast } from '../../src/domain/deliveries/last-secret.js';

describe('the last secret', () => {
  const secret = (label: string, day: number | null) => ({
    label,
    retiredAt: day === null ? null : `2026-01-0${day}T00:00:00Z`,
  });

  it('is the one beside which no other is accepted', () => {
    const all = [secret('a', null), secret('b', 1)];
    expect(lastAccepted('a', all)).toBe(
      'NO WEBHOOK IS ACCEPTED without "a": it is the last secret that is not retired. Put another secret into WEBHOOK_SECRETS_FILE (with WEBHOOK_SECRETS, restart the receivers); or take it back: tallyhook secrets restore a',
    );
    expect(lastAccepted('a', [...all, secret('c', null)])).toBeNull();
    expect(lastAccepted('b', all)).toBeNull();
  });

  it('is the one that was retired last, once none is accepted', () => {
    expect(retiredLast([secret('a', 2), secret('b', 3), secret('c', 1)])).toBe('b');
    expect(retiredLast([secret('a', 3), secret('b', null)])).toBeNull();
    expect(retiredLast([])).toBeNull();
  });
});
