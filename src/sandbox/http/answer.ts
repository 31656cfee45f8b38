import type { ErrorRequestHandler, RequestHandler, Response } from 'express';
import { notFound, Refusal } from '../base/refusal.js';
import type { Service } from '../service.js';

/** For JSON that is a text already and must stay as it is. */
export function sendJson(response: Response, text: string, status = 200): void {
  response.status(status).type('application/json').send(text);
}

export const answerUnknownPath: RequestHandler = (request) => {
  throw notFound(`${request.method} ${request.path}`);
};

/** The error body is `{statusCode, code, message}`, or as the faults have it. */
export function createAnswerError(service: Service): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { statusCode, code, message } = asRefusal(error);
    const body = { statusCode, code, message };
    response.status(statusCode).json(service.faults.errorBody === 'nested' ? { error: body } : body);
  };
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const status = (error as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500)
    return new Refusal(status, 'BAD_REQUEST', error instanceof Error ? error.message : 'bad request');
  return new Refusal(500, 'INTERNAL_ERROR', error instanceof Error ? error.message : 'internal error');
}
