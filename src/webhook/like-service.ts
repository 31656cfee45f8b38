import { type HeaderValues, valuesOf } from './match-signature.js';
import { describeAge, type Tolerance } from './verify-signature.js';

const SIGNATURE = /^sha256=[\da-f]{64}$/i;

/**
 * Whether the headers are those that the service sends (specification 6.1): one signature of its form, its time, just now,
 * and JSON. It tells a delivery from noise, and proves nothing: whoever reads this can send the same.
 */
export function isLikeService(headers: HeaderValues, now: Date, tolerance: Tolerance): boolean {
  const [signature, ...more] = valuesOf(headers, 'x-service-signature');
  const [time = ''] = valuesOf(headers, 'x-service-timestamp');
  const [type = ''] = valuesOf(headers, 'content-type');
  if (signature === undefined || more.length > 0 || !SIGNATURE.test(signature)) return false;
  if (!/^\d{1,12}$/.test(time) || describeAge(Number(time), now, tolerance) !== null) return false;
  return type.toLowerCase().startsWith('application/json');
}
