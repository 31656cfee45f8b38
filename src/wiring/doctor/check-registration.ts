import { type Check, type DoctorParts, hint, ok } from './check.js';

const NAME = 'registration';

/** Whether a store that registers its orders also demands it. */
export async function checkRegistration({ db, config }: Pick<DoctorParts, 'db' | 'config'>): Promise<Check[]> {
  if (config.RELEASE_REQUIRES_REGISTRATION) return [ok(NAME, 'an order that is not registered is never released')];
  const found = await db('orders').whereNotNull('registered_at').first('reference');
  if (found === undefined) return [ok(NAME, 'no order is registered, and none has to be')];
  return [
    hint(
      NAME,
      'orders are registered, and one that is not may be released too',
      'once the store registers each order, set RELEASE_REQUIRES_REGISTRATION=on for every role',
    ),
  ];
}
