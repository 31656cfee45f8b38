import { beforeEach, describe, expect, it } from 'vitest';
import { checkAlerts } from '../../src/notify/alert-loop.js';
import { alertDeps } from '../notify/alert-deps.js';
import { useFreshDatabase } from '../support/database.js';
import { useShell } from '../support/shell.js';
import { open, readAll } from './fault-steps.js';
import { faults } from './faults.js';
import { allWell, readPlaces, runEverySeconds } from './five-places.js';

/*
 * While the service is away nothing can be recovered. Its outage stands before all that waits for it, under one title, at the five places,
 * and none of them says that it can be done now.
 */
const database = useFreshDatabase();
const run = useShell(database);
const AWAY = 'The service does not answer';

beforeEach(() => allWell(database.db));

async function goAway(): Promise<void> {
  const { db } = database;
  await db('deliveries').where({ open: true }).update({ payload: '{}' });
  await db('deliveries')
    .where({ open: true, created_at: null })
    .update({ created_at: db.raw("now() - interval '9 minutes'") });
  await readAll(db, 5, 'service_unavailable: listPayouts: no answer');
  const asked = { ...alertDeps(db, () => new Date()), runEverySeconds };
  await checkAlerts({ ...asked, now: () => new Date(Date.now() - 180_000) });
  await checkAlerts(asked);
}

const lost = faults.filter(({ what }) =>
  /^(deliveries are missed|phantoms are not|something else answers|the secret is wrong|no receiver)/.test(what),
);

describe('what waits for the service stands behind its outage wherever it is read, and is not offered', () => {
  it.each(lost)('$what', async ({ play, title }) => {
    const { db } = database;
    await play(db);
    if (title.startsWith('Webhooks are rejected'))
      await faults.find(({ what }) => what.startsWith('deliveries'))?.play(db);
    await open(db, 'duplicate_payment', 2);
    await goAway();
    const { status, overview, buttons, console, doctor, command, lines } = await readPlaces(db, run);

    const [first] = command.problems;
    expect([first?.title, first?.waitsFor]).toEqual([AWAY, null]);
    const waiting = command.problems.filter(({ waitsFor }) => waitsFor === AWAY);
    expect(waiting.length).toBeGreaterThan(0);
    for (const { remedy } of waiting)
      expect(remedy).toMatch(/once the service answers again, “tallyhook deliveries recover /);
    expect(lines[0]).toContain(`critical: ${AWAY}`);
    expect(status.items[0]?.text).toBe(AWAY);

    const findings = doctor.filter(({ status: of }) => of === 'finding');
    expect(findings[0]?.found).toMatch(`${AWAY}. The payment service does not answer since `);
    expect(findings[0]?.follows?.join()).toMatch(/\d+ checks are not made, which ask the service/);
    expect(findings.flatMap(({ waitsFor }) => waitsFor ?? [])).toEqual(waiting.map(() => AWAY));

    const main = overview.slice(overview.indexOf('What to do now'));
    for (const one of waiting) expect(main.indexOf(AWAY)).toBeLessThan(main.indexOf(one.title));
    expect(main).toContain(`waits for: ${AWAY}`);

    const { items } = (await run('alerts', 'list', '--json')).json as {
      items: { name: string; waitsFor: string | null }[];
    };
    expect(items[0]?.name).toBe('TallyhookServiceAway');
    const page = await console.get('/alerts');
    const deliveries = await console.get('/deliveries');
    for (const place of [buttons, page.main, deliveries.main]) {
      expect(place).not.toMatch(/Recover (\d+|a time range|the selected)…/);
      expect(place).not.toContain('can be recovered now');
    }
    expect(deliveries.text).toMatch(/What is not here can be recovered once the service answers again\./);
  });
});
