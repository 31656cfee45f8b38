import { hashOfText } from '../canonical-json.js';

/** In quotes. `-u<hex>-` is what can't be between them, and the hyphen of a `-u` of its own, so that no two assets are one. */
export function hledgerCommodity(assetCode: string): string {
  const name = assetCode.replaceAll(
    /-(?=u)|[^A-Za-z0-9._ -]/gu,
    (char) => `-u${(char.codePointAt(0) ?? 0).toString(16)}-`,
  );
  return `"${name}"`;
}

/** As beancount takes it: 2 to 24 of its characters. Another code keeps what fits, and ends in a part of its hash. */
export function beancountCommodity(assetCode: string): string {
  if (/^[A-Z][A-Z0-9._-]{0,22}[A-Z0-9]$/.test(assetCode) && !/-X[0-9A-F]{10}$/.test(assetCode)) return assetCode;
  const readable = assetCode.toUpperCase().replaceAll(/[^A-Z0-9._-]/g, '');
  const hash = hashOfText(assetCode).slice(0, 10).toUpperCase();
  return `${`A${readable}`.replace(/^A(?=[A-Z])/, '').slice(0, 12)}-X${hash}`;
}
