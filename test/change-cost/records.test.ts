import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { LosslessNumber } from 'lossless-json';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { RecordKind } from '../../src/domain/records.js';
import { useFolder } from '../support/folder.js';

const folder = useFolder();

/** A copy of the compiled program in which one or more files were changed. */
async function programWith(changes: Readonly<Record<string, (text: string) => string>>): Promise<Program> {
  const root = path.join(folder, String(Object.keys(changes).length));
  await cp(inject('program'), root, { recursive: true });
  for (const [file, change] of Object.entries(changes)) {
    const at = path.join(root, file);
    const before = await readFile(at, 'utf8').catch(() => '');
    const after = change(before);
    if (after === before) throw new Error(`${file} is as it was`);
    await writeFile(at, after);
  }
  const load = createRequire(path.join(root, 'index.js'));
  return (file) => load(path.join(root, file));
}
/** The modules that are read. */
interface Modules {
  'console/api/serve-document.js': typeof import('../../src/console/api/serve-document.js');
  'console/view/field-value.js': typeof import('../../src/console/view/field-value.js');
  'console/pages/pages.js': typeof import('../../src/console/pages/pages.js');
  'console/records/sheet.js': typeof import('../../src/console/records/sheet.js');
  'console/view/links.js': typeof import('../../src/console/view/links.js');
  'domain/family/states.js': typeof import('../../src/domain/family/states.js');
  'domain/personal.js': typeof import('../../src/domain/personal.js');
  'domain/records.js': typeof import('../../src/domain/records.js');
  'records/record-columns.js': typeof import('../../src/records/record-columns.js');
  'service-api/answer-records.js': typeof import('../../src/service-api/answer-records.js');
  'webhook/find-records.js': typeof import('../../src/webhook/find-records.js');
}
type Program = <F extends keyof Modules>(file: F) => Modules[F];

beforeAll(async () => {
  for (const name of ['node_modules', 'package.json'])
    await symlink(path.resolve(import.meta.dirname, '../..', name), path.join(folder, name));
});

describe('a field of a payment is added in one file', () => {
  let program: Program;
  beforeAll(async () => {
    program = await programWith({
      'domain/kinds/payment-intent.js': (text) =>
        text.replace(
          "...group('Amounts', {",
          "...group('Amounts', { tip: { type: 'amount', about: 'What was given.', label: 'Tip' }, nickname: { type: 'text', personal: true },",
        ),
    });
  });

  it('the read API documents it', () => {
    const { apiDocument } = program('console/api/serve-document.js');
    const { tip, nickname } = apiDocument().components.schemas['PaymentIntent']?.properties ?? {};
    expect(tip).toMatchObject({ description: 'What was given.' });
    expect(JSON.stringify(tip)).toContain('#/components/schemas/Amount');
    expect(nickname).toBeDefined();
  });

  it('the client refuses a number in its place, and keeps a text', () => {
    const { paymentIntent } = program('service-api/answer-records.js');
    const given = (tip: unknown) => paymentIntent.safeParse({ id: 'pi_1', tip }).success;
    expect([given('1.50'), given(new LosslessNumber('1.5')), given(null), given(undefined)]).toEqual([
      true,
      false,
      true,
      true,
    ]);
  });

  it('what is saved is checked: a number is a breach of the contract', () => {
    const { amountViolations } = program('domain/records.js');
    expect(amountViolations('payment_intent', { tip: new LosslessNumber('1.5') })).toEqual([
      { path: '/tip', given: 'the number 1.5' },
    ]);
  });

  it('its page shows it among the amounts, with its label and unit', () => {
    const { sheetOf } = program('console/records/sheet.js');
    const { fieldLabel, fieldValue } = program('console/view/field-value.js');
    expect(sheetOf('payment_intent')?.groups[0]).toMatchObject({
      title: 'Amounts',
      fields: expect.arrayContaining(['tip']),
    });
    expect(fieldLabel('payment_intent', 'tip')).toBe('Tip');
    expect(JSON.stringify(fieldValue('payment_intent', { tip: '1.5', assetCode: 'BTC' }, 'tip'))).toContain('BTC');
  });

  it('what says who somebody is, viewers do not see, and retention masks', () => {
    const { hideEvidence, hidePeople, maskEvidence, maskPersonal, MASK } = program('domain/personal.js');
    const fields = { id: 'pi_1', nickname: 'Annie' };
    expect([hidePeople('payment_intent', fields), maskPersonal('payment_intent', fields)]).toEqual([
      { id: 'pi_1', nickname: MASK },
      { id: 'pi_1', nickname: MASK },
    ]);
    const evidence = { ours: { nickname: 'Annie' } };
    expect([hideEvidence(evidence), maskEvidence(evidence, 'payment_intent')]).toEqual([
      { ours: { nickname: MASK } },
      { ours: { nickname: MASK } },
    ]);
  });
});

const VOUCHER = `import { defineKind, group } from './kind.js';
export const voucher = defineKind({
  section: '2.15', about: 'A voucher.', idExample: 'v_1', names: ['giftVoucher'],
  eventPrefix: 'voucher', vanishing: 'break', href: '/vouchers',
  fields: {
    status: { type: 'state', column: true, states: { open: { rank: 0, is: 'active' }, used: { rank: 1, is: 'final' } } },
    ...group('Amounts', { value: { type: 'amount', column: true } }),
    paymentIntentId: { type: 'text', link: 'payment_intent', column: true },
  },
  api: { group: 'Payments', one: 'voucher', many: 'vouchers' },
  page: { title: 'Vouchers', one: 'voucher', group: 'Records', intro: '', empty: '', filters: ['status'], columns: ['value'], related: [] },
});`;

/** The compiler does not know it. */
const kind = 'voucher' as RecordKind;

describe('a kind of record is added by its definition and its name in the table', () => {
  let program: Program;
  beforeAll(async () => {
    program = await programWith({
      'domain/kinds/voucher.js': () => VOUCHER,
      'domain/kinds/kind.js': (text) => text.replace("'asset',", "'asset', 'voucher',"),
      'domain/kinds/kinds.js': (text) =>
        `import { voucher } from './voucher.js';\n${text.replace(/definitions = \{/, 'definitions = { voucher,')}`,
    });
  });

  it('the read API lists, filters and documents it', () => {
    const { apiDocument } = program('console/api/serve-document.js');
    const filters = apiDocument().paths['/vouchers']?.get?.parameters.map(({ name }) => name);
    expect(filters).toEqual(expect.arrayContaining(['status', 'paymentIntentId', 'verified']));
    expect(apiDocument().paths).toHaveProperty(['/vouchers/{id}']);
    expect(apiDocument().components.schemas['Voucher']?.properties).toHaveProperty('value');
    expect(apiDocument().components.schemas['Entity']?.properties?.['kind']?.enum).toContain('voucher');
  });

  it('the console has its two pages, and every link to one leads there', () => {
    const { pages } = program('console/pages/pages.js');
    const { entityHref } = program('console/view/links.js');
    expect(pages.map(({ path: at }) => at)).toEqual(expect.arrayContaining(['/vouchers', '/vouchers/:id']));
    expect(entityHref(kind, 'v_1')).toBe('/vouchers/v_1');
  });

  it('events about it are understood, under each of its names', () => {
    const { eventKind, eventLabel } = program('webhook/find-records.js');
    const { recordNames } = program('domain/records.js');
    expect(eventKind('voucher.used')).toMatchObject({ kind: 'voucher', suffix: 'used' });
    expect(eventLabel('voucher.used')).toBe('voucher.used');
    expect(recordNames[kind]).toEqual({
      wrappers: ['giftVoucher', 'gift_voucher'],
      ids: ['giftVoucherId', 'gift_voucher_id'],
    });
  });

  it('saving knows its table, its columns and its states', () => {
    const { recordTables, writtenColumns } = program('records/record-columns.js');
    const { recordRules } = program('domain/records.js');
    const { isFinal } = program('domain/family/states.js');
    const columns = writtenColumns(kind).map(({ name }) => name);
    expect(recordTables[kind]).toBe('vouchers');
    expect(columns).toEqual(expect.arrayContaining(['status', 'value', 'payment_intent_id', 'created_at']));
    expect([...recordRules[kind].main.ranks]).toEqual([
      ['open', 0],
      ['used', 1],
    ]);
    expect([isFinal(kind, 'open'), isFinal(kind, 'used')]).toEqual([false, true]);
  });
});
