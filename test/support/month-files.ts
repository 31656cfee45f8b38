import { strFromU8, unzipSync } from 'fflate';

const STATES = '(?:open|closed|closed with exceptions)';

const EXCEPTIONS = 'closed with exceptions';

/**
 * Where a file of a month that was closed with exceptions does not say so, in each of its rows or at its beginning: the line; null: it does.
 * `bytes`: as it was exported, or stored.
 */
export function silentOfExceptions(name: string, month: string, bytes: Uint8Array): string | null {
  if (name.endsWith('.xlsx')) {
    const summary = strFromU8(unzipSync(bytes)['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
    return summary.includes(`Books of ${month}: ${EXCEPTIONS}<`) && summary.includes('>Exception: ') ? null : name;
  }
  const text = Buffer.from(bytes).toString();
  const lines = text.split(/\r?\n/).slice(0, -1);
  const first = lines[0] ?? '';
  if (name.startsWith('EXTF_')) return first.includes(`;"${month} ${EXCEPTIONS}";`) ? null : first;
  const saysSo = (end: string) => lines.find((line) => !line.endsWith(end)) ?? null;
  if (name.endsWith('.ndjson')) return saysSo(`,"monthStatus":"${EXCEPTIONS}"}`);
  if (!name.endsWith('.csv'))
    return text.startsWith(`; Tallyhook, ${month}: ${EXCEPTIONS}\n; Exception: `) ? null : first;
  const head = lines.shift() ?? '';
  return head.endsWith(',month_status') ? saysSo(`,${EXCEPTIONS}`) : head;
}

/** A file of a month, but for what it says of how final the month is. */
export function unmarked(name: string, text: string): string {
  if (name.startsWith('EXTF_')) return text.replace(new RegExp(`;"(\\d{4}-\\d{2}) ${STATES}"`), ';"$1"');
  if (name.endsWith('.csv'))
    return text.replace(/,month_status\r\n/, '\r\n').replaceAll(new RegExp(`,${STATES}\r\n`, 'g'), '\r\n');
  if (name.endsWith('.ndjson')) return text.replaceAll(new RegExp(`,"monthStatus":"${STATES}"}\n`, 'g'), '}\n');
  return text.replace(new RegExp(`^(; Tallyhook, \\d{4}-\\d{2}): ${STATES}\n(?:; .*\n)*`), '$1\n');
}
