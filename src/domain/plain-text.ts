/**
 * What drives a terminal or changes the order in which a line is read, of all that JSON leaves as it is: DEL and the C1
 * controls (U+009B begins a command as ESC [ does), the line separators that JSON allows, and the marks that turn a
 * text around.
 */
const UNSEEN = /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const CONTROLS = /(?![\n\t])\p{Cc}/gu;

/** The same JSON, with escapes for what may not reach a terminal or a log. */
export const plainJson = (json: string): string => json.replace(UNSEEN, escape);

/** Text of several lines, with escapes for what may not reach a terminal; line feeds and tabs stay. */
export const plainText = (text: string): string => plainJson(text.replace(CONTROLS, escape));

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A copy in memory of its own: a text that is cut out of a long one, as an id out of a page, keeps all of that in memory. */
export const ownText = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
