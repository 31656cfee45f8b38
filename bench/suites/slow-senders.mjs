// What the receiver holds while many senders send their bodies byte by byte, each byte a chunk, and end none of them.
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { during } from '../processes.mjs';
import { processorSeconds, rssMb } from '../processor-time.mjs';
import { figure } from '../report.mjs';

const HEAD = 'POST /webhooks HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n';
const BYTES_AT_ONCE = 100;
const LOOK_EVERY_MS = 250;
/** A process that has taken no processor time for so long has read all that was sent. */
const IDLE_MS = 1_000;
const MAX_WAIT_MS = 120_000;

export async function benchSlowSenders(bench) {
  const contenders = {
    tallyhook: { process: 'serve' },
    'mounted in an Express app': { process: 'mounted' },
    'library, router alone': { process: 'router' },
    'library, without Express and raw-body': { process: 'steps' },
    ...(bench.against && { [bench.against]: { process: 'serve', dist: bench.against } }),
  };
  const held = {};
  for (const [name, contender] of Object.entries(contenders)) held[name] = await holds(bench, name, contender);
  const own = held.tallyhook;
  return {
    title: `Memory (RSS) under ${bench.senders} senders of ${bench.bytes} bytes, each byte a chunk`,
    figures: Object.entries(held).flatMap(([name, { grown, microseconds }]) => {
      const beside = (ratio) => (name === 'tallyhook' ? {} : { ratio, to: name });
      return [
        figure(`${name}, grown by`, grown, { unit: ' MB', ...beside(own.grown / grown) }),
        figure(`${name}, a byte`, microseconds, { unit: ' µs', ...beside(own.microseconds / microseconds) }),
      ];
    }),
  };
}

async function holds({ databaseUrl, folder, senders, bytes, say }, name, { process, dist }) {
  return during(process, { databaseUrl, folder, dist }, async ({ port, pid }) => {
    const [before, busyBefore] = [rssMb(pid), processorSeconds(pid)];
    let peak = before;
    const looking = setInterval(() => (peak = Math.max(peak, rssMb(pid))), LOOK_EVERY_MS);
    const sockets = Array.from({ length: senders }, () => connect(port, '127.0.0.1').on('error', () => {}));
    try {
      await Promise.all(sockets.map((socket) => once(socket, 'connect')));
      for (const socket of sockets) socket.write(HEAD);
      for (let sent = 0; sent < bytes; sent += BYTES_AT_ONCE) {
        const piece = '1\r\nx\r\n'.repeat(Math.min(BYTES_AT_ONCE, bytes - sent));
        await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.write(piece, resolve))));
      }
      await idle(pid);
    } finally {
      clearInterval(looking);
      for (const socket of sockets) socket.destroy();
    }
    const microseconds = ((processorSeconds(pid) - busyBefore) * 1e6) / (senders * bytes);
    say(`${name}: ${Math.round(before)} MB, at most ${Math.round(peak)} MB`);
    return { grown: peak - before, microseconds };
  });
}

async function idle(pid) {
  const end = performance.now() + MAX_WAIT_MS;
  for (let busy = -1; busy !== processorSeconds(pid) && performance.now() < end; await delay(IDLE_MS))
    busy = processorSeconds(pid);
}
