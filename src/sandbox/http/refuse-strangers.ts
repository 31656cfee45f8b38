import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { Refusal } from '../base/refusal.js';

/** Names that nobody on the internet can have: those without a dot, and those that are reserved. */
const OWN_NAME = /^[^.]+$|\.(local|internal|test)$/;

/**
 * A page in a developer's browser must not drive the sandbox, whose keys everybody knows: nothing is changed for a page of another
 * site, and nothing is answered under a name that could have been made to lead here.
 *
 * @param listensAt the address or name that it listens at
 */
export function refuseStrangers(listensAt: string): RequestHandler {
  const isWildcard = ['0.0.0.0', '::'].includes(listensAt);
  return (request, _response, next) => {
    const host = request.get('host') ?? '';
    const name = nameOf(`http://${host}`);
    const isOurs =
      /^(?:.+\.)?localhost$|^127\.\d+\.\d+\.\d+$|^::1$/.test(name) ||
      name === nameOf(`http://${isIP(listensAt) === 6 ? `[${listensAt}]` : listensAt}`) ||
      (isWildcard && (isIP(name) !== 0 || OWN_NAME.test(name)));
    if (!isOurs) {
      const accepted = isWildcard ? 'an address, or a name without a dot' : `localhost, or ${listensAt}, its --host`;
      throw refused(`the Host header is not one that this sandbox answers to; accepted is ${accepted}`);
    }
    const reads = request.method === 'GET' || request.method === 'HEAD';
    if (!reads && isFromElsewhere(host, request.get('origin'), request.get('sec-fetch-site')))
      throw refused('the request comes from a page of another site, which may not drive the sandbox');
    next();
  };
}

function isFromElsewhere(host: string, origin: string | undefined, site = 'same-origin'): boolean {
  const isOther =
    origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== new URL(`http://${host}`).host);
  return isOther || !['same-origin', 'none'].includes(site);
}

/** Without port and brackets; empty where it is none. */
const nameOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, '') : '');

const refused = (message: string): Refusal => new Refusal(403, 'FORBIDDEN', message);
