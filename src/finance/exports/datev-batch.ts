import type { DatevChart } from '../../domain/books/chart.js';
import type { Posting } from '../../domain/books/journal.js';
import { fiscalYearStart, lastDayOf } from '../../domain/books/posting-month.js';
import type { LedgerEntry } from '../../records/books/month-entries.js';
import type { MonthBooks } from './month-tables.js';

/*
 * A posting batch in the DATEV format, as its publisher describes it: header 700, format "Buchungsstapel" 13. Fields are separated by
 * semicolons, texts stand in quotes even where they are empty, a line ends with CR LF, decimals follow a comma.
 */

export const DATEV_DECIMALS = 2;
/** Ten digits before the comma, two behind it. */
export const MOST_CENTS = 999_999_999_999n;

const pairs = (count: number, first: string, second: string): string[] =>
  Array.from({ length: count }, (_, n) => [`${first} ${n + 1}`, `${second} ${n + 1}`]).flat();

/** The columns by their names, in their order. */
const COLUMNS: readonly string[] = [
  ...'Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;Kurs;Basis-Umsatz;WKZ Basis-Umsatz;Konto'.split(
    ';',
  ),
  ...'Gegenkonto (ohne BU-Schlüssel);BU-Schlüssel;Belegdatum;Belegfeld 1;Belegfeld 2;Skonto;Buchungstext'.split(';'),
  ...'Postensperre;Diverse Adressnummer;Geschäftspartnerbank;Sachverhalt;Zinssperre;Beleglink'.split(';'),
  ...pairs(8, 'Beleginfo - Art', 'Beleginfo - Inhalt'),
  ...'KOST1 - Kostenstelle;KOST2 - Kostenstelle;Kost-Menge;EU-Land u. UStID (Bestimmung)'.split(';'),
  ...'EU-Steuersatz (Bestimmung);Abw. Versteuerungsart;Sachverhalt L+L;Funktionsergänzung L+L'.split(';'),
  ...'BU 49 Hauptfunktionstyp;BU 49 Hauptfunktionsnummer;BU 49 Funktionsergänzung'.split(';'),
  ...pairs(20, 'Zusatzinformation - Art', 'Zusatzinformation- Inhalt'),
  ...'Stück;Gewicht;Zahlweise;Forderungsart;Veranlagungsjahr;Zugeordnete Fälligkeit;Skontotyp;Auftragsnummer'.split(
    ';',
  ),
  ...'Buchungstyp;USt-Schlüssel (Anzahlungen);EU-Land (Anzahlungen);Sachverhalt L+L (Anzahlungen)'.split(';'),
  ...'EU-Steuersatz (Anzahlungen);Erlöskonto (Anzahlungen);Herkunft-Kz;Buchungs GUID;KOST-Datum'.split(';'),
  ...'SEPA-Mandatsreferenz;Skontosperre;Gesellschaftername;Beteiligtennummer;Identifikationsnummer'.split(';'),
  ...'Zeichnernummer;Postensperre bis;Bezeichnung SoBil-Sachverhalt;Kennzeichen SoBil-Buchung;Festschreibung'.split(
    ';',
  ),
  ...'Leistungsdatum;Datum Zuord. Steuerperiode;Fälligkeit;Generalumkehr (GU);Steuersatz;Land'.split(';'),
  ...'Abrechnungsreferenz;BVV-Position;EU-Land u. UStID (Ursprung);EU-Steuersatz (Ursprung);Abw. Skontokonto'.split(
    ';',
  ),
];

export const datevColumns: string = COLUMNS.join(';');

const PLAIN_TEXTS = [
  2, 3, 6, 9, 11, 12, 14, 16, 20, 37, 38, 40, 42, 91, 95, 96, 98, 102, 103, 105, 107, 109, 110, 112, 118, 120, 121, 123,
];

/** Places (from 1) of texts: quotes stand around nothing as well. */
const TEXTS: ReadonlySet<number> = new Set([
  ...PLAIN_TEXTS,
  ...Array.from({ length: 16 }, (_, n) => 21 + n),
  ...Array.from({ length: 40 }, (_, n) => 48 + n),
]);

const LABEL_LENGTH = 30;
const TEXT_LENGTH = 60;
const INFO_LENGTH = 210;

/** The first line: what the batch is, of whom, of which days. It says nothing of when it was made: the same books, the same bytes. */
export function datevHead({ month, chart, currency, standing }: MonthBooks, datev: DatevChart): string {
  const day = (text: string) => text.replaceAll('-', '');
  const year = `${fiscalYearStart(month, chart.fiscalYearEnd)}-01`;
  const [from, to] = [`${month}-01`, lastDayOf(month)].map(day);
  const label = `${month} ${standing.state}`;
  const what = ['"EXTF"', '700', '21', '"Buchungsstapel"', '13', `${to}000000000`, '', '"TH"', '""', '""'];
  const whose = [datev.consultant, datev.client, day(year), datev.other.length, from, to, textOf(label, LABEL_LENGTH)];
  // Nobody's initials; financial accounting, of any purpose, not locked: the accountant looks at it first.
  const how = ['""', '1', '0', '0', `"${currency}"`, '', '""', '', '', '""', '', '', '""', '""'];
  return [...what, ...whose, ...how].join(';');
}

export type DatevPosting = Posting &
  Pick<LedgerEntry, 'id' | 'date' | 'description' | 'recordKind' | 'recordId'> & { number: string; currency: string };

/** A debit of `debit` against `credit`. */
export function datevLine(posting: DatevPosting): string {
  const { units, debit, credit, currency, date, number, description, recordKind, recordId, id } = posting;
  const digits = units.toString().padStart(DATEV_DECIMALS + 1, '0');
  const known: Record<number, string> = {
    1: `${digits.slice(0, -DATEV_DECIMALS)},${digits.slice(-DATEV_DECIMALS)}`,
    2: '"S"',
    3: `"${currency}"`,
    7: debit,
    8: credit,
    10: `${date.slice(8, 10)}${date.slice(5, 7)}`,
    11: `"${number}"`,
    14: textOf(description, TEXT_LENGTH),
    21: '"Record"',
    22: textOf(`${recordKind} ${recordId}`, INFO_LENGTH),
    23: '"Entry"',
    24: textOf(id, INFO_LENGTH),
    ...(description.length > TEXT_LENGTH ? { 25: '"Text"', 26: textOf(description, INFO_LENGTH) } : {}),
    114: '0',
  };
  return COLUMNS.map((_, index) => known[index + 1] ?? (TEXTS.has(index + 1) ? '""' : '')).join(';');
}

/** What others wrote: without what ends a line or is no text, and as long as the field is. */
function textOf(text: string, length: number): string {
  const plain = text
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .replaceAll(/[^\u0020-\u00ff]/gu, '_')
    .slice(0, length);
  return `"${plain.replaceAll('"', '""')}"`;
}

/** Lines in the encoding that is asked for: Windows-1252, of which no more is used than Latin-1 has. */
export function ansi(lines: readonly string[]): Uint8Array {
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''), 'latin1');
}
