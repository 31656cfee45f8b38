/** The body was larger than allowed: `limit` bytes, after decompression. */
export class BodyTooLargeError extends Error {
  constructor(limit: number) {
    super(`an answer of more than ${limit} bytes`);
    this.name = 'BodyTooLargeError';
  }
}

/** The bytes of an answer. Stops reading, and gives the connection up, as soon as there are more than `limit`. */
export async function readBody(response: Response, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength;
    if (length > limit) throw new BodyTooLargeError(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
