import { test } from 'vitest';
import { createTestDatabase } from '../../support/database.js';

test('leaves a database', async () => {
  const { db } = await createTestDatabase();
  await db.destroy();
});
