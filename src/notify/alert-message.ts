/** What a channel is to send. Nothing in it identifies a person, or is a secret. */
export interface AlertMessage {
  type: 'alert.firing' | 'alert.resolved' | 'alert.digest' | 'alert.test' | 'books.closed';
  severity?: string;
  subject?: string;
  summary: string;
  detail: string;
  remedy?: string;
  runbook?: string;
  alertId?: string;
  /** Where it is read and acted upon, at the console. */
  link?: string;
  [field: string]: unknown;
}

const MARKS = {
  'alert.firing': '',
  'alert.resolved': 'Resolved: ',
  'alert.digest': '',
  'alert.test': '',
  'books.closed': '',
} as const;

/** One line, as the subject of a mail or the head of a chat message. */
export function headline({ type, severity, subject, summary }: AlertMessage): string {
  const of = subject === undefined || subject === '' ? '' : ` (${subject})`;
  const grave = type === 'alert.firing' && severity !== undefined ? `[${severity}] ` : '';
  return `${grave}${MARKS[type]}${summary}${of}`;
}

export function messageText(message: AlertMessage): string {
  const { type, detail, remedy, runbook, alertId, link } = message;
  const show = alertId === undefined ? [] : [`More: tallyhook alerts show ${alertId}`];
  const open = link === undefined ? show : [`Open: ${link}`];
  if (type === 'alert.resolved') return [headline(message), `It was so: ${detail}`, ...open].join('\n');
  const advice = [remedy, runbook].filter((part) => part !== undefined && part !== '').join(' More: ');
  return [headline(message), detail, ...(advice === '' ? [] : [`What to do: ${advice}`]), ...open].join('\n');
}

/** With the way to its page, else to that of all alerts, where the console's address is known. */
export function linked(message: AlertMessage, consoleUrl: string | undefined): AlertMessage {
  if (consoleUrl === undefined) return message;
  const { alertId } = message;
  return { ...message, link: `${consoleUrl}/alerts${alertId === undefined ? '' : `/${alertId}`}` };
}
