import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import type { channelNames } from '../domain/alerts/condition.js';
import { type AlertMessage, headline, linked, messageText } from './alert-message.js';
import { CALL_TIMEOUT_MS, type CallOutAnswer, type CallOutDeps, callOut, signedHeaders } from './call-out.js';

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
  if (slackUrl !== undefined) {
    channels.push({ name: 'slack', send: ({ message }) => callOut(chatCall(slackUrl, message), deps) });
  }
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
