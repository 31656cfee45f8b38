import type { SecretVerdict } from '../../domain/deliveries/secret-verdict.js';
import type { SecretStatus } from '../../domain/views/webhook-shapes.js';
import type { Tone } from './values.js';

interface VerdictWords {
  short: string;
  tone: Tone;
  title: string;
}

/** The verdict as docs/rotate-secrets.md has it. */
export const verdictWords: Readonly<Record<SecretVerdict, VerdictWords>> = {
  may_be_retired: { short: 'may be retired', tone: 'good', title: 'Everything speaks for retiring it' },
  keep: { short: 'keep', tone: 'info', title: 'It is still needed' },
  undetermined: { short: 'undetermined', tone: 'warn', title: 'It is not known whether it may go' },
  retired: { short: 'retired', tone: 'quiet', title: 'No receiver accepts it' },
};

/** Of the only secret there is a rotation has not begun. */
export function verdictOf(secret: SecretStatus, isOnly: boolean): VerdictWords {
  const { verdict, notSent, lacking, replacedBy } = secret;
  if (replacedBy !== null) {
    const title = 'Its endpoint is gone at the service, and another took its place';
    return { ...verdictWords[verdict], tone: 'bad', title };
  }
  if (verdict !== 'retired' && (notSent || lacking > 0)) {
    const title = notSent ? 'It may have leaked' : 'It may have leaked, or the history lacks events';
    return { ...verdictWords[verdict], tone: 'bad', title };
  }
  if (verdict === 'keep' && isOnly) return { ...verdictWords.keep, title: 'It is the one that is in use' };
  return verdictWords[verdict];
}
