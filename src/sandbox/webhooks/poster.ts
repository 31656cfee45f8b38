import http from 'node:http';
import https from 'node:https';

export interface Answer {
  httpStatus: number | null;
  body: string | null;
  /** JSON text. */
  headers: string | null;
  error: string | null;
}

/** Sends bodies to endpoints over connections that are kept open. Never throws: a failure is an answer too. */
export interface Poster {
  post(url: string, headers: Record<string, string>, body: Buffer): Promise<Answer>;
  close(): void;
}

const KEPT_BODY = 1000;

export function createPoster({ timeoutMs, sockets }: { timeoutMs: number; sockets: number }): Poster {
  const options = { keepAlive: true, maxSockets: sockets, maxFreeSockets: sockets };
  const agents = { http: new http.Agent(options), https: new https.Agent(options) };
  const underWay = new Set<http.ClientRequest>();

  const once = (url: URL, headers: Record<string, string>, body: Buffer): Promise<Answer & { stale: boolean }> =>
    new Promise((resolve) => {
      const secure = url.protocol === 'https:';
      const request = (secure ? https : http).request(url, {
        method: 'POST',
        agent: secure ? agents.https : agents.http,
        headers: { ...headers, 'content-length': String(body.length) },
      });
      const timer = setTimeout(() => request.destroy(new Error('no answer in time')), timeoutMs);
      const finish = (answer: Answer, stale = false): void => {
        clearTimeout(timer);
        underWay.delete(request);
        resolve({ ...answer, stale });
      };
      underWay.add(request);
      request.on('error', (error: NodeJS.ErrnoException) => {
        const stale = request.reusedSocket && error.code === 'ECONNRESET';
        finish({ httpStatus: null, body: null, headers: null, error: error.message }, stale);
      });
      request.on('response', (response) => collect(response, finish));
      request.end(body);
    });

  return {
    async post(address, headers, body) {
      const url = new URL(address);
      const { stale, ...answer } = await once(url, headers, body);
      // A kept connection that the endpoint closed in the same moment: the request was not read.
      return stale ? await once(url, headers, body) : answer;
    },
    close() {
      for (const request of underWay) request.destroy(new Error('the service stops'));
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

function collect(response: http.IncomingMessage, finish: (answer: Answer) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    if (text.length < KEPT_BODY) text += chunk.slice(0, KEPT_BODY - text.length);
  });
  response.on('error', (error) => finish({ httpStatus: null, body: null, headers: null, error: error.message }));
  response.on('end', () =>
    finish({
      httpStatus: response.statusCode ?? null,
      body: text,
      headers: JSON.stringify(response.headers),
      error: null,
    }),
  );
}
