import type { RequestListener } from 'node:http';

interface Health {
  ready: () => Promise<{ ok: boolean }>;
  /** Left out where metrics are none of the caller's business. */
  metrics?: () => Promise<{ contentType: string; body: string }>;
}

/** /livez, /readyz and /metrics for a process without pages of its own. Anything else is answered with `otherwise`. */
export function healthListener(health: Health, otherwise = { status: 404, error: 'not_found' }): RequestListener {
  return (req, res) => {
    const answer = (status: number, body: unknown) => {
      res.writeHead(status, { 'Content-Type': 'application/json', ...(status === 503 && { 'Retry-After': '5' }) });
      res.end(JSON.stringify(body));
    };
    const path = req.url?.split('?')[0];
    if (path === '/livez') return answer(200, { ok: true });
    if (path === '/readyz') return void health.ready().then((state) => answer(state.ok ? 200 : 503, state));
    if (path === '/metrics' && health.metrics) {
      return void health.metrics().then(
        ({ contentType, body }) => res.writeHead(200, { 'Content-Type': contentType }).end(body),
        () => answer(503, { error: 'unavailable' }),
      );
    }
    return answer(otherwise.status, { error: otherwise.error });
  };
}
