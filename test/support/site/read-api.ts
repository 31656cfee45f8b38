/** An order as the read API shows it. */
interface OrderShown {
  reference: string;
  status: string;
  expected: { amount: string; currency: string } | null;
  paymentIntents: string[];
  invoices: string[];
  refunds: string[];
  release: { safe: boolean; reason: string; provenAt: string | null };
}

export type Fields = Record<string, unknown>;

/** The read API of an installation, with the token of an operator. */
export interface ReadApi {
  /** For requests whose refusals are checked. */
  address: { url: string; headers: Record<string, string> };
  /** The body; null where there is no such thing. Any other refusal is an error. */
  get<T = Fields>(path: string): Promise<T | null>;
  /** All items of a list, from its first pages. */
  list<T = Fields>(path: string): Promise<T[]>;
  send(method: 'PUT' | 'POST', path: string, body: object): Promise<{ status: number; body: Fields }>;
  order(reference: string): Promise<OrderShown | null>;
}

const MOST_PAGES = 20;

export function createReadApi(url: string, token: string): ReadApi {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const get = async <T>(path: string): Promise<T | null> => {
    const response = await fetch(`${url}/api/v1/${path}`, { headers });
    const text = await response.text();
    if (response.status === 404) return null;
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  return {
    address: { url, headers },
    get,
    async list<T>(path: string) {
      const found: T[] = [];
      let cursor: string | null = '';
      for (let page = 0; page < MOST_PAGES && cursor !== null; page += 1) {
        const after: string = cursor === '' ? '' : `${path.includes('?') ? '&' : '?'}cursor=${cursor}`;
        const answer: { items: T[]; nextCursor: string | null } | null = await get(path + after);
        found.push(...(answer?.items ?? []));
        cursor = answer?.nextCursor ?? null;
      }
      return found;
    },
    async send(method, path, body) {
      const asked: RequestInit = { method, headers, body: JSON.stringify(body) };
      const response = await fetch(`${url}/api/v1/${path}`, asked);
      const text = await response.text();
      return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Fields) };
    },
    order: (reference) => get<OrderShown>(`orders/${encodeURIComponent(reference)}`),
  };
}
