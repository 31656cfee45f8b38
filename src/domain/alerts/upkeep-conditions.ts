import { counted } from '../in-words.js';
import { type Condition, lateSeconds, minutes, type Named, when } from './condition.js';

/** Whether Tallyhook itself is set up and kept as it should be. */
export const upkeepConditions: Named<Condition> = {
  TallyhookSettingsDiffer: {
    severity: 'critical',
    // A rolling restart is done in less.
    holdSeconds: 120,
    runbook: 'settings-differ',
    summary: 'Roles work with different settings',
    past: 'Roles worked with different settings',
    remedy:
      'Set it alike for every role, and restart those that differ. Until then which role decides an order counts.',
    page: '/doctor',
    check: 'registration',
    rule: { expr: 'max by (setting) (tallyhook_settings_differing) > 1', for: '2m', by: 'setting' },
    found: ({ settings }) =>
      settings.map(({ setting, values }) => ({ subject: setting, detail: `${setting}: ${values}.` })),
  },
  TallyhookSealingLags: {
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'sealing-lags',
    summary: 'What is written is not sealed',
    past: 'What was written was not sealed',
    remedy: 'See that a scheduler runs: “tallyhook schedule”. Its log says why nothing could be sealed.',
    page: '/audit',
    check: 'seals',
    rule: { expr: `max(tallyhook_seal_oldest_unsealed_seconds) > ${lateSeconds.seal}`, for: '5m' },
    found: ({ seals: { oldestUnsealedSeconds } }) =>
      when(
        oldestUnsealedSeconds > lateSeconds.seal,
        `The oldest row has waited for ${minutes(oldestUnsealedSeconds)}.`,
        { seconds: oldestUnsealedSeconds },
      ),
  },
  TallyhookSealsUnverified: {
    severity: 'warning',
    holdSeconds: 60,
    runbook: 'seals-are-not-verified',
    summary: 'Nobody knows whether what was sealed is as it was',
    past: 'Nobody knew whether what was sealed was as it had been',
    remedy:
      'Run “tallyhook audit verify”. If it ends well, see that a scheduler runs, and what its log says: it verifies once a day.',
    page: '/audit',
    check: 'seals verified',
    rule: { expr: `max(tallyhook_seal_unverified_seconds) > ${lateSeconds.verification}`, for: '5m' },
    found: ({ seals: { unverifiedSeconds } }) =>
      when(
        unverifiedSeconds > lateSeconds.verification,
        `All seals were not verified for ${counted(Math.floor(unverifiedSeconds / 86_400), 'day')}.`,
        { seconds: unverifiedSeconds },
      ),
  },
  TallyhookSealsBroken: {
    severity: 'critical',
    runbook: 'seals-are-broken',
    summary: 'Something was changed after it had been sealed',
    past: 'Something had been changed after it was sealed',
    remedy:
      'Run “tallyhook audit verify”: it names every place. Change nothing, and keep a copy of the database first.',
    page: '/audit',
    check: 'seals verified',
    rule: { expr: 'max(tallyhook_seal_findings) > 0' },
    found: ({ seals: { findings } }) =>
      when((findings ?? 0) > 0, `${counted(findings ?? 0, 'finding')} when the seals were verified last.`, {
        count: findings ?? 0,
      }),
  },
  TallyhookAlertChannelFails: {
    severity: 'warning',
    runbook: 'an-alert-channel-fails',
    summary: 'An alert channel fails',
    past: 'An alert channel failed',
    remedy:
      '“tallyhook alerts test” says what it answers: set the address or the secret that is wrong, and restart the schedulers.',
    page: '/alerts',
    rule: { expr: 'max by (channel) (tallyhook_alert_channel_failing) > 0', for: '5m', by: 'channel' },
    found: ({ channels }) =>
      channels
        .filter(({ failingSeconds }) => failingSeconds > lateSeconds.channel)
        .map(({ channel, failingSeconds, error }) => ({
          subject: channel,
          detail: `${channel} has failed for ${minutes(failingSeconds)}: ${error}`,
          seconds: failingSeconds,
          check: `alerts by ${channel}`,
        })),
  },
};
