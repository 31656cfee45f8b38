import { expect } from 'vitest';

/** Somebody who is signed in at the console of a process. */
export interface ConsoleVisitor {
  /** What a page says, without its marks. */
  text(path: string): Promise<string>;
  /** Fills in the form of an action and confirms what its preview shows; answers what the preview said. */
  act(path: string, from: string, fields: Record<string, string>): Promise<string>;
}

export async function signInAt(url: string, token: string): Promise<ConsoleVisitor> {
  const post = (path: string, fields: Record<string, string>, cookie = '') =>
    fetch(`${url}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: url, cookie },
      body: new URLSearchParams(fields),
    });
  const entered = await post('/sign-in', { token });
  expect(entered.status).toBe(303);
  const cookie = entered.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const load = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { cookie }, redirect: 'manual' });
    const page = await answer.text();
    expect([path, answer.status]).toEqual([path, 200]);
    return page;
  };
  return {
    text: async (path) => textOf(await load(path)),
    async act(path, from, fields) {
      const csrf = /name="_csrf" value="([^"]+)"/.exec(await load(from))?.[1] ?? '';
      const form = { ...fields, _csrf: csrf, _back: from };
      const preview = await post(path, form, cookie);
      expect(preview.status).toBe(200);
      const shown = textOf(await preview.text());
      const done = await post(path, { ...form, _confirmed: 'yes' }, cookie);
      expect(done.status).toBe(303);
      return shown;
    },
  };
}

function textOf(page: string): string {
  const main = /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? page;
  return main
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');
}
