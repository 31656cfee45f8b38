import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../src/sandbox/start-sandbox.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { hasPromtool, promtool } from '../support/promtool.js';
import { type CliProcess, startCli } from '../support/run-cli.js';

const root = path.join(import.meta.dirname, '../..');
const rulesFile = path.join(root, 'deploy/prometheus/rules.yml');

let cwd: string;
let store: TestDatabase;
let sandbox: Sandbox;
let program: CliProcess;
let scrape = '';

beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'metrics-'));
  [store, sandbox] = await Promise.all([createTestDatabase(), startSandbox({})]);
  program = startCli(['start'], {
    cwd,
    env: {
      DATABASE_URL: store.url,
      SERVICE_BASE_URL: sandbox.url,
      SERVICE_API_KEY: 'sandbox-api-key',
      SERVICE_RATE: '1000/s',
      WEBHOOK_SECRETS: 'test=whsec_test',
      CONSOLE_TOKENS: 'ann:admin:ann-has-a-token',
      HOST: '127.0.0.1',
      PORT: '0',
      CONSOLE_PORT: '0',
      LOG_LEVEL: 'warn',
    },
  });
  const url = (await program.stdoutMatch(/^console +(http:\/\/\S+)$/m))[1] ?? '';
  await vi.waitFor(
    async () => {
      scrape = await (await fetch(`${url}/metrics`)).text();
      expect(scrape).toMatch(/^tallyhook_reconcile_last_success_timestamp_seconds\{kind="payment-intents"\} \d/m);
      expect(scrape).toMatch(/^tallyhook_queue_jobs\{queue="commands",state="waiting"\} 0/m);
    },
    { timeout: 60_000, interval: 250 },
  );
}, 120_000);
afterAll(async () => {
  await program.end('SIGKILL');
  await sandbox.close();
  await store.drop();
  await rm(cwd, { recursive: true, force: true });
});

/** Names that a scrape has, those of a histogram with their endings. */
function scraped(): Set<string> {
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
}

function named(text: string): string[] {
  return [...new Set([...text.matchAll(/\btallyhook_[a-z0-9_]+/g)].map(([name]) => name))];
}

async function rules(): Promise<{ text: string; alerts: { name: string; anchor: string }[] }> {
  const text = await readFile(rulesFile, 'utf8');
  const alerts = [...text.matchAll(/- alert: (\S+)[\s\S]*?runbook_url: docs\/runbook\.md#(\S+)/g)];
  return { text, alerts: alerts.map(([, name = '', anchor = '']) => ({ name, anchor })) };
}

describe('what the dashboard and the alerts ask for', () => {
  it('is there, on a live scrape', async () => {
    const dashboard = await readFile(path.join(root, 'deploy/grafana/tallyhook.json'), 'utf8');
    const here = scraped();
    for (const text of [dashboard, (await rules()).text]) {
      const wanted = named(text);
      expect(wanted.length).toBeGreaterThan(10);
      expect(wanted.filter((name) => !here.has(name))).toEqual([]);
    }
  });

  it('has no id in a label: as many series on a busy day as on a quiet one', () => {
    const labels = [...scrape.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label);
    expect([...new Set(labels)].filter((label) => /(^|_)(id|reference|url)$/.test(label ?? ''))).toEqual([]);
  });

  it('counts answers from nothing on, so that the first one is seen to come', () => {
    expect(scrape).toMatch(/^tallyhook_webhook_requests_total\{result="invalid_signature"\} 0$/m);
  });
});

describe('an alert', () => {
  it('has a section in the runbook, and no section is without an alert', async () => {
    const { alerts, text } = await rules();
    expect(alerts).toHaveLength([...text.matchAll(/- alert:/g)].length);
    const runbook = await readFile(path.join(root, 'docs/runbook.md'), 'utf8');
    const sections = [...runbook.matchAll(/^## (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(alerts.map(({ anchor }) => anchor).toSorted()).toEqual(sections.toSorted());
  });

  it('fires in rules.test.yml', async () => {
    const tests = await readFile(path.join(root, 'deploy/prometheus/rules.test.yml'), 'utf8');
    const untried = (await rules()).alerts.filter(({ name }) => !tests.includes(`- labels: '{alertname="${name}"`));
    expect(untried).toEqual([]);
  });
});

describe.skipIf(!hasPromtool())('promtool', () => {
  it('finds nothing to say about a scrape', () => {
    expect(promtool(['check', 'metrics'], scrape)).toEqual({ status: 0, told: '' });
  });

  it('reads the rules', () => {
    expect(promtool(['check', 'rules', rulesFile])).toEqual({ status: 0, told: '' });
  });
});
