import { scorecardLines } from '../../domain/scorecard/lines.js';
import type { Scorecard } from '../../domain/scorecard/scorecard-shape.js';
import { csvLine } from './csv.js';

/** Every figure with its source, to hand on. */
export function scorecardCsv(card: Scorecard): string {
  const rows = scorecardLines(card).map(({ of, figure, value, source }) => [of, figure, value, source]);
  const head = ['of', 'figure', 'value', 'source'];
  return [head, ...rows].map((row) => csvLine(row.map((text) => ({ is: 'text', text })))).join('');
}
