import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import { type AlertMessage, headline, messageText } from './alert-message.js';
import type { CallOutAnswer } from './call-out.js';

const HERE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * One mail to all of them. A password goes over an encrypted line alone, but for a server on this machine. Never throws;
 * the error holds no address of a person.
 */
export async function sendMail(
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
