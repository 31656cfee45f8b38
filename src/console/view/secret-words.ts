import type { SecretStatus } from '../../domain/deliveries/secret-status.js';
import type { SecretVerdict } from '../../domain/deliveries/secret-verdict.js';
import type { Tone } from './values.js';

interface VerdictWords {
  short: string;
  tone: Tone;
  /** What it means, and which step of docs/rotate-secrets.md comes next. */
  title: string;
  next: string;
}

/** The verdict as docs/rotate-secrets.md has it. */
export const verdictWords: Readonly<Record<SecretVerdict, VerdictWords>> = {
  may_be_retired: {
    short: 'may be retired',
    tone: 'good',
    title: 'Everything speaks for retiring it',
    next: 'Retire it here, then delete its endpoint in the service’s dashboard (docs/rotate-secrets.md, steps 5 and 6).',
  },
  keep: {
    short: 'keep',
    tone: 'info',
    title: 'It is still needed',
    next: 'Wait, or mend what is missing (docs/rotate-secrets.md, step 4).',
  },
  undetermined: {
    short: 'undetermined',
    tone: 'warn',
    title: 'It can’t be told whether it may go',
    next: 'Usually a run of endpoints and of deliveries tells (docs/rotate-secrets.md, step 4).',
  },
  retired: {
    short: 'retired',
    tone: 'quiet',
    title: 'No receiver accepts it',
    next: 'Delete its endpoint in the dashboard, then take it out of WEBHOOK_SECRETS (docs/rotate-secrets.md, steps 6 and 7). It can be taken back until then.',
  },
};

/** The only secret there is waits for nothing: a rotation has not begun. */
export function verdictOf({ verdict, missing }: SecretStatus, isOnly: boolean): VerdictWords & { missing: string[] } {
  if (verdict === 'keep' && isOnly) {
    const next =
      'To change it, begin at step 1 of docs/rotate-secrets.md: a new endpoint, then a second secret beside this one.';
    return { ...verdictWords.keep, title: 'It is the one that is in use', next, missing: [] };
  }
  return { ...verdictWords[verdict], missing };
}
