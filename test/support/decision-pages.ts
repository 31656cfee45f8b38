import type { Express } from 'express';
import { session } from './console-visit.js';

interface Asked {
  id?: string;
  action?: string;
  subject?: string;
  input?: string;
}

/** Whether each page of what is decided leads to the decision; none where it is about no page. */
export async function pagesLeadTo(app: Express, { id, action, subject = '', input = '{}' }: Asked): Promise<boolean[]> {
  const { ids = [] } = JSON.parse(input) as { ids?: string[] };
  const [kind, name] = subject.split(' ');
  const own = action === 'import rates' ? [] : [`/${kind}s/${name}`];
  const pages = action === 'write off break' ? ids.map((one) => `/breaks/${one}`) : own;
  const { get } = await session(app, 'viewer');
  const texts = await Promise.all(pages.map(async (page) => (await get(page)).text));
  return texts.map((text) => text.includes(`href="/decisions/${id}"`));
}
