import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { verbs } from '../../src/cli/registry.js';
import type { Role, Variable } from '../../src/config/variable.js';
import { variables } from '../../src/config/variables.js';

const ROOT = path.join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

interface Service {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string | null>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  secrets?: string[];
  networks?: string[];
  ports?: string[];
  stop_grace_period?: string;
}

const compose = parseYaml(read('docker-compose.yml')) as {
  services: Record<string, Service>;
  networks: Record<string, unknown>;
  volumes: Record<string, unknown>;
  secrets: Record<string, { file: string }>;
};
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);
const isSecret = (name: string) => (variables as Record<string, Variable>)[name]?.secret === true;
const known = verbs.map(({ name }) => name);

describe('the compose file', () => {
  it('starts every role on its own, and the migration', () => {
    expect(Object.fromEntries(ours.map(([name, { command }]) => [name, command]))).toEqual({
      migrate: ['migrate'],
      receiver: ['serve'],
      worker: ['work'],
      scheduler: ['schedule'],
      console: ['console'],
    });
  });

  it('lets the roles wait for the migration, and the migration for the database', () => {
    for (const [name, { depends_on = {} }] of services) {
      for (const [other, { condition }] of Object.entries(depends_on)) {
        const target = compose.services[other];
        expect(target, `${name} waits for ${other}`).toBeDefined();
        if (condition === 'service_healthy') expect(target?.healthcheck?.test[0]).toMatch(/^CMD/);
        else expect(condition).toBe('service_completed_successfully');
      }
    }
    for (const [name, { depends_on = {} }] of ours) {
      expect(Object.keys(depends_on), name).toContain(name === 'migrate' ? 'postgres' : 'migrate');
    }
  });

  it('gives each of ours the same settings, a read-only root and no capability', () => {
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({ read_only: true, cap_drop: ['ALL'], image: 'tallyhook' });
      expect(service.environment, name).toMatchObject(compose.services['migrate']?.environment ?? {});
    }
  });

  it('lets ours end in peace, for as long as is configured, or as the default of DRAIN_SECONDS needs', () => {
    const least = Number(variables.DRAIN_SECONDS.fallback) + 50;
    for (const [name, { stop_grace_period: grace = '' }] of ours) {
      expect(grace, name).toMatch(/^\$\{STOP_GRACE_PERIOD:-\d+s\}$/);
      expect(Number(/\d+/.exec(grace)?.[0]), name).toBeGreaterThanOrEqual(least);
    }
  });

  it.each<[Role]>([['receiver'], ['worker'], ['scheduler'], ['console']])(
    'gives the %s every setting that it reads, and no other, but where things lie in a container',
    (role) => {
      const read = Object.entries(variables as Record<string, Variable>)
        .filter(([, { usedBy = [role], neededBy = [] }]) => [...usedBy, ...neededBy].includes(role))
        .map(([name]) => name)
        .filter((name) => !['DATABASE_DIRECT_URL', 'CONTRACT_FILE', 'CHART_FILE'].includes(name));
      const given = Object.keys(compose.services[role]?.environment ?? {});
      expect(given.map((name) => (name in variables ? name : name.replace(/_FILE$/, ''))).toSorted()).toEqual(
        read.toSorted(),
      );
    },
  );

  it('gives each role the secrets that it needs, and no other', () => {
    const database = 'DATABASE_PASSWORD_FILE';
    const key = 'SERVICE_API_KEY_FILE';
    const given = ours.map(([name, { environment = {} }]) => [
      name,
      Object.keys(environment).filter((variable) => variable.endsWith('_FILE')),
    ]);
    expect(Object.fromEntries(given)).toEqual({
      migrate: [database],
      receiver: [database, 'WEBHOOK_SECRETS_FILE'],
      worker: [database, key, 'WEBHOOK_SECRETS_FILE'],
      scheduler: [database, key],
      console: [database, key, 'WEBHOOK_SECRETS_FILE', 'CONSOLE_TOKENS_FILE'],
    });
    for (const [name, { environment = {}, secrets = [] }] of services) {
      const files = Object.entries(environment).filter(([variable]) => variable.endsWith('_FILE'));
      expect(new Set(files.map(([, file]) => file)), name).toEqual(
        new Set(secrets.map((secret) => `/run/secrets/${secret}`)),
      );
      // What is passed on by name is a secret of callbacks and alerts, which a compose file can't demand.
      const open = Object.keys(environment).filter((variable) => isSecret(variable) && environment[variable] === null);
      if (!['scheduler', 'console'].includes(name)) expect(open, name).toEqual([]);
      expect(
        open.filter((variable) => !/^(ALERT|STORE_CALLBACK)_/.test(variable)),
        name,
      ).toEqual([]);
    }
  });

  it('has no password of its own, in an address or as a default, and starts without none', () => {
    expect(Object.keys(compose.secrets)).toHaveLength(4);
    for (const [name, { file }] of Object.entries(compose.secrets))
      expect(file).toMatch(new RegExp(`^\\$\\{TALLYHOOK_SECRETS:\\?[\\w .,/-]+\\}/${name}$`));
    for (const [name, { environment = {} }] of services) {
      const values = Object.entries(environment).filter(([, value]) => value !== null);
      expect(
        values.filter(([, value]) => /\$|:\/\/[^/@]*:[^/@]*@/.test(String(value))),
        name,
      ).toEqual([]);
      expect(
        values.filter(([variable]) => /PASSWORD|SECRET|TOKEN|KEY/.test(variable) && !variable.endsWith('_FILE')),
      ).toEqual([]);
    }
  });

  it('keeps Postgres, Redis and the migration on a network without a way out, and opens two ports', () => {
    expect(compose.networks).toEqual({ data: { internal: true } });
    const role = ['data', 'default'];
    expect(Object.fromEntries(services.map(([name, { networks }]) => [name, networks]))).toEqual({
      postgres: ['data'],
      redis: ['data'],
      migrate: ['data'],
      receiver: role,
      worker: role,
      scheduler: role,
      console: role,
    });
    const ports = services.flatMap(([name, { ports: open = [] }]) => open.map((port) => [name, port]));
    expect(ports).toEqual([
      ['receiver', '8080:8080'],
      ['console', '127.0.0.1:8081:8081'],
    ]);
  });

  it('keeps data in volumes that it declares, from images of a named version', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]));
    expect(new Set(used)).toEqual(new Set(Object.keys(compose.volumes)));
    const foreign = services.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
    for (const image of foreign) expect(image).toMatch(/^[a-z]+:\d+/);
  });
});

describe('the Procfile', () => {
  const lines = new Map(
    read('Procfile')
      .trim()
      .split('\n')
      .map((line): [string, string] => {
        const [name = '', command = ''] = line.split(': ');
        return [name, command];
      }),
  );

  it('migrates in the release phase, before any process of the new version', () => {
    expect(lines.get('release')).toBe('node dist/cli.js migrate');
  });

  it('has each role, by a verb that is there', () => {
    const commands = [...lines.values()].map(
      (command) => /^node dist\/cli\.js ([a-z]+)$/.exec(command)?.[1] ?? command,
    );
    expect(commands.filter((verb) => !known.includes(verb))).toEqual([]);
    expect(commands.toSorted()).toEqual(['console', 'migrate', 'schedule', 'serve', 'work']);
  });
});
