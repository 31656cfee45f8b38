export const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

/** As many decimals as there are, up to 18; what can't be held whole is marked. */
const AMOUNT = '#,##0.00################';
const ROUNDED = `&quot;≈ &quot;${AMOUNT};&quot;≈ -&quot;${AMOUNT}`;

const FONTS = [
  '<sz val="10"/><color rgb="FF1B2733"/><name val="Calibri"/>',
  '<b/><sz val="10"/><color rgb="FFFFFFFF"/><name val="Calibri"/>',
  '<b/><sz val="16"/><color rgb="FF1F3A5F"/><name val="Calibri"/>',
  '<b/><sz val="12"/><color rgb="FF1F3A5F"/><name val="Calibri"/>',
  '<sz val="9"/><color rgb="FF6B7885"/><name val="Calibri"/>',
];

const FILLS = ['<patternFill patternType="none"/>', '<patternFill patternType="gray125"/>', solid('FF1F3A5F')];

const BORDERS = [
  '<left/><right/><top/><bottom/><diagonal/>',
  '<left/><right/><top/><bottom style="hair"><color rgb="FFC5CED6"/></bottom><diagonal/>',
];

const FORMATS = [AMOUNT, ROUNDED, '#,##0.00', 'yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss'];

interface Look {
  font?: number;
  fill?: number;
  border?: number;
  /** Of `FORMATS`. */
  format?: number;
  /** Stays a text though a person edits it. */
  quoted?: true;
  align?: 'right';
  /** Away from the number beside it. */
  indented?: true;
  wrap?: true;
}

const looks = {
  plain: {},
  text: { border: 1, quoted: true, indented: true },
  amount: { border: 1, format: 0 },
  rounded: { border: 1, format: 1 },
  value: { border: 1, format: 2 },
  count: { border: 1, align: 'right' },
  date: { border: 1, format: 3 },
  time: { border: 1, format: 4 },
  exact: { border: 1, font: 4, quoted: true, align: 'right' },
  head: { font: 1, fill: 2, wrap: true, indented: true },
  headEnd: { font: 1, fill: 2, align: 'right', wrap: true },
  title: { font: 2 },
  section: { font: 3 },
  note: { font: 4 },
} as const satisfies Record<string, Look>;

export type StyleName = keyof typeof looks;

const names = Object.keys(looks) as StyleName[];

export const styleIndex = Object.fromEntries(names.map((name, n) => [name, n])) as Readonly<Record<StyleName, number>>;

export function stylesXml(): string {
  const formats = FORMATS.map((code, n) => `<numFmt numFmtId="${164 + n}" formatCode="${code}"/>`);
  return [
    `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<styleSheet xmlns="${MAIN}">`,
    list('numFmts', formats),
    list(
      'fonts',
      FONTS.map((one) => `<font>${one}</font>`),
    ),
    list(
      'fills',
      FILLS.map((one) => `<fill>${one}</fill>`),
    ),
    list(
      'borders',
      BORDERS.map((one) => `<border>${one}</border>`),
    ),
    list('cellStyleXfs', ['<xf numFmtId="0" fontId="0" fillId="0" borderId="0"/>']),
    list(
      'cellXfs',
      names.map((name) => format(looks[name])),
    ),
    list('cellStyles', ['<cellStyle name="Normal" xfId="0" builtinId="0"/>']),
    '</styleSheet>',
  ].join('');
}

function format({ font = 0, fill = 0, border = 0, format: number, quoted, align, wrap, indented }: Look): string {
  const ids = `numFmtId="${number === undefined ? 0 : 164 + number}" fontId="${font}" fillId="${fill}" borderId="${border}" xfId="0"`;
  const applied = 'applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1" applyAlignment="1"';
  const horizontal = indented ? ' horizontal="left" indent="1"' : align === undefined ? '' : ` horizontal="${align}"`;
  const alignment = `<alignment${horizontal} vertical="${wrap ? 'center' : 'top'}"${wrap ? ' wrapText="1"' : ''}/>`;
  return `<xf ${ids} ${applied}${quoted ? ' quotePrefix="1"' : ''}>${alignment}</xf>`;
}

function list(name: string, items: readonly string[]): string {
  return `<${name} count="${items.length}">${items.join('')}</${name}>`;
}

function solid(color: string): string {
  return `<patternFill patternType="solid"><fgColor rgb="${color}"/><bgColor indexed="64"/></patternFill>`;
}
