/** How our endpoint is distinguished from another system's (WEBHOOK_PUBLIC_URL, WEBHOOK_PATH). */
export interface OwnAddress {
  publicUrl: string | null;
  webhookPath: string;
}

/** It equals our public address, or, where that is not set, has our path. Null: it is no address. */
export function isOwnUrl(url: string | null, { publicUrl, webhookPath }: OwnAddress): boolean | null {
  const given = addressOf(url);
  if (given === null) return null;
  const ours = addressOf(publicUrl);
  if (ours === null) return pathOf(given) === webhookPath.replace(/\/+$/, '');
  return given.origin === ours.origin && pathOf(given) === pathOf(ours) && given.search === ours.search;
}

function addressOf(url: string | null): URL | null {
  return url !== null && URL.canParse(url) ? new URL(url) : null;
}

function pathOf({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '');
}
