import { expect, it } from 'vitest';
import { isLikeService } from '../../src/webhook/rejection-log.js';

const NOW = 1_790_000_000;
const signature = `sha256=${'0a'.repeat(32)}`;
const headers = {
  'X-Service-Signature': [signature],
  'x-service-timestamp': [String(NOW)],
  'content-type': 'Application/JSON; charset=utf-8',
};
const isLike = (changes: object) =>
  isLikeService({ ...headers, ...changes }, new Date(NOW * 1000), { past: 300, future: 60 });

it.each<[string, object]>([
  ['as they are', {}],
  ['of another alphabet’s case', { 'X-Service-Signature': [signature.toUpperCase()] }],
  ['as old as is tolerated', { 'x-service-timestamp': [String(NOW - 300)] }],
  ['as new as is tolerated', { 'x-service-timestamp': [String(NOW + 60)] }],
])('headers of the service, %s', (_name, changes) => expect(isLike(changes)).toBe(true));

it.each<[string, object]>([
  ['no signature', { 'X-Service-Signature': [] }],
  ['two signatures', { 'X-Service-Signature': [signature, signature] }],
  ['a signature that is too short', { 'X-Service-Signature': [signature.slice(0, -1)] }],
  ['a signature that is too long', { 'X-Service-Signature': [`${signature}0`] }],
  ['something before the signature', { 'X-Service-Signature': [`x${signature}`] }],
  ['no time', { 'x-service-timestamp': undefined }],
  ['a time that is too old', { 'x-service-timestamp': [String(NOW - 301)] }],
  ['a time that is too new', { 'x-service-timestamp': [String(NOW + 61)] }],
  ['a time with a fraction', { 'x-service-timestamp': [`${NOW}.5`] }],
  ['a time with a sign', { 'x-service-timestamp': [`+${NOW}`] }],
  ['no type', { 'content-type': undefined }],
  ['another type', { 'content-type': 'text/plain; application/json' }],
])('not of the service: %s', (_name, changes) => expect(isLike(changes)).toBe(false));
