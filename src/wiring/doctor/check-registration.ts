import { differingSettings, valuesText } from '../../records/alerts/process-settings.js';
import { sharedSettings } from '../reconcile-settings.js';
import { type Check, type DoctorParts, finding, hint, ok } from './check.js';

const NAME = 'registration';

/** Whether all roles at work hold a release to the same, and whether a store that registers its orders also demands it. */
export async function checkRegistration({ db, config }: Pick<DoctorParts, 'db' | 'config'>): Promise<Check[]> {
  const differing = await differingSettings(db, sharedSettings(config));
  if (differing.length > 0) {
    const remedy = 'set it alike for every role and for this command, and restart those that differ';
    return differing.map((found) => finding(NAME, `${found.setting} is ${valuesText(found)}`, remedy));
  }
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
