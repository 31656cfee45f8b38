import { describe, expect, it } from 'vitest';
import { diagnosisLines } from '../../src/cli/doctor.js';
import { type Check, finding, hint, ok, unknown } from '../../src/wiring/doctor/check.js';

const printed = (items: Check[], all = false) => diagnosisLines(items, { all });
const WELL = [
  ok('database', 'answers, both schemas are up to date'),
  ok('service', 'http://127.0.0.1:9 answers'),
  ok('secret live', 'last match a minute ago'),
  ok('receiver', 'last known to be at work a moment ago'),
  ok('payouts', 'complete until now'),
  ok('contract listInvoices.take', 'the service uses "take"'),
];

describe('what doctor says', () => {
  it('is a line for each group, where all is well', () => {
    expect(printed(WELL)).toEqual([
      '                       ok  finding  unknown',
      'installation            1        –        –',
      'service                 1        –        –',
      'secrets                 1        –        –',
      'alerts                  1        –        –',
      'what is proven          1        –        –',
      'contract                1        –        –',
      '',
      '6 checks: nothing is to be done. Each of them: tallyhook doctor --all',
    ]);
  });

  it('folds what follows from a finding beneath it, and has each alone with --all', () => {
    const away = { ...finding('service', 'no answer', 'Wait.'), follows: ['Nothing is proven: payouts'] };
    const items = [away, { ...unknown('payouts', 'follows from: no answer'), because: 'no answer' }];
    expect(printed(items).slice(4, -2)).toEqual([
      'finding   service',
      '          no answer',
      '          with it: Nothing is proven: payouts',
      '          → Wait.',
    ]);
    expect(printed(items, true)).toContain('unknown   payouts');
  });

  it('names all of which the same is said, those of the contract by their part of it', () => {
    const names = ['contract listAccounts.take', 'event id', 'retries', 'contract events.generated'];
    const lines = printed(names.map((name) => unknown(name, 'no answer')));
    expect(lines.slice(3, -2)).toEqual([
      'unknown   contract listAccounts.take, event id, retries, events.generated',
      '          no answer',
    ]);
  });

  it('is advice too, which is no finding', () => {
    const lines = printed([
      ...WELL,
      hint('registration', 'orders are registered', 'set RELEASE_REQUIRES_REGISTRATION=on'),
    ]);
    expect(lines.slice(1)).toEqual([
      'installation            2        –        –',
      'service                 1        –        –',
      'secrets                 1        –        –',
      'alerts                  1        –        –',
      'what is proven          1        –        –',
      'contract                1        –        –',
      '',
      'hint      registration',
      '          orders are registered',
      '          → set RELEASE_REQUIRES_REGISTRATION=on',
      '',
      '7 checks: nothing is to be done. Each of them: tallyhook doctor --all',
    ]);
  });

  it('is what is not well in full, with its remedy, findings first', () => {
    const lines = printed([
      unknown('key', 'no read can show'),
      ...WELL,
      finding('endpoint', 'we_1 is inactive', 'activate it in the service’s dashboard'),
      unknown('contract listInvoices.a', 'nothing to probe yet'),
      unknown('contract listInvoices.b', 'nothing to probe yet'),
      unknown('retries', 'no delivery was tried twice lately'),
    ]);
    expect(lines.slice(8)).toEqual([
      'finding   endpoint',
      '          we_1 is inactive',
      '          → activate it in the service’s dashboard',
      'unknown   key',
      '          no read can show',
      'unknown   contract listInvoices.a, listInvoices.b',
      '          nothing to probe yet',
      'unknown   retries',
      '          no delivery was tried twice lately',
      '',
      '11 checks: 1 to fix and 4 not known yet. Each of them: tallyhook doctor --all',
    ]);
  });

  it('is one finding for all that it is about, in the group of the first', () => {
    const lines = printed([
      finding('payouts, catalog', 'no run has ended yet', 'tallyhook reconcile all'),
      finding('invoices', 'the last run failed', 'tallyhook reconcile all'),
    ]);
    expect(lines.slice(1, -2)).toEqual([
      'what is proven          –        2        –',
      '',
      'finding   payouts, catalog',
      '          no run has ended yet',
      '          → tallyhook reconcile all',
      'finding   invoices',
      '          the last run failed',
      '          → tallyhook reconcile all',
    ]);
  });

  it('is everything with --all', () => {
    const text = printed(WELL, true).join('\n');
    for (const { name, found } of WELL) expect(text).toContain(`${name}\n          ${found}`);
  });
});
