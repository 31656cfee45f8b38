import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findAlerts } from '../../src/domain/alerts/alerts.js';
import {
  acceptAgain,
  lastAccepted,
  noSuchSecret,
  retiredLast,
  type SecretsFrom,
} from '../../src/domain/deliveries/last-secret.js';
import { facts } from './random-facts.js';

describe('the last secret', () => {
  const secret = (label: string, day: number | null) => ({
    label,
    retiredAt: day === null ? null : `2026-01-0${day}T00:00:00Z`,
  });

  it('is the one beside which no other is accepted', () => {
    const all = [secret('a', null), secret('b', 1)];
    expect(lastAccepted('a', all, null)).toBe(
      'NO WEBHOOK IS ACCEPTED without "a": it is the last secret that is not retired. Put another secret into WEBHOOK_SECRETS_FILE (with WEBHOOK_SECRETS, restart the receivers); or take it back: tallyhook secrets restore a',
    );
    expect(lastAccepted('a', [...all, secret('c', null)], null)).toBeNull();
    expect(lastAccepted('b', all, null)).toBeNull();
  });

  it('is the one that was retired last, once none is accepted', () => {
    expect(retiredLast([secret('a', 2), secret('b', 3), secret('c', 1)])).toBe('b');
    expect(retiredLast([secret('a', 3), secret('b', null)])).toBeNull();
    expect(retiredLast([])).toBeNull();
  });
});

describe('where secrets are', () => {
  const settings = ['WEBHOOK_SECRETS', 'WEBHOOK_SECRETS_FILE'] as const;
  const named = (text: string) => new Set(text.match(/\bWEBHOOK_SECRETS(_FILE)?\b/g));

  it.each<SecretsFrom>([...settings, null])('is named as it is, and nothing else: %s', (from) => {
    const expected = new Set(from === null ? settings : [from]);
    const said = [acceptAgain('a', from), lastAccepted('a', [], from) ?? '', noSuchSecret('a', from)];
    for (const text of said) expect([text, named(text)]).toEqual([text, expected]);
    fc.assert(
      fc.property(facts, (given) => {
        for (const { name, remedy } of findAlerts({ ...given, noSecretAccepted: true, secretsFrom: from }))
          if (/Put .* into/.test(remedy ?? '')) expect([name, named(remedy ?? '')]).toEqual([name, expected]);
      }),
    );
  });
});
