import { FORMULA_SIGNS, UNSEEN } from '../../domain/formula.js';
import { scorecardLines } from '../../domain/scorecard/lines.js';
import type { Scorecard } from '../../domain/scorecard/scorecard-shape.js';
import type { Cell } from './sections.js';
import type { Value } from './values.js';

/** As the exports have it, and besides behind quotes, and by the signs of commands. */
const FORMULA = new RegExp(`^(?:${UNSEEN.source}|['"])*[|%${FORMULA_SIGNS}]|^[\\t\\r\\n]`, 'u');
const QUOTED = /[",\r\n]/;

/** A line by RFC 4180: what could be a formula gets an apostrophe in front. */
export const csvLine = (cells: readonly Cell[]): string => `${cells.map(csvCell).join(',')}\r\n`;

function csvCell(cell: Cell): string {
  const text = plain(cell);
  const safe = FORMULA.test(text) && cell.is !== 'amount' ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What is shown of a value, without how it looks; what can be done is no value. */
function plain(cell: Cell): string {
  if (cell.is === 'id') return cell.id;
  if (cell.is === 'time') return cell.at;
  if (cell.is === 'amount') return cell.unit === null ? cell.amount : `${cell.amount} ${cell.unit}`;
  if (cell.is === 'list' || cell.is === 'line') {
    const texts = cell.values.map((value: Value) => plain(value)).filter((text) => text !== '');
    return texts.join(cell.is === 'list' ? '; ' : '');
  }
  return cell.is !== 'none' && 'text' in cell ? cell.text : '';
}

/** Every figure with its source, to hand on. */
export function scorecardCsv(card: Scorecard): string {
  const rows = scorecardLines(card).map(({ of, figure, value, source }) => [of, figure, value, source]);
  const head = ['of', 'figure', 'value', 'source'];
  return [head, ...rows].map((row) => csvLine(row.map((text) => ({ is: 'text', text })))).join('');
}
