import { createHash } from 'node:crypto';
import { idHeader } from '../domain/events/event-key.js';

type Headers = Readonly<Record<string, string[] | undefined>>;

const IDS_OF_ONE_BODY = 4;
const REMEMBERED_BODIES = 10_000;
const NO_HEADERS: Headers = {};

/**
 * An event's id in a header is not signed: whoever caught one signed body could have it stored ever anew, each time under
 * another id. So one body may have a few ids; beyond them its headers are left aside, and it is known by its content.
 * Takes the headers of authentic requests: the signature in them stands for the body.
 */
export function createUnsignedIds(eventIdPointer: string): (headers: Headers) => Headers {
  const name = idHeader(eventIdPointer);
  let known = new Map<string, Set<string>>();
  return (headers) => {
    const given = name === null ? undefined : headers[name];
    if (given === undefined) return headers;
    const signature = headers['x-service-signature']?.join() ?? '';
    const id = createHash('sha256').update(given.join()).digest('base64');
    if (known.size >= REMEMBERED_BODIES) known = new Map();
    const ids = known.get(signature) ?? new Set();
    known.set(signature, ids);
    if (ids.size >= IDS_OF_ONE_BODY && !ids.has(id)) return NO_HEADERS;
    ids.add(id);
    return headers;
  };
}
