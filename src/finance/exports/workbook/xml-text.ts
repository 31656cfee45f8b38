/** What XML can't hold, and what would be read as an escape of such. */
const UNWRITABLE = /(?![\t\n])\p{Cc}|[\uFFFE\uFFFF]|_(?=x[0-9A-Fa-f]{4}_)/gu;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
/** No cell holds more. */
const LONGEST = 32_767;
const CUT = ' … (cut)';

/** A text for a cell: whatever it is, it comes out as this text, or says that it was cut. */
export function cellText(text: string): string {
  const shown = text.length > LONGEST ? text.slice(0, LONGEST - CUT.length) + CUT : text;
  return xmlText(
    shown
      .replaceAll(LONE_SURROGATE, '\uFFFD')
      .replaceAll(UNWRITABLE, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`),
  );
}

export function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
