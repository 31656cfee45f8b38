import { type AlertMessage, messageText } from './alert-message.js';
import { CALL_TIMEOUT_MS, type CallOutAnswer, type CallOutDeps, callOut } from './call-out.js';
import { sendMail } from './send-mail.js';
import { signedHeaders } from './sign-message.js';

/** Where alerts are sent to people. */
export interface AlertChannel {
  name: 'slack' | 'webhook' | 'mail';
  send(notice: { id: string; at: Date; message: AlertMessage }): Promise<CallOutAnswer>;
}

export interface ChannelSettings {
  slackUrl?: string | undefined;
  webhook?: { url: string; secret: string } | undefined;
  mail?: { smtpUrl: string; to: string } | undefined;
}

/** Those that are configured. */
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
  return channels;
}

function chatCall(url: string, message: AlertMessage) {
  // A chat reads & < > as its own marks.
  const text = messageText(message).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const body = JSON.stringify({ text });
  return { url, method: 'POST', headers: { 'content-type': 'application/json' }, body } as const;
}
