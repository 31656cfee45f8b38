import { type RequestHandler, Router } from 'express';
import { answerTag } from './answer-tag.js';
import { openapiDocument } from './openapi-document.js';
import { operations } from './operations.js';

export const apiDocument = openapiDocument(operations);

/** The document needs no token: it tells what can be asked for, and nothing of what is answered. */
export function serveDocument(): Router {
  const text = JSON.stringify(apiDocument);
  const answer: RequestHandler = (_req, res) => {
    res
      .set({ ETag: answerTag('', text), 'Cache-Control': 'no-cache' })
      .type('application/json')
      .send(text);
  };
  return Router().get('/openapi.json', answer);
}
