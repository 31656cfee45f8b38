import type { Express } from 'express';
import request, { type Response } from 'supertest';
import { tokenOf } from './console.js';

const HOST = 'console.example';
/** As a browser sends a form of our own. */
export const HERE = { Host: HOST, Origin: `https://${HOST}`, 'Sec-Fetch-Site': 'same-origin' };
const SIGNS: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

const plain = (html: string): string => html.replaceAll(/&(\w+|#39);/g, (sign, name: string) => SIGNS[name] ?? sign);
/** The words between the tags, one space between two. */
const wordsOf = (html: string): string =>
  plain(html.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
const attribute = (tag: string, name: string): string => plain(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '');

/** A page as a person reads it, whose forms can be filled in. */
export class Shown {
  readonly path: string;
  readonly status: number;
  /** What stands in the middle of the page, as HTML. */
  readonly main: string;

  constructor(path: string, { status, text }: Response) {
    this.path = path;
    this.status = status;
    this.main = /<main[^>]*>([^]*)<\/main>/.exec(text)?.[1] ?? '';
  }

  get text(): string {
    return wordsOf(this.main);
  }

  get heading(): string {
    return this.texts(/<h1>[^]*?<\/h1>/g).join();
  }

  get flash(): string {
    return this.texts(/<div class="flash[^]*?<\/div>/g).join();
  }

  get badges(): string[] {
    return this.texts(/<span class="badge[^]*?<\/span>/g);
  }

  get notices(): string {
    return this.texts(/<div class="notice[^]*?<\/div>/g).join('\n');
  }

  /** The panel with that title, as HTML. */
  panel(title: string): string {
    const panels = [...this.main.matchAll(/<section class="panel">[^]*?<\/section>/g)].map(([html]) => html);
    return panels.find((html) => html.includes(`<h2>${title}</h2>`)) ?? '';
  }

  /** Where the first link of that text leads to. */
  link(words: string, within = this.main): string {
    const links = [...within.matchAll(/<a [^]*?<\/a>/g)].map(([html]) => html);
    return attribute(links.find((html) => wordsOf(html) === words) ?? '', 'href');
  }

  /** The first form with that button, as it stands: where it goes, and what its fields hold. */
  form(button: string): { action: string; fields: Record<string, string> } {
    const forms = [...this.main.matchAll(/<form method="post"[^]*?<\/form>/g)].map(([html]) => html);
    const form = forms.find((html) => html.includes(`>${button}</button>`));
    if (form === undefined) throw new Error(`${this.path} has no button "${button}": ${this.text}`);
    const fields: Record<string, string> = {};
    for (const [tag] of form.matchAll(/<input[^>]*>/g)) fields[attribute(tag, 'name')] = attribute(tag, 'value');
    for (const [tag, written = ''] of form.matchAll(/<textarea[^>]*>([^<]*)/g))
      fields[attribute(tag, 'name')] = written;
    for (const [select] of form.matchAll(/<select[^]*?<\/select>/g)) {
      const options = [...select.matchAll(/<option[^>]*>/g)].map(([tag]) => tag);
      const chosen = options.find((tag) => tag.endsWith(' selected>')) ?? options[0] ?? '';
      fields[attribute(select, 'name')] = attribute(chosen, 'value');
    }
    return { action: attribute(form, 'action'), fields };
  }

  private texts(html: RegExp): string[] {
    return [...this.main.matchAll(html)].map(([found]) => wordsOf(found));
  }
}

export interface Reader {
  get: (path: string) => Promise<Shown>;
  /** Presses that button, with those of its form's fields filled in; the page that comes then. */
  press: (page: Shown, button: string, given?: Record<string, string>) => Promise<Shown>;
}

/** Signed in as that role, and may send what no form of theirs offers. */
export async function session(app: Express, role: string) {
  const signedIn = await request(app)
    .post('/sign-in')
    .set(HERE)
    .type('form')
    .send({ token: tokenOf(role) });
  const cookie = String(signedIn.get('set-cookie')).split(';')[0] ?? '';
  const get = (path: string) => request(app).get(path).set('Cookie', cookie);
  const csrf = /name="_csrf" value="([^"]+)"/.exec((await get('/orders')).text)?.[1] ?? '';
  const post = (path: string, fields: object = {}) => {
    const form = { _csrf: csrf, _back: path.replace(/(?<=.)\/.*/, ''), ...fields };
    return request(app).post(path).set(HERE).set('Cookie', cookie).type('form').send(form);
  };
  return { cookie, csrf, get, post };
}

/** Somebody of that role at the console, without a browser: reads pages and sends their forms. */
export async function visit(app: Express, role: string): Promise<Reader> {
  const agent = request.agent(app);
  const token = tokenOf(role);
  await agent.post('/sign-in').set(HERE).type('form').send({ token });
  const get = async (path: string) => new Shown(path, await agent.get(path).set('Host', HOST));
  const press: Reader['press'] = async (page, button, given = {}) => {
    const { action, fields } = page.form(button);
    const unknown = Object.keys(given).filter((name) => !(name in fields));
    if (unknown.length > 0) throw new Error(`The form of "${button}" has no ${unknown.join()}`);
    const answer = await agent
      .post(action)
      .set(HERE)
      .type('form')
      .send({ ...fields, ...given });
    return answer.status === 303 ? get(answer.get('location') ?? '') : new Shown(action, answer);
  };
  return { get, press };
}
