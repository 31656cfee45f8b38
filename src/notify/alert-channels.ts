import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import type { channelNames } from '../domain/alerts/condition.js';
import { CALL_TIMEOUT_MS, type CallOutAnswer, type CallOutDeps, callOut, signedHeaders } from './call-out.js';

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
function headline({ type, severity, subject, summary }: AlertMessage): string {
  const of = subject === undefined || subject === '' ? '' : ` (${subject})`;
  const grave = type === 'alert.firing' && severity !== undefined ? `[${severity}] ` : '';
  return `${grave}${MARKS[type]}${summary}${of}`;
}

function messageText(message: AlertMessage): string {
  const { type, detail, remedy, runbook, alertId, link } = message;
  const show = alertId === undefined ? [] : [`More: tallyhook alerts show ${alertId}`];
  const open = link === undefined ? show : [`Open: ${link}`];
  if (type === 'alert.resolved') return [headline(message), detail, remedy ?? '', ...open].join('\n');
  const advice = [remedy, runbook].filter((part) => part !== undefined && part !== '').join(' More: ');
  return [headline(message), detail, ...(advice === '' ? [] : [`What to do: ${advice}`]), ...open].join('\n');
}

/** With the way to its page, else to that of all alerts, where the console's address is known. */
function linked(message: AlertMessage, consoleUrl: string | undefined): AlertMessage {
  if (consoleUrl === undefined) return message;
  const { alertId } = message;
  return { ...message, link: `${consoleUrl}/alerts${alertId === undefined ? '' : `/${alertId}`}` };
}

export interface AlertChannel {
  name: (typeof channelNames)[number];
  send(notice: { id: string; at: Date; message: AlertMessage }): Promise<CallOutAnswer>;
}

export interface ChannelSettings {
  /** CONSOLE_PUBLIC_URL. */
  consoleUrl?: string | undefined;
  slackUrl?: string | undefined;
  webhook?: { url: string; secret: string } | undefined;
  mail?: { smtpUrl: string; to: string } | undefined;
}

export function alertChannels(settings: ChannelSettings, deps: CallOutDeps & { now: () => Date }): AlertChannel[] {
  const { slackUrl, webhook, mail } = settings;
  const timeoutMs = deps.timeoutMs ?? CALL_TIMEOUT_MS;
  const channels: AlertChannel[] = [];
  if (slackUrl !== undefined)
    channels.push({ name: 'slack', send: ({ message }) => callOut(chatCall(slackUrl, message), deps) });
  if (webhook !== undefined) {
    channels.push({
      name: 'webhook',
      send: ({ id, at, message }) => {
        const { type, ...data } = message;
        const body = JSON.stringify({ type, id, timestamp: at.toISOString(), data });
        const headers = signedHeaders(webhook.secret, { id, at: deps.now(), body });
        return callOut({ url: webhook.url, method: 'POST', headers, body }, deps);
      },
    });
  }
  if (mail !== undefined) channels.push({ name: 'mail', send: (notice) => sendMail({ ...mail, timeoutMs }, notice) });
  return channels.map((channel) => ({
    name: channel.name,
    send: (notice) => channel.send({ ...notice, message: linked(notice.message, settings.consoleUrl) }),
  }));
}

function chatCall(url: string, message: AlertMessage) {
  // A chat reads & < > as its own marks.
  const text = messageText(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const body = JSON.stringify({ text });
  return { url, method: 'POST', headers: { 'content-type': 'application/json' }, body } as const;
}

const HERE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** One mail to all. A password goes over an encrypted line, but on this machine. Never throws; the error names no person's address. */
async function sendMail(
  { smtpUrl, to, timeoutMs }: { smtpUrl: string; to: string; timeoutMs: number },
  { id, message }: { id: string; message: AlertMessage },
): Promise<CallOutAnswer> {
  const url = new URL(smtpUrl);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const user = decodeURIComponent(url.username);
  const secure = url.protocol === 'smtps:';
  const transport = createTransport({
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && user !== '' && !HERE.test(url.hostname),
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(url.password) } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    const from = user.includes('@') ? user : `tallyhook@${isIP(host) === 0 ? host : 'localhost'}`;
    const mail = { from: { name: 'Tallyhook', address: from }, to: to.split(',') };
    await transport.sendMail({
      ...mail,
      subject: headline(message),
      text: messageText(message),
      messageId: `<${id}@tallyhook>`,
    });
    return { ok: true, httpStatus: 250 };
  } catch (error) {
    return { ok: false, httpStatus: null, error: `failed: ${mailReason(error)}`, retryAfterMs: null };
  } finally {
    transport.close();
  }
}

/** What a server says may repeat addresses: only its code counts. */
function mailReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const code = 'code' in error ? String(error.code) : error.name;
  const answered = 'responseCode' in error && typeof error.responseCode === 'number' ? ` ${error.responseCode}` : '';
  return `${code}${answered}`;
}
