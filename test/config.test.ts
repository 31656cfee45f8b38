import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { variables } from '../src/config/variables.js';
import { loadConfig, type VariableName } from '../src/config.js';
import { ConfigError } from '../src/errors.js';
import { runEverySeconds } from '../src/wiring/crons.js';
import { useFolder } from './support/folder.js';

const dir = useFolder();

const load = <N extends VariableName>(needs: N[], env: Record<string, string>) => loadConfig(needs, { env });

const file = async (text: string): Promise<string> => {
  const name = path.join(dir, `${Math.random()}`);
  await writeFile(name, text);
  return name;
};

function refusal(env: Record<string, string>, needs: VariableName[] = []): string {
  try {
    load(needs, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('nothing was refused');
}

test('nothing set: the documented defaults', () => {
  expect(load([], {})).toMatchObject({
    PORT: 8080,
    HOST: '0.0.0.0',
    CONSOLE_PORT: 8081,
    CONSOLE_HOST: '127.0.0.1',
    WEBHOOK_PATH: '/webhooks',
    WEBHOOK_BODY_LIMIT: 1_048_576,
    WEBHOOK_TOLERANCE_SECONDS: 300,
    WEBHOOK_FUTURE_TOLERANCE_SECONDS: 60,
    EVENT_ID_POINTER: 'auto',
    SERVICE_RATE: 5,
    MISSED_GRACE_SECONDS: 900,
    LOG_LEVEL: 'info',
  });
});

test('keys outlive bodies: fewer days for them are refused, with both names and what was given', () => {
  const refused = refusal({ RETENTION_KEY_DAYS: '30', RETENTION_BODY_DAYS: '60' });
  expect(refused).toContain(
    'RETENTION_KEY_DAYS\n    given 30, while RETENTION_BODY_DAYS is 60; accepted are as many days',
  );
  expect(refusal({ RETENTION_KEY_DAYS: '89' })).toContain('given 89, while RETENTION_BODY_DAYS is 90');
  expect(refusal({ RETENTION_BODY_DAYS: '401' })).toContain('given 400, while RETENTION_BODY_DAYS is 401');
  expect(load([], { RETENTION_KEY_DAYS: '90' })).toMatchObject({ RETENTION_KEY_DAYS: 90, RETENTION_BODY_DAYS: 90 });
  expect(refusal({ RETENTION_KEY_DAYS: 'x', RETENTION_BODY_DAYS: '60' })).not.toContain('while RETENTION_BODY_DAYS');
});

test('all that is missing is listed at once, each with where to get it', () => {
  const message = refusal({}, ['SERVICE_BASE_URL', 'SERVICE_API_KEY', 'WEBHOOK_SECRETS', 'CONSOLE_TOKENS']);
  for (const name of ['SERVICE_BASE_URL', 'SERVICE_API_KEY', 'WEBHOOK_SECRETS', 'CONSOLE_TOKENS']) {
    expect(message).toMatch(new RegExp(`${name}\n    missing; .+\n    from: `));
  }
  expect(message).toContain('; .env.example lists all. Secrets');
  expect(message).toContain('npx tallyhook demo');
});

test('all that is wrong is listed at once: name, what was given, what is accepted', () => {
  const message = refusal({ PORT: 'http', LOG_LEVEL: 'loud', SERVICE_BASE_URL: 'ftp://x' });
  expect(message).toContain('PORT\n    given "http"; accepted is a port, 0 to 65535');
  expect(message).toContain('LOG_LEVEL\n    given "loud"; accepted is fatal, error');
  expect(message).toContain('SERVICE_BASE_URL\n    given "ftp://x"; accepted is');
});

test('a setting that is wrong is not called missing, too', () => {
  const message = refusal({ STORE_CALLBACK_URL: 'ftp://x', STORE_CALLBACK_SECRET: 'a secret of our own' });
  expect(message.match(/STORE_CALLBACK_URL\n/g)).toHaveLength(1);
  expect(message).toContain('STORE_CALLBACK_URL\n    given "ftp://x"');
});

test('of an address that is refused user and password are not shown', () => {
  const message = refusal({ SERVICE_BASE_URL: 'https://ann:hunter2@shop.example/?a=1' });
  expect(message).toContain('SERVICE_BASE_URL\n    given "https://shop.example/?a=1"');
});

test('a certificate that can’t be read is refused by the name of its setting', () => {
  const DATABASE_URL = 'postgres://ann:hunter2@db/t?sslrootcert=/nonexist&sslmode=verify-full';
  expect(refusal({ DATABASE_URL })).toContain(
    'DATABASE_URL\n    given with sslrootcert=/nonexist, which can’t be read; accepted is a file',
  );
  expect(refusal({ DATABASE_URL })).not.toContain('hunter2');
});

test('two ports of one process differ, unless the system gives them or their addresses differ', () => {
  const refused = (env: Record<string, string>) => {
    try {
      loadConfig([], { env, apart: ['CONSOLE_PORT'] });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(refused({ PORT: '8081' })).toContain('CONSOLE_PORT\n    given 8081, as PORT is');
  expect(refused({ PORT: '0', CONSOLE_PORT: '0' })).toBe('');
  expect(refused({ PORT: '8081', HOST: '10.0.0.1' })).toBe('');
  expect(refused({ METRICS_PORT: '8080' })).toBe('');
});

test.each([
  ['hunter2hunter2hunter2', 'entry 1 has a wrong role: it is one of viewer'],
  ['a:admin:hunter2hunter2hunter2,a b:admin:hunter2hunter2hunter2', 'entry 2 has a wrong name'],
  ['ann:admin:', 'entry 1 has no token'],
  ['a:admin:hunter2hunter2hunter2,a:viewer:hunter2hunter2hunter2', 'entry 2 has the name of another'],
  ['ann:viewer:hunter2hunter2hunter2,bob:admin:hunter2hunter2hunter2', '"ann" and "bob" have the same token'],
  ['ann:admin:hunter2', 'the token of "ann" has fewer than 16 characters'],
])('of CONSOLE_TOKENS it is said which part is wrong', (CONSOLE_TOKENS, clause) => {
  const message = refusal({ CONSOLE_TOKENS });
  expect(message).toContain(`characters, in which ${clause}`);
  expect(message).not.toContain('hunter2');
});

test('a wrong secret is never shown', () => {
  const message = refusal({
    DATABASE_URL: 'mysql://root:hunter2@db/x',
    SERVICE_API_KEY: 'hunter2 hunter2',
    WEBHOOK_SECRETS: 'live:whsec_hunter2',
    CONSOLE_TOKENS: 'ann:queen:hunter2hunter2',
  });
  expect(message).not.toContain('hunter2');
  expect(message).toContain('given a secret of 18 characters');
});

test.each([
  ['PORT', '65536'],
  ['PORT', '-1'],
  ['PORT', '80a'],
  ['HOST', 'a b'],
  ['WEBHOOK_PATH', 'webhooks'],
  ['WEBHOOK_PATH', '/livez'],
  ['WEBHOOK_BODY_LIMIT', '1tb'],
  ['WEBHOOK_BODY_LIMIT', '0'],
  ['WEBHOOK_TOLERANCE_SECONDS', '1.5'],
  ['EVENT_ID_POINTER', '/data/id'],
  ['EVENT_ID_POINTER', 'eventId'],
  ['ADOPTED_AT', 'yesterday'],
  ['ADOPTED_AT', '2999-01-01'],
  ['SERVICE_RATE', '0/s'],
  ['SERVICE_RATE', '5/day'],
  ['RECONCILE_PAYMENT_INTENTS_CRON', 'often'],
  ['RECONCILE_PAYMENT_INTENT_CRON', '* * * * *'],
  ['BOOKS_TIMEZONE', 'Mars/Base'],
  ['REPORTING_CURRENCY', 'euro'],
  ['RELEASE_REQUIRES_REGISTRATION', 'yes'],
  ['CONTRACT_FILE', '/no/such/file'],
  ['SERVICE_BASE_URL', 'https://x.example?key=1'],
  ['STORE_CALLBACK_URL', 'https://x.example'],
  ['WEBHOOK_SECRETS', 'a=whsec_1,a=whsec_2'],
  ['WEBHOOK_SECRETS', 'a=secret'],
  ['WEBHOOK_SECRETS', ','],
  ['CONSOLE_TOKENS', 'ann:viewer:short'],
])('%s=%s is refused', (name, value) => {
  expect(refusal({ [name]: value })).toContain(name);
});

test.each([
  ['WEBHOOK_BODY_LIMIT', '512kb', 524_288],
  ['WEBHOOK_BODY_LIMIT', '100', 100],
  ['SERVICE_RATE', '300/min', 5],
  ['SERVICE_RATE', '0.5', 0.5],
  ['SERVICE_BASE_URL', 'https://API.example.com:443/', 'https://api.example.com'],
  ['RELEASE_REQUIRES_REGISTRATION', 'on', true],
  ['RELEASE_REQUIRES_REGISTRATION', 'true', true],
  ['RELEASE_REQUIRES_REGISTRATION', 'off', false],
  ['RELEASE_REQUIRES_REGISTRATION', 'false', false],
  ['EVENT_ID_POINTER', 'header:X-Id', 'header:X-Id'],
  ['EVENT_ID_POINTER', '/meta/event~1id', '/meta/event~1id'],
  ['RECONCILE_PAYMENT_INTENTS_CRON', 'off', 'off'],
  ['RECONCILE_PAYMENT_INTENTS_CRON', '*/10 * * * * *', '*/10 * * * * *'],
  ['ADOPTED_AT', '2026-01-01T00:00:00+02:00', new Date('2025-12-31T22:00:00Z')],
  ['DATABASE_URL', 'postgres:///tally?host=/var/run/postgresql', 'postgres:///tally?host=/var/run/postgresql'],
])('%s=%s is understood', (name, value, expected) => {
  expect(load([], { [name]: value })).toHaveProperty(name, expected);
});

test('set to nothing is not set', () => {
  const config = load([], { PORT: '', DATABASE_URL: '', WEBHOOK_SECRETS_FILE: '' });
  expect(config.PORT).toBe(8080);
  expect(config.DATABASE_URL).toBeUndefined();
  expect(refusal({ SERVICE_API_KEY: '' }, ['SERVICE_API_KEY'])).toContain('missing');
});

describe('labelled lists', () => {
  test('the whole string, prefix included, is the secret', () => {
    const { WEBHOOK_SECRETS } = load(['WEBHOOK_SECRETS'], { WEBHOOK_SECRETS: 'new=whsec_a+/b==, old=whsec_2' });
    expect(WEBHOOK_SECRETS).toEqual([
      { label: 'new', secret: 'whsec_a+/b==' },
      { label: 'old', secret: 'whsec_2' },
    ]);
  });

  test('a file has one a line', async () => {
    const name = await file('# since May\nnew=whsec_1\r\n\nold=whsec_2\n');
    const config = load(['WEBHOOK_SECRETS'], { WEBHOOK_SECRETS_FILE: name });
    expect(config.WEBHOOK_SECRETS.map(({ label }) => label)).toEqual(['new', 'old']);
    expect(config.WEBHOOK_SECRETS[0]?.secret).toBe('whsec_1');
    expect(config.WEBHOOK_SECRETS_FILE).toBe(name);
  });

  test('tokens keep colons of their own', () => {
    const { CONSOLE_TOKENS } = load([], { CONSOLE_TOKENS: 'ann:admin:abc:def:ghi:jkl:mno' });
    expect(CONSOLE_TOKENS).toEqual([{ name: 'ann', role: 'admin', token: 'abc:def:ghi:jkl:mno' }]);
  });
});

describe('NAME_FILE', () => {
  test('gives a secret without the one new line at its end', async () => {
    expect(load([], { SERVICE_API_KEY_FILE: await file('key-1\n') }).SERVICE_API_KEY).toBe('key-1');
    expect(load([], { SERVICE_API_KEY_FILE: await file('key-1\r\n') }).SERVICE_API_KEY).toBe('key-1');
    expect(refusal({ SERVICE_API_KEY_FILE: await file('key-1\n\n') })).toContain('SERVICE_API_KEY\n    given a secret');
  });

  test('beside NAME, empty, or of a file that is not there, is refused by both names', async () => {
    const both = 'accepted is one of SERVICE_API_KEY and SERVICE_API_KEY_FILE';
    const empty = await file('\n');
    expect(refusal({ SERVICE_API_KEY: 'a', SERVICE_API_KEY_FILE: await file('b') })).toMatch(
      `SERVICE_API_KEY_FILE; ${both}`,
    );
    expect(refusal({ SERVICE_API_KEY_FILE: empty })).toContain(
      `SERVICE_API_KEY_FILE=${empty}, which is empty; ${both}`,
    );
    expect(refusal({ SERVICE_API_KEY_FILE: '/no/such' })).toContain(`SERVICE_API_KEY_FILE=/no/such (ENOENT); ${both}`);
    expect(refusal({ SERVICE_API_KEY_FILE: dir })).toContain(`SERVICE_API_KEY_FILE=${dir} (EISDIR); ${both}`);
  });

  test('is there for every secret', async () => {
    for (const [name, { secret }] of Object.entries(variables as Record<string, { secret?: true }>))
      if (secret)
        expect(refusal({ [`${name}_FILE`]: '/no/such' })).toContain(`${name}\n    given as ${name}_FILE=/no/such`);
  });
});

describe('DATABASE_PASSWORD', () => {
  test('may have any character, and reaches Postgres as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (text) => {
        const password = text.replace(/\0|\r?\n$/g, '_');
        const name = await file(`${password}\n`);
        const { DATABASE_URL = '' } = load([], {
          DATABASE_URL: 'postgres://u@db:5432/t',
          DATABASE_PASSWORD_FILE: name,
        });
        expect(new Client(DATABASE_URL)).toMatchObject({ user: 'u', password, host: 'db', port: 5432, database: 't' });
      }),
    );
  });

  test('without an address, or beside another password, is refused, and not shown', () => {
    const DATABASE_PASSWORD = 'hunter2';
    const refused = [
      refusal({ DATABASE_PASSWORD }),
      refusal({ DATABASE_PASSWORD, DATABASE_URL: 'postgres://u:other@db/t' }),
      refusal({ DATABASE_PASSWORD, DATABASE_URL: 'postgres:///t?host=/run' }),
    ];
    expect(refused.map((text) => /DATABASE_PASSWORD\n {4}given[^;]+/.exec(text)?.[0].split('\n    ')[1])).toEqual([
      'given without DATABASE_URL',
      'given, while DATABASE_URL has a password',
      'given, while DATABASE_URL lacks user or host',
    ]);
    expect(refused.join('')).not.toMatch(/hunter2|other/);
  });
});

test('the way past a pooler is refused without the one through it; a wrong one is said to be wrong, not missing', () => {
  const DATABASE_DIRECT_URL = 'postgres://u@db/t';
  expect(refusal({ DATABASE_DIRECT_URL })).toContain('DATABASE_URL\n    missing, while DATABASE_DIRECT_URL is set');
  expect(refusal({ DATABASE_DIRECT_URL, DATABASE_URL: 'mysql://db' }).match(/DATABASE_URL\n/g)).toHaveLength(1);
});

test('a kind that is off has no runs to be late', () => {
  const config = load([], { RECONCILE_PAYOUTS_CRON: 'off', RECONCILE_BALANCES_CRON: '*/5 * * * *' });
  expect(runEverySeconds(config)).toMatchObject({ balances: 300 });
  expect(Object.keys(runEverySeconds(config))).not.toContain('payouts');
});
