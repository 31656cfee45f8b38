/** A copy in memory of its own: a text that is cut out of a long one, as an id out of a page, keeps all of that in memory. */
export function ownText(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
