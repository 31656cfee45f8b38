/** The service's own clock: the real one plus what `advance` added. It never goes back, unless its skew does. */
export interface SandboxClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Moves the clock and runs, in order of their time, the tasks that became due. */
  advance(seconds: number): void;
  /** Runs the task once the clock reaches `due`; a moment that has passed means as soon as possible. */
  at(due: number, task: () => void): void;
  close(): void;
}

interface Task {
  due: number;
  sequence: number;
  run: () => void;
}

const LONGEST_TIMER_MS = 2_000_000_000;

/** `skewMs`: how far the clock is off. Tasks run when they would without it. */
export function createClock(realNow: () => number = Date.now, skewMs: () => number = () => 0): SandboxClock {
  const tasks: Task[] = [];
  let offset = 0;
  let latest = 0;
  let sequence = 0;
  let timer: NodeJS.Timeout | null = null;
  let timerDue = Number.POSITIVE_INFINITY;
  let closed = false;

  const unskewed = (): number => {
    latest = Math.max(latest, realNow() + offset);
    return latest;
  };

  const disarm = (): void => {
    if (timer) clearTimeout(timer);
    timer = null;
    timerDue = Number.POSITIVE_INFINITY;
  };

  const arm = (): void => {
    const next = tasks[0];
    if (closed || !next || next.due >= timerDue) return;
    disarm();
    timerDue = next.due;
    timer = setTimeout(runDue, Math.min(Math.max(next.due - unskewed(), 0), LONGEST_TIMER_MS));
    timer.unref();
  };

  function runDue(): void {
    disarm();
    for (let next = tasks[0]; next && next.due <= unskewed(); next = tasks[0]) {
      removeFirst(tasks);
      next.run();
    }
    arm();
  }

  return {
    now: () => unskewed() + skewMs(),
    advance(seconds) {
      offset += seconds * 1000;
      runDue();
    },
    at(due, run) {
      if (closed) return;
      sequence += 1;
      insert(tasks, { due: due - skewMs(), sequence, run });
      arm();
    },
    close() {
      closed = true;
      disarm();
      tasks.length = 0;
    },
  };
}

const earlier = (a: Task, b: Task): boolean => a.due < b.due || (a.due === b.due && a.sequence < b.sequence);

/** `tasks` is a binary heap: the earliest stands first. */
function insert(tasks: Task[], task: Task): void {
  let hole = tasks.length;
  while (hole > 0) {
    const parentAt = (hole - 1) >> 1;
    const parent = tasks[parentAt];
    if (!parent || !earlier(task, parent)) break;
    tasks[hole] = parent;
    hole = parentAt;
  }
  tasks[hole] = task;
}

function removeFirst(tasks: Task[]): void {
  const last = tasks.pop();
  if (!last || tasks.length === 0) return;
  let hole = 0;
  for (;;) {
    let childAt = hole * 2 + 1;
    let child = tasks[childAt];
    if (!child) break;
    const sibling = tasks[childAt + 1];
    if (sibling && earlier(sibling, child)) {
      child = sibling;
      childAt += 1;
    }
    if (!earlier(child, last)) break;
    tasks[hole] = child;
    hole = childAt;
  }
  tasks[hole] = last;
}
