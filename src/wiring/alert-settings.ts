import type { Config } from '../config.js';
import { type AlertChannel, alertChannels } from '../notify/alert-channels.js';
import { outboundRules } from './outbound.js';

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
  return alertChannels({ slackUrl: ALERT_SLACK_URL, webhook, mail }, { rules: outboundRules(config), now });
}
