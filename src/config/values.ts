import { accessSync, constants } from 'node:fs';
import { isIP } from 'node:net';
import { validate } from 'node-cron';
import { z } from 'zod';
import { CRON_OFF } from '../domain/run-kinds.js';

const UNITS = { b: 1, kb: 1024, mb: 1024 * 1024 };
const SECONDS = { s: 1, sec: 1, m: 60, min: 60, h: 3600 };

export const wholeNumber = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= least && value <= most);

export const urlOf = (protocol: RegExp) => z.url({ protocol });

/** In the one form that URLs have, without a slash at the end, so that a path can be appended. */
export const httpUrl = urlOf(/^https?$/)
  .refine((text) => !/[?#]/.test(text))
  .transform((text) => new URL(text).href.replace(/\/+$/, ''));

const FURTHER_NODES = /(?<=^rediss?:\/\/(?:[^@/]*@)?[^,/?#@]+)(?:,(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?)+(?=[/?]|$)/i;

/** One server, or nodes of a cluster with commas between; a cluster has one database only. */
export const redisUrl = z.string().refine((text) => {
  const first = text.replace(FURTHER_NODES, '');
  if (!urlOf(/^rediss?$/).safeParse(first).success) return false;
  const { hostname, pathname, searchParams } = new URL(first);
  if (hostname.includes(',')) return false;
  const isCluster = first !== text || searchParams.get('cluster') === 'true';
  return !isCluster || /^(\/0?)?$/.test(pathname);
});

/** Bytes. */
export const bodyLimit = z
  .string()
  .regex(/^\d{1,9}(b|kb|mb)?$/i)
  .transform((text) => Number.parseInt(text, 10) * (UNITS[/[a-z]+$/i.exec(text)?.[0].toLowerCase() as 'b'] ?? 1))
  .refine((bytes) => bytes > 0 && bytes <= 64 * UNITS.mb);

/** Calls per second. */
export const perSecond = z
  .string()
  .regex(/^\d{1,6}(\.\d{1,6})?(\/(s|sec|m|min|h))?$/)
  .transform((text) => Number.parseFloat(text) / SECONDS[(text.split('/')[1] ?? 's') as 's'])
  .refine((rate) => rate > 0);

export const eventIdPointer = z
  .string()
  .regex(/^(auto|none|header:[\w-]+|(\/([^~/]|~[01])*)+)$/)
  .refine((pointer) => pointer !== '/data/id');

export const readableFile = z.string().refine((file) => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
});

/** Probes have paths of their own. */
export const webhookPath = z
  .string()
  .regex(/^\/[\w\-./~]*$/)
  .refine((path) => !/^\/(livez|readyz)?$/.test(path));

export const instant = z
  .union([z.iso.date(), z.iso.datetime({ offset: true })])
  .transform((text) => new Date(text))
  .refine((date) => date.getTime() <= Date.now());

export const cron = z.string().refine((text) => text === CRON_OFF || validate(text));

export const onOrOff = z.enum(['on', 'off', 'true', 'false']).transform((text) => text === 'on' || text === 'true');

export const timeZone = z.string().refine((zone) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
});

/** Addresses and networks, or the names that Express has for some; never all there are. */
export const proxies = z
  .string()
  .transform((text) => text.split(',').map((entry) => entry.trim()))
  .refine((list) => list.every(isProxy));

function isProxy(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', prefix, ...rest] = entry.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const isPrefix = prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits);
  return bits > 0 && !address.includes('%') && isPrefix && rest.length === 0;
}
