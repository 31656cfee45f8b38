import { type RequestHandler, Router } from 'express';
import { sendTagged } from './answer-tag.js';
import { openapiDocument } from './openapi-document.js';
import { operations } from './operations.js';

export const apiDocument = openapiDocument(operations);

/** The document needs no token: it says what can be asked for, and nothing of what is answered. */
export function serveDocument(): Router {
  const text = JSON.stringify(apiDocument);
  const answer: RequestHandler = (req, res) => {
    sendTagged(req, res.set('Cache-Control', 'no-cache'), { text, role: '' });
  };
  return Router().get('/openapi.json', answer);
}
