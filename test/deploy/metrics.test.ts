import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { alerts as definitions } from '../../src/domain/alerts/alerts.js';
import { prometheusRules } from '../support/prometheus-rules.js';
import { hasPromtool, promtool } from '../support/promtool.js';
import { rulesFile } from './asked-metrics.js';

const root = path.join(import.meta.dirname, '../..');

async function rules(): Promise<{ text: string; alerts: { name: string; anchor: string }[] }> {
  const text = await readFile(rulesFile, 'utf8');
  const alerts = [...text.matchAll(/- alert: (\S+)[\s\S]*?runbook_url: docs\/runbook\.md#(\S+)/g)];
  return { text, alerts: alerts.map(([, name = '', anchor = '']) => ({ name, anchor })) };
}

it('rules.yml is made of the definitions (UPDATE_RULES=1 writes it anew)', async () => {
  const wanted = prometheusRules(definitions);
  if (process.env['UPDATE_RULES']) await writeFile(rulesFile, wanted);
  expect(await readFile(rulesFile, 'utf8')).toBe(wanted);
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
    // The last section lists what is logged (test/docs/log-messages.test.ts).
    expect(sections.pop()).toBe('log-messages');
    expect(alerts.map(({ anchor }) => anchor).toSorted()).toEqual(sections.toSorted());
  });

  it('fires in rules.test.yml', async () => {
    const tests = await readFile(path.join(root, 'deploy/prometheus/rules.test.yml'), 'utf8');
    const untried = (await rules()).alerts.filter(({ name }) => !tests.includes(`- labels: '{alertname="${name}"`));
    expect(untried).toEqual([]);
  });
});

it.skipIf(!hasPromtool())('promtool reads the rules', () => {
  expect(promtool(['check', 'rules', rulesFile])).toEqual({ status: 0, output: '' });
});
