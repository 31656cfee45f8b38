/** Where what an alert is about is seen, and acted upon. */
export function alertHref(name: string, subject: string): string {
  const href = hrefs[name];
  if (href === undefined) return '/doctor';
  return href.endsWith('=') ? `${href}${encodeURIComponent(subject)}` : href;
}

const hrefs: Readonly<Record<string, string>> = {
  TallyhookDown: '/deliveries',
  TallyhookQueueDown: '/queues',
  TallyhookNoWebhooks: '/deliveries',
  TallyhookNoSecretAccepted: '/secrets',
  TallyhookInvalidSignatures: '/rejections?reason=invalid_signature',
  TallyhookExpiredTimestamps: '/rejections?reason=expired_timestamp',
  TallyhookEventsWait: '/events?status=received',
  TallyhookDeadEvents: '/events?status=dead',
  TallyhookMissedDeliveries: '/deliveries?show=missed',
  TallyhookUnproven: '/runs?kind=',
  TallyhookNeverProven: '/runs?kind=',
  TallyhookCriticalBreak: '/breaks?status=open&kind=',
  TallyhookEndpointOff: '/breaks?status=open&kind=',
  TallyhookHighBreak: '/breaks?status=open&kind=',
  TallyhookSettingsDiffer: '/doctor',
  TallyhookRefundUnlinked: '/orders?status=paid',
  TallyhookDeadCallbacks: '/callbacks?status=dead',
  TallyhookCallbacksWait: '/callbacks?status=pending',
  TallyhookAlertChannelFails: '/alerts',
};

/** What a notice says of its alert. */
export const noticeWords: Readonly<Record<string, string>> = {
  'alert.firing': 'fires',
  'alert.resolved': 'is over',
  'alert.digest': 'the day’s digest',
};
