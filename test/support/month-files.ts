const STATES = '(?:open|closed|closed with exceptions)';

/** A file of a month, but for what it says of how final the month is. */
export function unmarked(name: string, text: string): string {
  if (name.startsWith('EXTF_')) return text.replace(new RegExp(`;"(\\d{4}-\\d{2}) ${STATES}"`), ';"$1"');
  if (name.endsWith('.csv'))
    return text.replace(/,month_status\r\n/, '\r\n').replaceAll(new RegExp(`,${STATES}\r\n`, 'g'), '\r\n');
  if (name.endsWith('.ndjson')) return text.replaceAll(new RegExp(`,"monthStatus":"${STATES}"}\n`, 'g'), '}\n');
  return text.replace(new RegExp(`^(; Tallyhook, \\d{4}-\\d{2}): ${STATES}\n(?:; .*\n)*`), '$1\n');
}
