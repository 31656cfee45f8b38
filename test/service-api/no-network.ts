import nock from 'nock';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

/** For every test of the file: nothing goes out, and all that was scripted is asked for. The network is back after the last. */
export function withoutNetwork(): void {
  beforeAll(() => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
  });
  afterEach(() => {
    const pending = nock.pendingMocks();
    nock.cleanAll();
    expect(pending).toEqual([]);
  });
  afterAll(() => {
    nock.enableNetConnect();
    nock.restore();
  });
}
