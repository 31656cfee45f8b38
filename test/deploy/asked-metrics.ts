import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';

const deploy = path.join(import.meta.dirname, '../../deploy');
export const rulesFile = path.join(deploy, 'prometheus/rules.yml');

/** What the dashboard and the alerts ask for is there, and no series is of one record. */
export async function expectAskedMetrics(scrape: string): Promise<void> {
  const here = scraped(scrape);
  for (const file of [path.join(deploy, 'grafana/tallyhook.json'), rulesFile]) {
    const wanted = named(await readFile(file, 'utf8'));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((name) => !here.has(name))).toEqual([]);
  }
  // As many series on a busy day as on a quiet one.
  const labels = [...scrape.matchAll(/[{,]([a-z_]+)="/g)].map(([, label]) => label);
  expect([...new Set(labels)].filter((label) => /(^|_)(id|reference|url)$/.test(label ?? ''))).toEqual([]);
  // Counted from nothing on, so that the first one is seen to come.
  expect(scrape).toMatch(/^tallyhook_webhook_requests_total\{result="invalid_signature"\} 0$/m);
}

/** Names that a scrape has, those of a histogram with their endings. */
function scraped(scrape: string): Set<string> {
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
