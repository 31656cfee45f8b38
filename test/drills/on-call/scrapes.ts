import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';

const RULES = path.join(import.meta.dirname, '../../../deploy/prometheus/rules.yml');
/** What the alerts of the drill ask for. */
const WANTED =
  /^(tallyhook_webhook_requests_total|tallyhook_signatures_like_service_total|tallyhook_breaks_open)(\{[^}]*\})? (\S+)$/gm;
const EVERY_SECONDS = 30;

/** What Prometheus would have read of every process in the course of a drill. */
export interface Scrapes {
  /** Reads them all now; one that does not answer is noted as such. `seconds` of the drill. */
  read(seconds: number): Promise<void>;
  /** Of these alerts at these moments those that do not fire, by what promtool says. */
  silent(expected: readonly { alert: string; seconds: number }[], folder: string): Promise<string>;
}

export function createScrapes(addresses: () => Record<string, string>): Scrapes {
  const series = new Map<string, Map<number, string>>();
  const note = (name: string, slot: number, value: string) => {
    const samples = series.get(name) ?? new Map<number, string>();
    series.set(name, samples.set(slot, value));
  };
  let last = 0;
  return {
    async read(seconds) {
      const slot = Math.round(seconds / EVERY_SECONDS);
      last = Math.max(last, slot);
      await Promise.all(
        Object.entries(addresses()).map(async ([instance, url]) => {
          const text = await fetch(`${url}/metrics`)
            .then((answer) => answer.text())
            .catch(() => null);
          note(`up{job="tallyhook",instance="${instance}"}`, slot, text === null ? '0' : '1');
          for (const [, name, labels = '{}', value = ''] of (text ?? '').matchAll(WANTED)) {
            const own = labels === '{}' ? '' : `,${labels.slice(1, -1)}`;
            note(`${name}{job="tallyhook",instance="${instance}"${own}}`, slot, value);
          }
        }),
      );
    },
    async silent(expected, folder) {
      const file = path.join(folder, 'scrapes.yml');
      const input = [...series].map(([name, samples]) => ({ series: name, values: valuesOf(samples, last) }));
      const asked = expected.map(({ alert, seconds }) => ({
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`,
        eval_time: `${Math.floor(seconds)}s`,
        exp_samples: [{ labels: '{}', value: 1 }],
      }));
      const test = { interval: `${EVERY_SECONDS}s`, input_series: input, promql_expr_test: asked };
      // JSON is YAML.
      const content = { rule_files: [RULES], evaluation_interval: `${EVERY_SECONDS}s`, tests: [test] };
      await writeFile(file, JSON.stringify(content));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
      return status === 0 ? '' : stdout + stderr;
    },
  };
}

/** In the notation of promtool: one for each moment, `_` where nothing was read. */
function valuesOf(samples: ReadonlyMap<number, string>, last: number): string {
  return Array.from({ length: last + 1 }, (_, slot) => samples.get(slot) ?? '_').join(' ');
}

/** Said aloud, so that nobody takes a skip for a pass. */
export function hasPromtool(): boolean {
  if (spawnSync('promtool', ['--version'], { stdio: 'ignore' }).status === 0) return true;
  process.stderr.write(
    '\n!!! No promtool on the PATH (Debian: prometheus): the rules are not tried on the scrapes !!!\n',
  );
  return false;
}
