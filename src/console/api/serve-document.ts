import { type RequestHandler, Router } from 'express';
import { sendTagged } from './answer-tag.js';
import { type OpenApiDocument, openapiDocument } from './openapi-document.js';
import { operations } from './operations.js';

let made: OpenApiDocument | undefined;

/** Made when it is first asked for: a start does not wait for it. */
export function apiDocument(): OpenApiDocument {
  made ??= openapiDocument(operations);
  return made;
}

/** The document needs no token: it says what can be asked for, and nothing of what is answered. */
export function serveDocument(): Router {
  let text: string | undefined;
  const answer: RequestHandler = (req, res) => {
    text ??= JSON.stringify(apiDocument());
    sendTagged(req, res.set('Cache-Control', 'no-cache'), { text, role: '' });
  };
  return Router().get('/openapi.json', answer);
}
