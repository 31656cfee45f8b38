/** The share of one body in what all unfinished ones may hold. */
interface Share {
  /** Some more of the body came. May evict: others, or this one. */
  grow(bytes: number): void;
  leave(): void;
}

export interface BodyRoom {
  /** `onEvicted` is called once, at most: the body has to go, and has left already. */
  enter(onEvicted: () => void): Share;
}

/**
 * Bounds what unfinished bodies hold together. The one that is under way the longest makes room: whoever sends slowly
 * in order to fill our memory crowds out himself, and not the service, whose bodies are there at once.
 */
export function createBodyRoom(maxBytes: number): BodyRoom {
  const open = new Set<{ held: number; onEvicted: () => void }>();
  let held = 0;
  return {
    enter(onEvicted) {
      const share = { held: 0, onEvicted };
      open.add(share);
      return {
        grow(bytes) {
          if (!open.has(share)) return;
          share.held += bytes;
          held += bytes;
          for (const oldest of open) {
            if (held <= maxBytes) break;
            open.delete(oldest);
            held -= oldest.held;
            oldest.onEvicted();
          }
        },
        leave() {
          if (open.delete(share)) held -= share.held;
        },
      };
    },
  };
}
