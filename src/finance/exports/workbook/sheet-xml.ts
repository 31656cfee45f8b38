import { columnName } from './cells.js';

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

interface Frame {
  widths: readonly number[];
  /** Rows and columns that stay where they are. */
  frozen: { rows: number; columns: number } | null;
  isFirst: boolean;
}

/** What stands before the rows of a sheet. */
export function sheetHead({ widths, frozen, isFirst }: Frame): string {
  const cols = widths
    .map((width, n) => `<col min="${n + 1}" max="${n + 1}" width="${width}" customWidth="1"/>`)
    .join('');
  return [
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<worksheet xmlns="${MAIN}">`,
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>',
    `<sheetViews><sheetView showGridLines="0"${isFirst ? ' tabSelected="1"' : ''} workbookViewId="0">`,
    frozen === null ? '' : pane(frozen),
    '</sheetView></sheetViews><sheetFormatPr defaultRowHeight="15"/>',
    `<cols>${cols}</cols><sheetData>`,
  ].join('');
}

/** What stands behind them. `filtered`: as A1:N12. */
export function sheetEnd(filtered: string | null): string {
  const filter = filtered === null ? '' : `<autoFilter ref="${filtered}"/>`;
  const margins = '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.5" header="0.3" footer="0.3"/>';
  const page = '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>';
  return `</sheetData>${filter}${margins}${page}<headerFooter><oddFooter>&amp;A, &amp;P / &amp;N</oddFooter></headerFooter></worksheet>`;
}

function pane({ rows, columns }: { rows: number; columns: number }): string {
  const cell = `${columnName(columns)}${rows + 1}`;
  return `<pane xSplit="${columns}" ySplit="${rows}" topLeftCell="${cell}" activePane="bottomRight" state="frozen"/>`;
}
