import { z } from 'zod';
import { consoleTokens } from './labelled-lists.js';
import { httpUrl, proxies, wholeNumber } from './values.js';
import { host, port, type Variable } from './variable.js';

/** The console and its tokens, and what a port that is not the receiver’s needs. */
export const consoleVariables = {
  CONSOLE_TOKENS: {
    schema: consoleTokens,
    accepts:
      'name:role:token,…; roles viewer, operator, finance, admin; tokens of your own of 16 characters or more; no name and no token twice',
    meaning:
      'name:role:token,…: who may sign in. Roles: viewer, operator, finance, admin. Make each token yourself: openssl rand -hex 24.',
    secret: true,
    source: 'made up by you, e.g. admin:admin:$(openssl rand -hex 24)',
    neededBy: ['console'],
    usedBy: ['console'],
  },
  TALLYHOOK_TOKEN: {
    schema: z.string(),
    accepts: 'one of the tokens in CONSOLE_TOKENS',
    meaning:
      'Your own token, in your own shell. The audit keeps what you do on the command line under its name; without it under os: and the operating system’s user.',
    secret: true,
    source: 'one of the tokens in CONSOLE_TOKENS',
    usedBy: [],
  },
  CONSOLE_PORT: { ...port, meaning: 'The private port: pages, read API, /metrics and probes.', fallback: '8081' },
  CONSOLE_HOST: {
    ...host,
    meaning: 'The address at which CONSOLE_PORT and METRICS_PORT listen.',
    fallback: '127.0.0.1',
  },
  CONSOLE_PUBLIC_URL: {
    schema: httpUrl,
    accepts: 'the http:// or https:// address at which people open the console',
    meaning:
      'Where people open the console: each alert that is sent leads to its page there. Unset: it names a command.',
    example: 'https://tallyhook.example.com',
    usedBy: ['scheduler', 'console'],
  },
  TRUSTED_PROXIES: {
    schema: proxies,
    accepts:
      'addresses and networks such as 10.0.0.5,192.168.1.0/24, comma between; or loopback, linklocal, uniquelocal',
    meaning: 'Proxies before the console whose X-Forwarded-For is believed.',
    example: '10.0.0.5,192.168.1.0/24',
  },
  METRICS_PORT: {
    ...port,
    meaning: '/metrics, /livez and /readyz of a role that runs alone; 0 is any free port, printed.',
    example: '9090',
  },
  DRAIN_SECONDS: {
    schema: wholeNumber(0, 300),
    accepts: 'whole seconds, 0 to 300',
    meaning: 'How long the ports still answer after SIGTERM, while /readyz answers 503; docs/deploy.md.',
    fallback: '5',
  },
} satisfies Readonly<Record<string, Variable>>;
