import { defineKind, group } from './kind.js';

export const endpoint = defineKind({
  section: '2.12',
  about: 'A webhook endpoint at the service. Its secret is never part of it.',
  idExample: 'we_1',
  names: ['webhookEndpoint', 'endpoint'],
  vanishing: 'quiet',
  fields: group('Endpoint', {
    url: {
      type: 'text',
      about: 'Where the service calls.',
      example: 'https://shop.example/webhooks',
      label: 'URL',
      copied: true,
      column: true,
    },
    isActive: { type: 'flag', label: 'Active' },
    events: { type: 'texts', about: 'Types that it subscribes to.', example: ['payment_intent.completed'] },
    createdAt: { type: 'time' },
  }),
  api: { group: 'Webhooks', one: 'webhook endpoint', many: 'webhook endpoints' },
  href: '/endpoints',
  page: {
    title: 'Endpoints',
    one: 'endpoint',
    group: 'Webhooks',
    intro: 'Where the service sends events: each has a signing secret of its own.',
    empty: 'The service shows its endpoints to business accounts alone; they appear once its list was read.',
    filters: ['url'],
    columns: ['url', 'isActive'],
    related: [],
  },
});
