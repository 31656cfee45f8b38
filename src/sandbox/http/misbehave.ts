import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import { createDraw } from '../base/random.js';
import { Refusal } from '../base/refusal.js';
import type { Service } from '../service.js';

/** The API faults: slow, 429, 5xx, a page of HTML, a connection cut in the middle of the answer. */
export function misbehave(service: Service): RequestHandler {
  const { seed } = service.settings;
  let requests = 0;
  return async (_request, response, next) => {
    const { faults } = service;
    requests += 1;
    const n = requests;
    const struck = (chance: number, stream: string): boolean => chance > 0 && createDraw(seed, stream)(n) < chance;
    if (struck(faults.slow, 'api-slow')) await sleep(faults.slowMs, undefined, { ref: false });
    if (struck(faults.rateLimit, 'api-rate-limit')) {
      setRetryAfter(service, response);
      throw new Refusal(429, 'RATE_LIMITED', 'too many requests');
    }
    if (struck(faults.serverError, 'api-server-error'))
      throw new Refusal(500 + Math.floor(createDraw(seed, 'api-which')(n) * 5), 'INTERNAL_ERROR', 'something broke');
    if (struck(faults.html, 'api-html')) {
      const status = createDraw(seed, 'api-which')(n) < 0.5 ? 200 : 502;
      response.status(status).type('html').send('<!doctype html><title>Bad gateway</title><h1>Bad gateway</h1>');
      return;
    }
    if (struck(faults.cut, 'api-cut')) cutOff(response);
    next();
  };
}

function setRetryAfter({ faults, clock }: Service, response: Response): void {
  if (faults.retryAfter === null) return;
  const value = faults.retryAfter === 'http-date' ? new Date(clock.now() + 1000).toUTCString() : `${faults.retryAfter}`;
  response.setHeader('Retry-After', value);
}

/** Half of the answer arrives under a Content-Length that promises all of it. */
function cutOff(response: Response): void {
  response.send = (body: unknown) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    response.setHeader('Content-Length', String(bytes.length));
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
    return response;
  };
}
