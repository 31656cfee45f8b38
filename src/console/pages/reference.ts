import { everyRole } from '../../domain/console-roles.js';
import { grouped } from '../../domain/grouped.js';
import type { DocumentOperation } from '../api/openapi-document.js';
import { apiDocument } from '../api/serve-document.js';
import type { Page } from '../page.js';
import { factsPanel, panel, type Section, table } from '../view/sections.js';
import { badge, id, link, list, text, type Value } from '../view/values.js';

/** An operation of the document, with where it stands there. */
export interface Documented {
  method: string;
  path: string;
  operation: DocumentOperation;
}

export function documented(): Documented[] {
  return Object.entries(apiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** The document as people read it. */
export const reference: Page = {
  path: '/reference',
  title: 'API',
  group: 'Operation',
  load: async () => ({
    intro:
      'What programs can ask of this Tallyhook. The same as OpenAPI 3.1, for machines, is at /api/v1/openapi.json.',
    sections: [howToAsk, ...groups()],
  }),
};

const howToAsk = factsPanel('How to ask', [
  ['Document', link('/api/v1/openapi.json', '/api/v1/openapi.json')],
  ['Token', list([id('Authorization: Bearer <token>'), text('one of CONSOLE_TOKENS; each has a role')])],
  [
    'Lists',
    text(
      'newest first; take up to 500, then ask again with cursor = nextCursor until that is null; filters by the fields’ own names',
    ),
  ],
  ['Amounts and times', text('decimal strings without trailing zeros; ISO 8601, UTC')],
  [
    'Errors',
    text('RFC 9457 problems, application/problem+json: title, status and detail, which says what is accepted'),
  ],
  [
    'Unchanged?',
    text('every answer to GET has an ETag: send it as If-None-Match, and what has not changed is 304 without a body'),
  ],
  ['Personal data', text('masked for the role viewer')],
]);

function groups(): Section[] {
  const byGroup = grouped(documented(), ({ operation }) => operation.tags[0]);
  return apiDocument().tags.map(({ name, description }) => groupOf(name, description, byGroup.get(name) ?? []));
}

function groupOf(name: string, description: string, own: readonly Documented[]): Section {
  const operations = table(own, {
    caption: `Operations: ${name}`,
    showCaption: false,
    columns: [
      ['Method', ({ method }) => methodBadge(method)],
      ['Address', ({ path, operation }) => link(path, `/reference/${operation.operationId}`)],
      ['What it does', ({ operation }) => text(operation.summary)],
      ['Who may', ({ operation }) => whoMay(operation)],
    ],
  });
  return panel(name, [operations], { intro: description });
}

export function methodBadge(method: string): Value {
  return badge(method, method === 'GET' ? 'info' : 'warn');
}

export function whoMay({ 'x-roles': roles, security }: DocumentOperation): Value {
  if (security !== undefined) return text('everybody, without a token');
  return text(roles.length === everyRole.length ? 'every role' : roles.join(', '));
}
