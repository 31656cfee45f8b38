import { AsyncDeflate, type AsyncFlateStreamHandler, Zip, ZipDeflate, ZipPassThrough } from 'fflate';

export interface ZippedFile {
  name: string;
  content: AsyncIterable<string | Uint8Array> | Iterable<string>;
}

/** The first day that a zip can hold, for every file: the same content is the same bytes, whenever and wherever it is made. */
const NO_TIME = new Date(1980, 0, 1);
const LEVEL = 6;
const NOTHING = new Uint8Array(0);

/** What is shorter is compressed sooner than a thread has begun. */
const SHORT_BYTES = 262_144;
/** Waits to be compressed at most, before more is made. */
const WAITING_BYTES = 2_097_152;

/**
 * A zip, while its files are made one after the other; memory does not grow with them. A long one is compressed by a thread of
 * its own while the rest of it is made: into the same bytes, which hang on the parts that it comes in.
 */
export async function* zipFiles(files: AsyncIterable<ZippedFile>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, made) => {
    if (error !== null) throw error;
    ready.push(made);
  });
  for await (const { name, content } of files) {
    for await (const _ of packed(zip, name, content)) yield* ready.splice(0);
    yield* ready.splice(0);
  }
  zip.end();
  yield* ready.splice(0);
}

/** Yields whenever some of it may be ready. */
async function* packed(zip: Zip, name: string, content: ZippedFile['content']): AsyncGenerator<void> {
  const short: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  let long: ThreadDeflate | null = null;
  try {
    for await (const part of content) {
      const bytes = bytesOf(part);
      size += bytes.length;
      if (size <= SHORT_BYTES) short.push(bytes);
      else {
        long ??= begun(zip, new ThreadDeflate(name), short.splice(0));
        long.push(bytes);
        await long.room();
        yield;
      }
    }
    if (long === null) begun(zip, new ZipDeflate(name, { level: LEVEL }), short).push(NOTHING, true);
    else await long.end();
  } finally {
    long?.terminate();
  }
}

function begun<File extends ThreadDeflate | ZipDeflate>(zip: Zip, file: File, parts: readonly Uint8Array[]): File {
  file.mtime = NO_TIME;
  zip.add(file);
  for (const part of parts) file.push(part);
  return file;
}

const encoder = new TextEncoder();

/** Bytes of their own: a thread takes them over. */
function bytesOf(part: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof part === 'string' ? encoder.encode(part) : new Uint8Array(part);
}

/** As `ZipDeflate`, by a thread, and who makes the file can wait for it. */
class ThreadDeflate extends ZipPassThrough {
  readonly flag = 0;
  readonly #stream: AsyncDeflate;
  #failure: Error | null = null;
  #isEnded = false;
  #moved: () => void = () => undefined;

  constructor(name: string) {
    super(name);
    this.compression = 8;
    const take: AsyncFlateStreamHandler = (error, made, isLast) => {
      this.#failure ??= error;
      this.#isEnded ||= isLast;
      if (error === null) this.ondata(error, made, isLast);
      this.#moved();
    };
    this.#stream = new AsyncDeflate({ level: LEVEL }, take);
    this.#stream.ondrain = () => this.#moved();
  }

  protected override process(part: Uint8Array<ArrayBuffer>, isLast: boolean): void {
    this.#stream.push(part, isLast);
  }

  /** Until more may be pushed. Throws why it can't be compressed. */
  room(): Promise<void> {
    return this.#until(() => this.#stream.queuedSize <= WAITING_BYTES);
  }

  /** Until all of it is compressed. */
  end(): Promise<void> {
    this.push(new Uint8Array(0), true);
    return this.#until(() => this.#isEnded);
  }

  terminate(): void {
    this.#stream.terminate();
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === null && !isSo())
      await new Promise<void>((resolve) => {
        this.#moved = resolve;
      });
    if (this.#failure !== null) throw this.#failure;
  }
}
