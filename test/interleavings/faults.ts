/** Something of the product that is broken on purpose: `from` becomes `to`. */
export interface Fault {
  name: string;
  file: string;
  from: string;
  to: string;
  /** It takes three at once, in one order of many: it says how often it is found, and may not be. */
  isRare?: true;
}

/** Planted one at a time, as the module is loaded: no file is touched. */
export const faults: Fault[] = [
  {
    name: 'lock order reversed: kinds of records in the order in which they came',
    file: 'src/records/saving/save-observations.ts',
    from: 'new Map(recordKinds.map((kind)',
    to: 'new Map([...new Set([...observations.map(({ kind }) => kind), ...recordKinds])].map((kind)',
  },
  {
    name: 'a missing fence',
    file: 'src/reconcile/write-fenced.ts',
    from: 'if (fence?.runId) await holdRun(trx, fence.runId, tally, now());',
    to: 'void holdRun;',
  },
  {
    name: 'an UPDATE without its condition: a run that was taken for dead is closed again',
    file: 'src/records/runs/runs.ts',
    from: `.where({ id, status: 'running' })
    .update({ ...asColumns(fields),`,
    to: `.where({ id })
    .update({ ...asColumns(fields),`,
  },
  {
    name: 'a sweep that takes rows in progress',
    file: 'src/records/inbox/inbox-work.ts',
    from: 'ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED',
    to: 'ORDER BY next_attempt_at LIMIT ${limit}',
  },
  {
    name: 'refresh requests saved before records',
    file: 'src/records/saving/save-observations.ts',
    from: 'const [, saved] = await together(',
    to: `const early = observations.map(({ kind, id }) => ({ kind, id, reason: 'claimed' }));
  await updateRefreshRequests(trx, early, []);
  const [, saved] = await together(`,
  },
  {
    name: 'a feed read past its safe end',
    file: 'src/records/changes.ts',
    from: ".where('seq', '<=', upTo)",
    to: ".where('seq', '<=', String(Number(upTo) + 1e6))",
  },
  {
    name: 'links are not locked',
    file: 'src/records/family/affected.ts',
    from: 'together(lockLinks(trx, members, expected), read())',
    to: 'together(Promise.resolve(lockLinks), read())',
  },
  {
    name: 'links are read before they are locked',
    file: 'src/records/family/affected.ts',
    from: 'const [, after] = await together(lockLinks(trx, members, expected), read())',
    to: 'const after = await read(); await lockLinks(trx, members, expected)',
  },
  {
    name: 'what turns up while links are locked is not locked',
    file: 'src/records/family/affected.ts',
    from: 'await lockIds(trx, further);',
    to: 'void lockIds;',
    isRare: true,
  },
  {
    name: 'links are shared by all',
    file: 'src/records/family/lock.ts',
    from: 'exclusive: exclusive.has(key)',
    to: 'exclusive: false',
  },
  {
    name: 'links are locked as they come',
    file: 'src/records/family/lock.ts',
    from: 'const keys = [...new Set([...exclusive, ...shared])].sort((a, b) => a - b);',
    to: 'const keys = [...new Set([...exclusive, ...shared])];',
    isRare: true,
  },
  {
    name: 'a worker takes rows in progress',
    file: 'src/records/inbox/inbox-work.ts',
    from: 'ORDER BY id FOR UPDATE SKIP LOCKED\n    ), sized',
    to: 'ORDER BY id\n    ), sized',
  },
  {
    name: 'a reading that shows the same again goes back in time',
    file: 'src/records/saving/touch-unchanged.ts',
    from: 'WHERE record.id = given.id AND ${IS_NEWER}`',
    to: 'WHERE record.id = given.id`',
  },
  {
    name: 'a secret is retired again by whoever does not know that it is',
    file: 'src/records/deliveries/secrets.ts',
    from: 'WHERE s.retired_at IS NULL`',
    to: '`',
  },
  {
    name: 'retired secrets are accepted',
    file: 'src/webhook/secret-source.ts',
    from: 'configured.filter(({ label }) => !retired.has(label))',
    to: 'configured',
  },
];
