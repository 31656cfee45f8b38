import type { Config } from '../config.js';
import { ConfigError } from '../errors.js';
import { type AlertChannel, alertChannels } from '../notify/alert-channels.js';
import { checkOutboundUrl, OutboundAddressError, type OutboundRules } from '../outbound-address.js';

const ADDRESSES = ['STORE_CALLBACK_URL', 'ALERT_SLACK_URL', 'ALERT_WEBHOOK_URL', 'ALERT_HEARTBEAT_URL'] as const;

/** This machine may be called only where the service itself is on it, as in a trial. */
export function outboundRules(config: OutboundConfig): OutboundRules {
  const host = config.SERVICE_BASE_URL === undefined ? '' : new URL(config.SERVICE_BASE_URL).hostname;
  return {
    privateNetworks: config.OUTBOUND_PRIVATE_NETWORKS,
    loopback: host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host),
  };
}

type OutboundConfig = Pick<
  Config,
  | 'SERVICE_BASE_URL'
  | 'OUTBOUND_PRIVATE_NETWORKS'
  | 'CANARY_MINUTES'
  | 'WEBHOOK_PUBLIC_URL'
  | (typeof ADDRESSES)[number]
>;

/** What could never be called is said at the start. @throws {ConfigError} without the address, which may be a secret */
export function checkOutboundAddresses(config: OutboundConfig): void {
  const rules = outboundRules(config);
  const canaries = config.CANARY_MINUTES === undefined ? [] : (['WEBHOOK_PUBLIC_URL'] as const);
  for (const name of [...ADDRESSES, ...canaries]) {
    const url = config[name];
    if (url === undefined) continue;
    try {
      checkOutboundUrl(url, rules);
    } catch (error) {
      if (!(error instanceof OutboundAddressError)) throw error;
      throw new ConfigError(
        `${name}: ${error.message}. Accepted are https:// addresses outside of private networks; OUTBOUND_PRIVATE_NETWORKS=on allows those too`,
      );
    }
  }
}

export function channelsOf(config: Config, now: () => Date): AlertChannel[] {
  const { ALERT_SLACK_URL, ALERT_WEBHOOK_URL, ALERT_WEBHOOK_SECRET, ALERT_SMTP_URL, ALERT_EMAIL_TO } = config;
  const webhook =
    ALERT_WEBHOOK_URL === undefined || ALERT_WEBHOOK_SECRET === undefined
      ? undefined
      : { url: ALERT_WEBHOOK_URL, secret: ALERT_WEBHOOK_SECRET };
  const mail =
    ALERT_SMTP_URL === undefined || ALERT_EMAIL_TO === undefined
      ? undefined
      : { smtpUrl: ALERT_SMTP_URL, to: ALERT_EMAIL_TO };
  const settings = { slackUrl: ALERT_SLACK_URL, webhook, mail, consoleUrl: config.CONSOLE_PUBLIC_URL };
  return alertChannels(settings, { rules: outboundRules(config), now });
}
