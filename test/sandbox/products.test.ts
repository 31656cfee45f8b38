import { describe, expect, it } from 'vitest';
import { openSandbox, type TestSandbox } from './support.js';

const TEA = { name: 'Tea', amount: '5', currency: 'EUR' };

const create = (sandbox: TestSandbox, change: Record<string, unknown> = {}) =>
  sandbox.call('POST', '/sandbox/products', { ...TEA, ...change });

describe('a product', () => {
  it('gets a permanent link of its own, whatever links others chose', async () => {
    const sandbox = await openSandbox();
    const slugs: unknown[] = [(await create(sandbox, { permanentLinkSlug: 'product-2' })).body.permanentLinkSlug];
    for (let n = 0; n < 3; n += 1) slugs.push((await create(sandbox)).body.permanentLinkSlug);
    expect(new Set(slugs).size).toBe(4);
    for (const slug of slugs) expect(slug).toMatch(/^[a-z0-9-]+$/);
  });

  it.each([
    ['in a coin that its asset is not', { currency: 'BTC', assetCode: 'USDT.TRC20' }],
    ['in fiat for an asset that the market can not price', { assetCode: 'BTT.TRC20' }],
    ['in no currency', { currency: 'XYZ' }],
    ['for no asset', { assetCode: 'DOGE' }],
    ['under a link in capitals', { permanentLinkSlug: 'Tea' }],
  ])('is refused %s', async (_, change) => {
    const sandbox = await openSandbox();
    expect((await create(sandbox, change)).status).toBe(400);
  });

  it('in a coin, or bound to one, can be opened', async () => {
    const sandbox = await openSandbox();
    for (const change of [{ currency: 'BTC', assetCode: 'BTC' }, { currency: 'BTC' }, { assetCode: 'USDT.TRC20' }]) {
      const { status, body } = await create(sandbox, change);
      expect(status).toBe(201);
      expect((await sandbox.call('POST', `/sandbox/products/${body.id}/open`)).status).toBe(201);
    }
  });
});
