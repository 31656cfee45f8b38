import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { AppError } from './errors.js';

/** What a configuration lets calls to addresses that were given to us reach, besides the public internet. */
export interface OutboundRules {
  /** Networks of the operator's own: stores often stand in one. */
  privateNetworks: boolean;
  /** This machine, and that by plain http too: for a service that is itself there, as in a trial. */
  loopback: boolean;
}

/** An address that is not to be called; the message names what is wrong with it, never its path or its user. */
export class OutboundAddressError extends AppError {
  readonly code = 'outbound_address';
}

const loopback = networks('127.0.0.0/8', '::1/128');
const ownNetworks = networks(
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
);
/** Nothing that a store or a chat could be: link-local, where clouds keep their secrets, and what stands for other addresses. */
const never = networks(
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/32',
);

/**
 * The address as it is to be called. Its name is not looked up: give `guardedLookup` to the request that calls it, and
 * don't follow redirects.
 *
 * @throws {OutboundAddressError} unless it is https (plain http: to this machine alone, where that is allowed), without a user
 */
export function checkOutboundUrl(text: string, rules: OutboundRules): URL {
  if (!URL.canParse(text)) throw new OutboundAddressError('the address is no URL');
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.username !== '' || url.password !== '')
    throw new OutboundAddressError('the address holds a user or a password');
  const here = /(^|\.)localhost\.?$/.test(host) || (isIP(host) !== 0 && holds(loopback, host));
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && here && rules.loopback))
    throw new OutboundAddressError(`the address begins with ${url.protocol}//; it takes https://`);
  if (isIP(host) !== 0) checkIp(host, rules);
  return url;
}

/**
 * A `lookup` for node:http and node:https that fails where any address of the name is not to be called: so a name can't
 * lead elsewhere after it was checked. A host that is an IP address is not looked up: that is for `checkOutboundUrl`.
 */
export function guardedLookup(rules: OutboundRules, resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const failure = error ?? problemOf(addresses, rules);
      const [first] = addresses ?? [];
      if (failure || !first) callback(failure ?? new OutboundAddressError('the name has no address'), '');
      else if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function problemOf(addresses: readonly LookupAddress[], rules: OutboundRules): Error | null {
  try {
    for (const { address } of addresses) checkIp(address, rules);
    return null;
  } catch (error) {
    if (error instanceof OutboundAddressError) return error;
    throw error;
  }
}

function checkIp(address: string, rules: OutboundRules): void {
  const refused =
    holds(never, address) ||
    (holds(loopback, address) && !rules.loopback) ||
    (holds(ownNetworks, address) && !rules.privateNetworks);
  if (refused) throw new OutboundAddressError(`the address leads to ${address}, which is not to be called`);
}

/** Of an IPv4 address written as IPv6, too. A zone belongs to no network. */
function holds(list: BlockList, address: string): boolean {
  return list.check(address.replace(/%.*$/, ''), isIP(address) === 6 ? 'ipv6' : 'ipv4');
}

function networks(...subnets: string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address = '', prefix] = subnet.split('/');
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
