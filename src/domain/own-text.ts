/**
 * The same text in memory of its own. What is cut out of a long text, as an id out of a page of a list, keeps the whole page
 * in memory for as long as it is kept itself.
 */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
