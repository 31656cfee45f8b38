import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/log.js';
import { fileSecrets, type SecretSource, staticSecrets, withoutRetired } from '../../src/webhook/secret-source.js';

let said: { level: number; msg: string; labels?: string[]; reason?: string }[];
const log = createLog('info', { write: (line) => void said.push(JSON.parse(line)) });
beforeEach(() => {
  said = [];
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

describe('a file of secrets', () => {
  let file: string;
  beforeEach(() => {
    file = path.join(mkdtempSync(path.join(tmpdir(), 'tallyhook-secrets-')), 'secrets');
    writeFileSync(file, 'first');
  });
  afterEach(() => rmSync(path.dirname(file), { recursive: true }));

  /** Of one label; "wrong" is refused. */
  const read = vi.fn((name: string) => {
    const label = readFileSync(name, 'utf8');
    if (label === 'wrong') throw new Error('not a list of secrets');
    return [{ label, secret: `whsec_${label}` }];
  });
  const open = (pollMs?: number) => {
    read.mockClear();
    const source = fileSecrets(file, { log, read, ...(pollMs !== undefined && { pollMs }) });
    return { source, label: () => source.current()[0]?.label };
  };

  test('is checked every two seconds, and read again only where it changed', () => {
    const { source } = open();
    vi.advanceTimersByTime(60_000);
    expect(read).toHaveBeenCalledTimes(1);
    writeFileSync(file, 'second');
    vi.advanceTimersByTime(1_999);
    expect(source.current()).toEqual([{ label: 'first', secret: 'whsec_first' }]);
    vi.advanceTimersByTime(1);
    expect(source.current()).toEqual([{ label: 'second', secret: 'whsec_second' }]);
    vi.advanceTimersByTime(60_000);
    expect(read).toHaveBeenCalledTimes(2);
    expect(said).toMatchObject([{ msg: 'webhook secrets reloaded', labels: ['second'] }]);
    source.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    ['written anew', (text: string) => writeFileSync(file, text)],
    [
      'replaced by one of the same length',
      (text: string) => {
        writeFileSync(`${file}.new`, text);
        renameSync(`${file}.new`, file);
      },
    ],
  ])('a change is seen when it is %s', (_, change) => {
    const { source, label } = open(20);
    for (const text of ['third', 'other', 'one more']) {
      change(text);
      vi.advanceTimersByTime(20);
      expect(label()).toBe(text);
    }
    source.close();
  });

  test('while it is wrong or missing the secrets of before stay in force, and the reason is said once', () => {
    const { source, label } = open(20);
    writeFileSync(file, 'wrong');
    vi.advanceTimersByTime(100);
    expect(said).toMatchObject([
      {
        level: 50,
        reason: 'not a list of secrets',
        msg: 'webhook secrets not reloaded',
      },
    ]);
    rmSync(file);
    vi.advanceTimersByTime(100);
    expect(said).toHaveLength(2);
    expect(label()).toBe('first');
    writeFileSync(file, 'second');
    vi.advanceTimersByTime(20);
    expect(label()).toBe('second');
    source.close();
  });

  test('the reason is said whatever was thrown', () => {
    const { source } = open(20);
    read.mockImplementationOnce(() => {
      // oxlint-disable-next-line typescript/only-throw-error
      throw 'no error by its type';
    });
    process.emit('SIGHUP');
    expect(said).toMatchObject([{ reason: 'no error by its type' }]);
    source.close();
  });

  test('is read again on SIGHUP, which changes nothing once it is closed', () => {
    const listeners = process.listenerCount('SIGHUP');
    const { source, label } = open();
    process.emit('SIGHUP');
    expect([read.mock.calls.length, said]).toEqual([2, []]);
    writeFileSync(file, 'second');
    process.emit('SIGHUP');
    expect(label()).toBe('second');
    source.close();
    expect(process.listenerCount('SIGHUP')).toBe(listeners);
  });

  test('must be right the first time', () => {
    writeFileSync(file, 'wrong');
    expect(() => open(20)).toThrow('not a list of secrets');
    expect(vi.getTimerCount()).toBe(0);
  });

  test('keeps no process running', () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo();
    const { source } = open();
    expect(process.getActiveResourcesInfo()).toEqual(before);
    source.close();
  });
});

describe('without the retired', () => {
  const secrets = ['a', 'b', 'c'].map((label) => ({ label, secret: `whsec_${label}` }));
  const labels = (source: SecretSource) => source.current().map(({ label }) => label);

  test('a label is refused from the start, or within four seconds, and accepted again when that is taken back', async () => {
    const retired = vi.fn(async () => ['a']);
    const source = await withoutRetired(staticSecrets(secrets), { retired, log });
    expect(labels(source)).toEqual(['b', 'c']);
    retired.mockResolvedValue(['b', 'c']);
    await vi.advanceTimersByTimeAsync(3_999);
    expect(labels(source)).toEqual(['b', 'c']);
    await vi.advanceTimersByTimeAsync(1);
    expect(labels(source)).toEqual(['a']);
    retired.mockResolvedValue([]);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(labels(source)).toEqual(['a', 'b', 'c']);
    source.close();
  });

  test('while the database cannot be asked the last answer holds, and so it is asked on', async () => {
    const retired = vi.fn(async () => ['a']);
    const source = await withoutRetired(staticSecrets(secrets), { retired, log, pollMs: 20 });
    retired.mockRejectedValue(new Error('no connection'));
    await vi.advanceTimersByTimeAsync(60);
    expect(labels(source)).toEqual(['b', 'c']);
    expect(said).toMatchObject([{ level: 40, msg: 'retired secrets not read' }]);
    retired.mockResolvedValue(['b']);
    await vi.advanceTimersByTimeAsync(20);
    expect(labels(source)).toEqual(['a', 'c']);
    source.close();
  });

  test('a database that cannot be asked at the start refuses nobody', async () => {
    const source = await withoutRetired(staticSecrets(secrets), { retired: () => Promise.reject(new Error()), log });
    expect(labels(source)).toEqual(['a', 'b', 'c']);
    source.close();
  });

  test('a slow answer is waited for before the next question', async () => {
    const retired = vi.fn(async (): Promise<string[]> => []);
    const source = await withoutRetired(staticSecrets(secrets), { retired, log, pollMs: 20 });
    retired.mockReturnValue(new Promise((resolve) => setTimeout(resolve, 1_000, ['b'])));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(retired).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(20);
    expect(labels(source)).toEqual(['a', 'c']);
    expect(retired).toHaveBeenCalledTimes(3);
    source.close();
  });

  test('follows what it stands before, makes its list only where something changed, and closes it with itself', async () => {
    let configured = secrets;
    const close = vi.fn();
    const inner = { current: () => configured, close };
    const source = await withoutRetired(inner, { retired: async () => ['a'], log });
    const first = source.current();
    expect(source.current()).toBe(first);
    configured = secrets.slice(0, 2);
    expect(labels(source)).toEqual(['b']);
    source.close();
    expect([close.mock.calls.length, vi.getTimerCount()]).toEqual([1, 0]);
  });

  test('keeps no process running', async () => {
    vi.useRealTimers();
    const before = process.getActiveResourcesInfo();
    const source = await withoutRetired(staticSecrets(secrets), { retired: async () => [], log });
    expect(process.getActiveResourcesInfo()).toEqual(before);
    source.close();
  });
});
