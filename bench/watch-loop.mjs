// Preloaded into a role (node --import): tells its parent, when asked, the longest that its event loop was held since the last time.
import { threadTime } from './thread-time.mjs';

let longest = { clock: 0, processor: 0 };
let clock = performance.now();
let processor = threadTime();

setInterval(() => {
  const [now, used] = [performance.now(), threadTime()];
  longest.clock = Math.max(longest.clock, now - clock);
  longest.processor = Math.max(longest.processor, used - processor);
  [clock, processor] = [now, used];
}, 1).unref();

process.on('message', () => {
  process.send(longest);
  longest = { clock: 0, processor: 0 };
});
process.channel.unref();
